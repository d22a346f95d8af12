package rest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/decide"
)

// TestEnumerations checks that every list of values in the documents has a name that clients can
// import, except those that are a part of a named list.
func TestEnumerations(t *testing.T) {
	api := newGated(t)
	for name, h := range api.documents() {
		v, err := jsonschema.UnmarshalJSON(ask(h, "GET", "/").Body)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string][]any{}
		for name, s := range at(v, "components", "schemas").(map[string]any) {
			if list, ok := at(s, "enum").([]any); ok {
				named[name] = list
			}
		}
		if len(named) < 10 {
			t.Errorf("%s: %d named enumerations", name, len(named))
		}
		eachSchema(v, "", func(place string, s map[string]any) {
			list, ok := s["enum"].([]any)
			if !ok || len(list) < 2 || slices.ContainsFunc(valuesOf(named), same(list)) {
				return
			}
			if !slices.ContainsFunc(valuesOf(named), func(whole []any) bool { return holds(whole, list) }) {
				t.Errorf("%s%s: the list %v has no name", name, place, list)
			}
		})
	}
}

// TestListsOfContract checks the names of the lists that clients import, and the properties that
// have their values.
func TestListsOfContract(t *testing.T) {
	for document, lists := range map[string]map[string]string{
		"contract": {
			"Activity":        "TripHealthInput.activity Decision.activity",
			"ComponentName":   "StatusComponent.name",
			"Confidence":      "Decision.confidence",
			"Datum":           "TidePredictions.datum StationInfo.datums FloodLevel.datum",
			"DecisionState":   "Decision.state",
			"DirectionSource": "Directions.directionSource",
			"DirectionUnit":   "Directions.unit ForecastUnits.direction NearestStations.bearingUnit",
			"ErrorCode":       "ErrorDetail.code",
			"FloodAuthority":  "FloodLevel.authority",
			"FloodBasis":      "FloodLevel.basis",
			"FloodSeverity":   "FloodLevel.level",
			"Freshness":       "Source.freshness",
			"GridSurface":     "GridPlace.surface",
			"HeightUnit":      "TidePredictions.heightUnit ForecastUnits.height",
			"Interval":        "TidePredictions.interval",
			"MarineProduct":   "MarineText.product",
			"MoonEventType":   "MoonEvent.event",
			"MoonPhase":       "MoonDay.phase",
			"NoticeStatus":    "Incident.status",
			"Observed":        "StationRow.observes StationInfo.observes",
			"PeriodUnit":      "ForecastUnits.period",
			"PredictionKind":  "StationInfo.predictionKind",
			"Predicts":        "StationRow.predicts",
			"Provider":        "Source.provider",
			"Quality":         "QualityRun.quality",
			"QuotaWarning":    "",
			"RateUnit":        "TidePredictions.rateUnit",
			"RuleKind":        "RuleResult.kind",
			"ServiceStatus":   "Status.status StatusComponent.status",
			"Severity":        "Reason.severity",
			"SourceKind":      "Source.kind",
			"SpeedUnit":       "ForecastUnits.speed",
			"StationKind":     "StationInfo.kind",
			"StationType":     "",
			"SunState":        "SunDay.state",
			"TideRegime":      "StationDetails.tideRegime",
			"TideState":       "TideMoment.state",
			"TideType":        "TideEvent.type",
			"TimeZoneMode":    "",
			"TwilightState":   "SunDay.civilState",
			"Units":           "TidePredictions.units",
			"VerifyState":     "Verification.state",
			"VisibilityUnit":  "ForecastUnits.visibility",
		},
		"developer": {
			"AttemptError":      "Attempt.error",
			"ChangeCause":       "MaterialChangeData.cause",
			"ComponentName":     "ComponentData.component",
			"DeliveryState":     "Delivery.state WebhookTest.state",
			"Direction":         "MaterialChangeData.direction PastStep.direction",
			"EndpointState":     "Endpoint.state",
			"EventKind":         "Delivery.type EventRecord.type",
			"EventSubscription": "Endpoint.events CreateWebhookInput.events WebhookChange.events",
			"GracePeriod":       "RotateWebhookBody.keepOld ReplaceKeyInput.grace",
			"KeyState":          "APIKey.state",
			"MaintenanceChange": "MaintenanceData.change",
			"NoticeStatus":      "IncidentData.previousStatus",
			"QuotaWarning":      "MonthUsage.warning",
			"Scope":             "APIKey.scopes CreateKeyInput.scopes",
			"ServiceStatus":     "ComponentData.from ComponentData.to ComponentData.status",
			"SuspensionReason":  "Endpoint.disabledReason",
			"TestCause":         "WebhookTestData.cause",
			"WaitingFor":        "Watch.waitingFor",
			"WatchState":        "Watch.state",
		},
		"planning": {
			"Apsis":        "SpringTide.apsis",
			"Light":        "TideCondition.light TideRanks.light",
			"PlaceKind":    "PlaceRow.kind",
			"SpringKind":   "SpringTide.kind",
			"SpringPhase":  "SpringTide.phase",
			"StationMatch": "PlaceRow.match NamedPlace.match",
			"TideRanking":  "TideRanks.what",
			"TideSide":     "TideCondition.side",
			"WindowCause":  "TideWindow.beginsBecause TideWindow.endsBecause",
			"WindowEnd":    "TideWindow.open",
		},
	} {
		text, err := OpenAPI(document)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for list, places := range lists {
			if values, _ := at(v, "components", "schemas", list, "enum").([]any); len(values) == 0 {
				t.Errorf("%s has no list %s", document, list)
			}
			for _, place := range strings.Fields(places) {
				of, name, _ := strings.Cut(place, ".")
				p := at(v, "components", "schemas", of, "properties", name)
				if got := listOf(p); got != "#/components/schemas/"+list {
					t.Errorf("%s: %s has the values of %q, want %s: %v", document, place, got, list, p)
				}
			}
		}
	}
}

