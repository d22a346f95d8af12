package events

import (
	"fmt"

	"leadline/store"
)

// Announce returns the events of a notice that was created or changed: old is the zero Incident if
// it is new. A change that concerns nobody, such as of the title of maintenance, has no event.
func (o *Outbox) Announce(old, now store.Incident) ([]store.Event, error) {
	data := o.announcement(old, now)
	if data == nil {
		return nil, nil
	}
	once := fmt.Sprintf("notice %s %d %s", now.ID, now.Updated.Unix(), digest(now))
	event, err := o.event("", data, once, store.Second(o.c.Now()).Add(onceOther))
	if err != nil {
		return nil, err
	}
	return []store.Event{event}, nil
}

// announcement returns the data of a notice that was created or changed, or nil.
func (o *Outbox) announcement(old, now store.Incident) Data {
	moved := !old.From.Equal(now.From) || !old.Until.Equal(now.Until)
	switch {
	case !now.Maintenance:
		return IncidentOf(now, old.Status, o.c.StatusURL)
	case old.ID == "":
		return MaintenanceOf(now, MaintenanceAdded, o.c.StatusURL)
	case now.Status == "cancelled" && old.Status != now.Status:
		return MaintenanceOf(now, MaintenanceCancelled, o.c.StatusURL)
	case now.Status == "scheduled" && old.Status != now.Status:
		return MaintenanceOf(now, MaintenanceMoved, o.c.StatusURL)
	case old.Status != now.Status:
		return IncidentOf(now, old.Status, o.c.StatusURL)
	case moved:
		return MaintenanceOf(now, MaintenanceMoved, o.c.StatusURL)
	}
	return nil
}

// Component returns the event of a component whose state has changed. The name of the event is that
// of the component and of the beginning of the state.
func (o *Outbox) Component(d ComponentData) (store.Event, error) {
	d.StatusURL = o.c.StatusURL
	once := fmt.Sprintf("component %s %s %d", d.Component, d.To, d.Since.Unix())
	return o.event("", d, once, store.Second(o.c.Now()).Add(onceOther))
}
