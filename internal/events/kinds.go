package events

import (
	"reflect"
	"time"

	"leadline/internal/access/quota"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/store"
)

// Kind names a kind of event: the type in its body.
type Kind string

// The kinds of events. New ones may be added.
const (
	WebhookTest          Kind = "webhook.test"
	MaterialChange       Kind = "decision.material_change"
	QuotaWarning         Kind = "quota.warning"
	QuotaExceeded        Kind = "quota.exceeded"
	APIDegraded          Kind = "api.degraded"
	IncidentCreated      Kind = "status.incident.created"
	IncidentUpdated      Kind = "status.incident.updated"
	MaintenanceScheduled Kind = "status.maintenance.scheduled"
)

// SchemaName returns the name of the kinds in OpenAPI documents.
func (Kind) SchemaName() string { return "EventKind" }

// Values returns the names of all kinds.
func (Kind) Values() []string {
	var names []string
	for _, d := range Kinds() {
		names = append(names, string(d.Kind))
	}
	return names
}

// Subscription names a kind of event that an endpoint receives, or store.AllKinds.
type Subscription string

// SchemaName returns the name of the subscriptions in OpenAPI documents.
func (Subscription) SchemaName() string { return "EventSubscription" }

// Values returns store.AllKinds and the names of all kinds.
func (Subscription) Values() []string {
	return append([]string{store.AllKinds}, Kind("").Values()...)
}

// Description describes a kind of event for documents.
type Description struct {
	Kind    Kind
	Summary string       // one sentence
	Data    reflect.Type // the struct under data
}

// Kinds describes all kinds of events.
func Kinds() []Description {
	return []Description{
		{WebhookTest, "An endpoint was created, enabled or given a new secret, or a test was requested.",
			reflect.TypeFor[WebhookTestData]()},
		{MaterialChange, "A decision differs from its baseline in a way that matters.",
			reflect.TypeFor[MaterialChangeData]()},
		{QuotaWarning, "The account has used 80 or 95 percent of its monthly quota.",
			reflect.TypeFor[QuotaWarningData]()},
		{QuotaExceeded, "A request was refused because the monthly quota is used up.",
			reflect.TypeFor[QuotaExceededData]()},
		{APIDegraded, "A component of the service has been impaired for two minutes, or works again.",
			reflect.TypeFor[ComponentData]()},
		{IncidentCreated, "The operator has announced an incident.", reflect.TypeFor[IncidentData]()},
		{IncidentUpdated, "An incident has changed, or maintenance has begun or ended.",
			reflect.TypeFor[IncidentData]()},
		{MaintenanceScheduled, "Maintenance was scheduled, moved or cancelled.",
			reflect.TypeFor[MaintenanceData]()},
	}
}

// Data is the content of an event: one of the structs below. Body completes it.
type Data interface {
	// Kind returns the kind of the event.
	Kind() Kind
	// with returns the data as the body has it.
	with(Common) Data
}

// Common holds the members that data has in every event. Body sets them.
type Common struct {
	EventID         string `json:"eventId" pattern:"^msg_[0-9a-f]{32}$" doc:"Id of the event, as in the header webhook-id."`
	ContractVersion string `json:"contractVersion" doc:"Version of the response formats that data quotes."`
}

// WebhookTestData is the data of webhook.test.
type WebhookTestData struct {
	Common
	Endpoint string    `json:"endpoint" pattern:"^we_[0-9A-Za-z]{14}$" doc:"Id of the endpoint."`
	Cause    TestCause `json:"cause" doc:"Why the test was sent: the endpoint was created or enabled, its secret was replaced (rotated), or a test was requested."`
	Message  string    `json:"message" doc:"What the test is for, as a sentence."`
}

// Kind returns WebhookTest.
func (WebhookTestData) Kind() Kind { return WebhookTest }

func (d WebhookTestData) with(c Common) Data {
	d.Common = c
	return d
}

// ChangeCause names what has found a material change.
type ChangeCause string

// The causes of a material change.
const (
	CauseOperation ChangeCause = "operation" // a request for material changes
	CauseWatch     ChangeCause = "watch"     // a watch of the account
)

// Values returns all causes.
func (ChangeCause) Values() []string { return coast.Strings(CauseOperation, CauseWatch) }

// MaterialChangeData is the data of decision.material_change.
type MaterialChangeData struct {
	Common
	Cause   ChangeCause `json:"cause" doc:"What has found the change: a request for material changes (operation), or a watch."`
	Watch   *WatchStep  `json:"watch" doc:"The watch; null if the cause is an operation."`
	Request TripRequest `json:"request" doc:"What the decision is about."`
	decide.Report
	Disclaimer string `json:"disclaimer" doc:"Limit of what a decision is fit for."`
}

