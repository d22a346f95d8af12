package rest

import (
	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/selfservice"
	"leadline/tools"
)

// These are the needs of the routes for watches. An account keeps its watches on a smaller plan,
// and must be able to see and delete them.
var (
	watcher = access.Need{By: access.Key | access.Session, Scopes: []string{credential.DecisionRead}}
	planner = access.Need{
		By: access.Key | access.Session, Scopes: []string{credential.DecisionRead},
		Feature: access.DecisionAPI,
	}
)

// watchRoutes returns the routes for the watches of an account.
func watchRoutes(set *tools.Set) []route {
	const all, one = "/api/developer/watches", "/api/developer/watches/{id}"
	return []route{
		read(all, "listWatches", "watches.list", "Watches",
			"List the watches of the account",
			"All watches, those that have ended for seven days more.",
			priced(request, needs(watcher, get[watchesQuery](set.Watching.ListWatches))),
		),
		send(all, "createWatch", "watches.create", "Watches",
			"Watch a plan until its time has come",
			"Makes a decision and repeats it, every six hours at first and every ten minutes at last. "+
				"When it changes materially, the event `decision.material_change` is sent to the "+
				"webhook endpoints of the account. A missing fact is never announced as an "+
				"improvement. Creating a watch costs one unit of the monthly quota, and so does each "+
				"evaluation; `units.max` says how many it costs at most.",
			needs(planner, post(set.Watching.CreateWatch)),
		),
		read(one, "getWatch", "watches.get", "Watches",
			"Get a watch",
			"One watch with the changes that it has announced.",
			priced(request, needs(watcher, get[watchQuery](set.Watching.Watch))),
		),
		remove(one, "deleteWatch", "watches.delete", "Watches",
			"Delete a watch",
			"Removes the watch: no event of it is sent after the response.",
			priced(request, needs(watcher, act[watchQuery](set.Watching.DeleteWatch))),
		),
	}
}

type watchesQuery struct{}

func (watchesQuery) Input() selfservice.ListWatchesInput { return selfservice.ListWatchesInput{} }

type watchQuery struct{ selfservice.WatchInput }

func (q watchQuery) Input() selfservice.WatchInput { return q.WatchInput }
