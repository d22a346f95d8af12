package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/planning"
	"leadline/internal/tides"
)

// tideArguments are the arguments of the tool for tides: those of its operation, and the parts of a
// day.
type tideArguments struct {
	tides.TidePredictionsInput
	Include []planning.DayPart `json:"include,omitempty" doc:"For one day also: light, currents, wind, alerts, water_level, temperature." example:"wind"`
}

// withDay returns the tool for tides with the argument include, with which it returns the result of
// the tool for a day: callers whose list has no planning tools get a whole day, too. The hint that
// results quote people stays that of tides, or clients would ask before they show a tide.
func withDay(tide, day operation.Tool) operation.Tool {
	one := tide.Call
	return tide.With(func(ctx context.Context, args []byte) (operation.Result, error) {
		args, included, err := dayArguments(args)
		switch {
		case err != nil:
			return operation.Result{}, err
		case included:
			return day.Call(ctx, args)
		}
		return one(ctx, args)
	})
}

// ofDay lists the arguments that go with include.
var ofDay = []string{"activity", "date", "include", "latitude", "longitude", "place",
	"response_format", "sources", "station", "time_zone", "units", "view"}

// dayArguments returns the arguments of the tool for a day if args have parts of one.
func dayArguments(args []byte) (rest []byte, included bool, err error) {
	var all map[string]json.RawMessage
	if !bytes.Contains(args, []byte(`"include"`)) || json.Unmarshal(args, &all) != nil {
		return args, false, nil
	}
	maps.DeleteFunc(all, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	parts, given := all["include"]
	if !given {
		return args, false, nil
	}
	begin, end := string(all["begin_date"]), string(all["end_date"])
	if begin != "" && all["date"] == nil && (end == "" || end == begin) {
		all["date"] = all["begin_date"]
		delete(all, "begin_date")
		delete(all, "end_date")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(ofDay, name) {
			return args, false, facts.Invalid(coast.Clip(name), "include", `%s does not go with `+
				`include, which describes one day. Leave it out, or leave out include. Example: `+
				`"date": "saturday", "include": ["wind", "light"].`, coast.Quote(name))
		}
	}
	all["include"] = withTides(parts)
	rest, _ = json.Marshal(all) // cannot fail
	return rest, true, nil
}

// withTides returns a list of parts, or one part, with that of the tides. The tool for a day
// refuses what is neither.
func withTides(parts json.RawMessage) json.RawMessage {
	var list []string
	var one string
	if json.Unmarshal(parts, &one) == nil {
		list = []string{one}
	} else if json.Unmarshal(parts, &list) != nil {
		return parts
	}
	if !slices.Contains(list, "tides") {
		list = append([]string{"tides"}, list...)
	}
	text, _ := json.Marshal(list) // cannot fail
	return text
}