// WatchStep is one event of a watch.
type WatchStep struct {
	ID   string `json:"id" pattern:"^wt_[0-9A-Za-z]{14}$" doc:"Id of the watch."`
	Name string `json:"name" doc:"Name that the account gave it; may be empty."`
	Step int    `json:"step" min:"1" doc:"Number of the event within the watch. Ignore an event whose number is lower than that of one you have handled."`
}

// TripRequest is the request of a decision.
type TripRequest struct {
	StationID string          `json:"stationId" doc:"A tide station's id."`
	Activity  decide.Activity `json:"activity" doc:"What is planned."`
	LocalDate string          `json:"localDate" format:"date" doc:"Day in the station's zone."`
	LocalTime string          `json:"localTime" pattern:"^([01]\\d|2[0-3]):[0-5]\\d$" doc:"Time in the station's zone, 24 hours."`
}

// Kind returns MaterialChange.
func (MaterialChangeData) Kind() Kind { return MaterialChange }

func (d MaterialChangeData) with(c Common) Data {
	d.Common, d.Disclaimer = c, coast.Disclaimer
	return d
}

// AccountPlan is the account that an event is about.
type AccountPlan struct {
	ID   string `json:"id" format:"uuid" doc:"Id of the account."`
	Plan string `json:"plan" doc:"Name of the account's plan. The operator chooses the names of plans."`
}

// Quota is the state of a monthly quota.
type Quota struct {
	Account   AccountPlan `json:"account" doc:"The account."`
	Month     string      `json:"month" pattern:"^\\d{4}-\\d{2}$" doc:"The calendar month, UTC."`
	Limit     int         `json:"limit" min:"0" doc:"Units of the month."`
	Used      int         `json:"used" min:"0" doc:"Units used, including those that the servers have reserved."`
	Remaining int         `json:"remaining" min:"0" doc:"Units left."`
	ResetsAt  time.Time   `json:"resetsAt" doc:"When the next month begins."`
}

// QuotaWarningData is the data of quota.warning.
type QuotaWarningData struct {
	Common
	Quota
	Level quota.Warning `json:"level" enum:"approaching critical" doc:"Approaching from 80 percent on, critical from 95 percent on."`
}

// Kind returns QuotaWarning.
func (QuotaWarningData) Kind() Kind { return QuotaWarning }

func (d QuotaWarningData) with(c Common) Data {
	d.Common, d.ResetsAt = c, store.Second(d.ResetsAt)
	return d
}

// QuotaExceededData is the data of quota.exceeded. Body sets its level.
type QuotaExceededData struct {
	Common
	Quota
	Level             quota.Warning `json:"level" enum:"exhausted" doc:"Always exhausted."`
	RetryAfterSeconds int           `json:"retryAfterSeconds" min:"1" doc:"Seconds to the next month when the request was refused."`
}

// Kind returns QuotaExceeded.
func (QuotaExceededData) Kind() Kind { return QuotaExceeded }

func (d QuotaExceededData) with(c Common) Data {
	d.Common, d.ResetsAt, d.Level = c, store.Second(d.ResetsAt), quota.Exhausted
	return d
}

// ComponentData is the data of api.degraded.
type ComponentData struct {
	Common
	Component       coast.ComponentName `json:"component" doc:"The component whose state has changed."`
	From            coast.ServiceStatus `json:"from" doc:"State of the component before."`
	To              coast.ServiceStatus `json:"to" doc:"State of the component now."`
	Since           time.Time           `json:"since" doc:"When the state began."`
	Recovered       bool                `json:"recovered" doc:"Whether the component is operational again."`
	DurationSeconds int                 `json:"durationSeconds" min:"0" doc:"How long the component has been in the state; once it has recovered, how long it was impaired."`
	Status          coast.ServiceStatus `json:"status" doc:"State of the whole service."`
	Message         string              `json:"message" doc:"What was measured, as a sentence."`
	StatusURL       string              `json:"statusUrl" doc:"Address of the page about the state of the service."`
}

// Kind returns APIDegraded.
func (ComponentData) Kind() Kind { return APIDegraded }

func (d ComponentData) with(c Common) Data {
	d.Common, d.Since = c, store.Second(d.Since)
	return d
}