// listOf returns the reference to the list of a property's values, or of its items' values.
func listOf(p any) string {
	if items := at(p, "items"); items != nil {
		return listOf(items)
	}
	if choices, ok := at(p, "anyOf").([]any); ok {
		return listOf(choices[0])
	}
	ref, _ := at(p, "$ref").(string)
	return ref
}

// TestBaseline checks that decisions and their summaries satisfy the schema of baselines.
func TestBaseline(t *testing.T) {
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", any(readDocument(t, newGated(t)))); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("openapi.json#/components/schemas/Baseline")
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		`{"state":"normal","confidence":"high","reasons":[{"code":"a"}],"mine":[1]}`: true,
		`{"reasons":[{"code":"a","severity":"watch","sourceId":"b","value":1}]}`:     true,
		`{"sources":[{"id":"a","freshness":"fresh","required":true}]}`:               true,
		`{"state":"fine"}`:         false,
		`{"reasons":[{}]}`:         false,
		`{"sources":[{"id":"a"}]}`: false,
		`[]`:                       false,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != valid {
			t.Errorf("%s: %v, want valid %v", text, err, valid)
		}
		_, err = decide.ReadBaseline([]byte(text))
		if (err == nil) != valid {
			t.Errorf("%s: the server says %v, want valid %v", text, err, valid)
		}
	}
}

// same returns a function that reports whether a list is this one, not another with its values.
func same(list []any) func([]any) bool {
	return func(other []any) bool { return &other[0] == &list[0] }
}

// holds reports whether whole has more values than part, and all of its values.
func holds(whole, part []any) bool {
	return len(whole) > len(part) &&
		!slices.ContainsFunc(part, func(v any) bool { return !slices.Contains(whole, v) })
}

func valuesOf(m map[string][]any) (list [][]any) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// eachSchema calls visit with every object of a document and its place.
func eachSchema(v any, place string, visit func(place string, s map[string]any)) {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			eachSchema(item, fmt.Sprint(place, "/", i), visit)
		}
	case map[string]any:
		visit(place, v)
		for name, item := range v {
			eachSchema(item, place+"/"+name, visit)
		}
	}
}