// IncidentData is the data of status.incident.created and status.incident.updated.
type IncidentData struct {
	Common
	Incident       IncidentNotice      `json:"incident" doc:"The incident, or the maintenance that has begun or ended."`
	PreviousStatus *coast.NoticeStatus `json:"previousStatus" doc:"State of the notice before; null if the notice is new."`
	StatusURL      string              `json:"statusUrl" doc:"Address of the page about the state of the service."`
}

// IncidentNotice is an incident, or maintenance that has begun or ended.
type IncidentNotice struct {
	ID          string             `json:"id" format:"uuid" doc:"Id of the notice."`
	Maintenance bool               `json:"maintenance" doc:"Whether this is maintenance."`
	Title       string             `json:"title" doc:"What is affected."`
	Status      coast.NoticeStatus `json:"status" enum:"investigating identified monitoring resolved in-progress completed" doc:"State of the incident or of the maintenance."`
	Message     string             `json:"message" doc:"What the operator says."`
	From        time.Time          `json:"from" doc:"When it began."`
	Until       *time.Time         `json:"until" doc:"When it ended or will end; null if that is not known."`
	UpdatedAt   time.Time          `json:"updatedAt" doc:"When the notice changed. Ignore an event that is older than the newest one that you have of the notice."`
}

// IncidentOf returns the data of an incident. Previous is the status before, or empty if the
// incident is new.
func IncidentOf(i store.Incident, previous, statusURL string) IncidentData {
	d := IncidentData{StatusURL: statusURL, Incident: IncidentNotice{
		ID: i.ID, Maintenance: i.Maintenance, Title: i.Title, Status: coast.NoticeStatus(i.Status),
		Message: i.Message, From: store.Second(i.From), UpdatedAt: store.Second(i.Updated),
	}}
	if !i.Until.IsZero() {
		until := store.Second(i.Until)
		d.Incident.Until = &until
	}
	if previous != "" {
		d.PreviousStatus = new(coast.NoticeStatus(previous))
	}
	return d
}

// Kind returns IncidentUpdated if there was a status before, otherwise IncidentCreated.
func (d IncidentData) Kind() Kind {
	if d.PreviousStatus == nil {
		return IncidentCreated
	}
	return IncidentUpdated
}

func (d IncidentData) with(c Common) Data {
	d.Common = c
	return d
}

// MaintenanceChange names what has changed about maintenance.
type MaintenanceChange string

// The changes of maintenance.
const (
	MaintenanceAdded     MaintenanceChange = "scheduled"
	MaintenanceMoved     MaintenanceChange = "rescheduled"
	MaintenanceCancelled MaintenanceChange = "cancelled"
)

// Values returns all changes.
func (MaintenanceChange) Values() []string {
	return coast.Strings(MaintenanceAdded, MaintenanceMoved, MaintenanceCancelled)
}

// MaintenanceData is the data of status.maintenance.scheduled.
type MaintenanceData struct {
	Common
	Maintenance MaintenanceNotice `json:"maintenance" doc:"The maintenance."`
	Change      MaintenanceChange `json:"change" doc:"What has changed: the maintenance is new (scheduled), has other times (rescheduled), or is cancelled."`
	StatusURL   string            `json:"statusUrl" doc:"Address of the page about the state of the service."`
}

// MaintenanceNotice is maintenance in the future.
type MaintenanceNotice struct {
	ID        string             `json:"id" format:"uuid" doc:"Id of the notice."`
	Title     string             `json:"title" doc:"What is affected."`
	Status    coast.NoticeStatus `json:"status" enum:"scheduled in-progress completed cancelled" doc:"State of the maintenance."`
	Message   string             `json:"message" doc:"What the operator says."`
	From      time.Time          `json:"from" doc:"When it begins."`
	Until     time.Time          `json:"until" doc:"When it ends."`
	UpdatedAt time.Time          `json:"updatedAt" doc:"When the notice changed. Ignore an event that is older than the newest one that you have of the notice."`
}

// MaintenanceOf returns the data of maintenance that has changed.
func MaintenanceOf(i store.Incident, change MaintenanceChange, statusURL string) MaintenanceData {
	return MaintenanceData{Change: change, StatusURL: statusURL, Maintenance: MaintenanceNotice{
		ID: i.ID, Title: i.Title, Status: coast.NoticeStatus(i.Status), Message: i.Message,
		From: store.Second(i.From), Until: store.Second(i.Until), UpdatedAt: store.Second(i.Updated),
	}}
}

// Kind returns MaintenanceScheduled.
func (MaintenanceData) Kind() Kind { return MaintenanceScheduled }

func (d MaintenanceData) with(c Common) Data {
	d.Common = c
	return d
}
