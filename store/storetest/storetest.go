// Package storetest is the conformance suite of the store contract. The tests of an engine call
// Run; every engine must pass it unchanged. Failures that only one engine can have (its file is
// removed, its server is down) belong to the tests of that engine, which may use Fill, Methods and
// Dump.
//
//	storetest.go    Run, and helpers of the trials
//	fixture.go      a store with rows of every kind; every method
//	outbox.go       the same for endpoints, events, deliveries and watches
//	accounts.go ... one concern of the contract each
//	bounds.go       limits of an account
//	promises.go     times, durability, contexts, Close
//	instances.go    instances, jobs and shares of rate limits
//	porter.go       copies between engines
//	together.go     concurrent callers
//	two.go          two open stores on one place
package storetest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/trials"
	"leadline/store"
)

// Engine is a store under test. An engine implements Rows and Age in its own tests.
type Engine interface {
	store.Store
	// Rows calls row with the text of every row of every table, including indexes, in an order
	// that depends only on the rows. It omits the engine's own facts, such as the version of
	// its schema, and what an engine may lose when it is closed: claims of endpoints and watches,
	// instances, jobs and shares.
	Rows(ctx context.Context, row func(table, row string)) error
	// Age makes all instances, jobs and shares older by d, as if so much time had passed on the
	// clock of the store.
	Age(ctx context.Context, d time.Duration) error
}

// Run checks an engine against the contract. place returns a function that opens the store in a
// location that is empty, the first time and each time after it was closed. When the test of place
// has ended, the engine closes the store or uses it, emptied, for another test.
func Run(t *testing.T, place func(t *testing.T) (open func() Engine)) {
	run(t, place, contract())
}

// RunShared checks an engine that several processes can use at once, as Run does, but makes the
// trials of instances and of concurrent callers with two open stores on one place, which get the
// calls in turns. Thorough runs make them with one store, too. open may be called while the store
// is open.
func RunShared(t *testing.T, place func(t *testing.T) (open func() Engine)) {
	one := alone()
	if trials.Thorough() {
		one = contract()
	}
	t.Run("One", func(t *testing.T) { run(t, place, one) })
	t.Run("Two", func(t *testing.T) {
		two := func(t *testing.T) func() Engine {
			open := place(t)
			return func() Engine { return &pair{stores: [2]Engine{open(), open()}} }
		}
		run(t, two, slices.Concat(ofInstances(), concurrent()))
		run(t, place, []test{{"ChangesOfOthers", changesOfOthers}, {"MovedOn", movedOn}})
	})
}

// test is a trial with its name.
type test struct {
	name string
	run  func(*trial)
}

// contract lists all trials of the contract.
func contract() []test { return slices.Concat(alone(), ofInstances(), concurrent()) }

// alone lists the trials of one store with mostly one caller.
func alone() []test {
	return []test{
		{"Accounts", accounts},
		{"AccountTaken", accountTaken},
		{"AccountsInOrder", accountsInOrder},
		{"PlansInUse", plansInUse},
		{"SetPlan", setPlan},
		{"RemoveAccount", removeAccount},
		{"RemovedIsReusable", removedIsReusable},
		{"Keys", keys},
		{"KeyTaken", keyTaken},
		{"KeysInOrder", keysInOrder},
		{"RevokeKey", revokeKey},
		{"TouchKeys", touchKeys},
		{"ReplaceKey", replaceKey},
		{"ReplaceKeyExpiry", replaceKeyExpiry},
		{"ReplaceKeyRefused", replaceKeyRefused},
		{"ReplaceKeyConflict", replaceKeyConflict},
		{"KeysAtMost", keysAtMost},
		{"ReplaceAtMost", replaceAtMost},
		{"KeyRowsMakeRoom", keyRowsMakeRoom},
		{"AccountKeys", accountKeys},
		{"AccountKeyRefused", accountKeyRefused},
		{"SessionsMakeRoom", sessionsMakeRoom},
		{"ClientsYoung", clientsYoung},
		{"Reserve", reserve},
		{"ReserveLowerLimit", reserveLowerLimit},
		{"ReserveApart", reserveApart},
		{"Return", returnUnits},
		{"Months", months},
		{"Sessions", sessions},
		{"SessionTaken", sessionTaken},
		{"RemoveSessions", removeSessions},
		{"SessionsOf", sessionsOf},
		{"TouchSession", touchSession},
		{"Tickets", tickets},
		{"Join", join},
		{"JoinRefused", joinRefused},
		{"SetPassword", setPassword},
		{"SetPasswordRefused", setPasswordRefused},
		{"Identities", identities},
		{"IdentitiesOf", identitiesOf},
		{"RemoveIdentity", removeIdentity},
		{"Clients", clients},
		{"ClientsMakeRoom", clientsMakeRoom},
		{"ClientsExtended", clientsExtended},
		{"Codes", codes},
		{"CodeTaken", codeTaken},
		{"RedeemCode", redeemCode},
		{"GrantsMakeRoom", grantsMakeRoom},
		{"GrantsInOrder", grantsInOrder},
		{"Rotate", rotate},
		{"RotateReused", rotateReused},
		{"RotateRemembered", rotateRemembered},
		{"RemoveGrant", removeGrant},
		{"Incidents", incidents},
		{"IncidentsSince", incidentsSince},
		{"Meta", meta},
		{"SwapMeta", swapMeta},
		{"Uses", uses},
		{"UsesAtMost", usesAtMost},
		{"Uptime", uptime},
		{"Changes", changes},
		{"Ready", ready},
		{"SweepTickets", sweepTickets},
		{"SweepClients", sweepClients},
		{"SweepCodes", sweepCodes},
		{"SweepGrants", sweepGrants},
		{"SweepSessions", sweepSessions},
		{"SweepMonths", sweepMonths},
		{"SweepKeys", sweepKeys},
		{"SweepDays", sweepDays},
		{"SweepInSteps", sweepInSteps},
		{"Endpoints", endpoints},
		{"EndpointRefused", endpointRefused},
		{"PutEndpoint", putEndpoint},
		{"EndpointWithTest", endpointWithTest},
		{"SkippedBacklog", skippedBacklog},
		{"SkippedPosts", skippedPosts},
		{"SkippedAlone", skippedAlone},
		{"SkippedSpread", skippedSpread},
		{"NothingLost", nothingLost},
		{"RemoveEndpoint", removeEndpoint},
		{"RemoveAccountOutbox", removeAccountOutbox},
		{"Post", postEvents},
		{"PostNothing", postNothing},
		{"PostRefused", postRefused},
		{"Once", onceEach},
		{"EventsOf", eventsOf},
		{"Notices", notices},
		{"Causes", causes},
		{"ChangesPosted", changesPosted},
		{"SpreadResumed", spreadResumed},
		{"ClaimEndpoints", claimEndpoints},
		{"Pauses", pauses},
		{"Due", dueDeliveries},
		{"Finish", finish},
		{"FinishLate", finishLate},
		{"FinishMany", finishMany},
		{"FinishStates", finishStates},
		{"DeliveriesOf", deliveriesOf},
		{"Replay", replay},
		{"BacklogFull", backlogFull},
		{"ClampDue", clampDue},
		{"Backlog", backlog},
		{"Watches", watches},
		{"WatchRefused", watchRefused},
		{"SaveWatch", saveWatch},
		{"ClaimWatches", claimWatches},
		{"ClaimWatchesInTurns", claimWatchesInTurns},
		{"SweepEvents", sweepEvents},
		{"SweepNames", sweepNames},
		{"SweepMostEvents", sweepMostEvents},
		{"SweepWatches", sweepWatches},
		{"SweepNothingElse", sweepNothingElse},
		{"SharesRefused", sharesRefused},
		{"Port", port},
		{"PortEmpty", portEmpty},
		{"PortComplete", portComplete},
		{"PortOrder", portOrder},
		{"PortFacts", portFacts},
		{"PortRefused", portRefused},
		{"PortTaken", portTaken},
		{"PortRefusedTogether", portRefusedTogether},
		{"PortResumed", portResumed},
		{"PortUnlimited", portUnlimited},
		{"PortEnded", portEnded},
		{"Times", times},
		{"Durable", durable},
		{"ContextEnded", contextEnded},
		{"Closed", closed},
		{"ClosedDuringWrites", closedDuringWrites},
	}
}

// ofInstances lists the trials of instances that one caller makes.
func ofInstances() []test {
	return []test{
		{"Instances", instances},
		{"InstanceRefused", instanceRefused},
		{"Slots", slots},
		{"Leave", leave},
		{"Hold", hold},
		{"Shares", shares},
		{"SharesExpire", sharesExpire},
		{"SharesOfSuccessors", sharesOfSuccessors},
	}
}

// concurrent lists the trials of concurrent callers.
func concurrent() []test {
	return []test{
		{"ReplaceKeyTogether", replaceKeyTogether},
		{"TicketTogether", ticketTogether},
		{"JoinTogether", joinTogether},
		{"RemoveIdentityTogether", removeIdentityTogether},
		{"ClientsTogether", clientsTogether},
		{"RedeemTogether", redeemTogether},
		{"RotateTogether", rotateTogether},
		{"SwapMetaTogether", swapMetaTogether},
		{"UsesTogether", usesTogether},
		{"UptimeTogether", uptimeTogether},
		{"OnceTogether", onceTogether},
		{"SpreadTogether", spreadTogether},
		{"ClaimTogether", claimTogether},
		{"OutboxTogether", outboxTogether},
		{"WatchesTogether", watchesTogether},
		{"ClaimWatchesTogether", claimWatchesTogether},
		{"SlotsTogether", slotsTogether},
		{"HoldTogether", holdTogether},
		{"SharesTogether", sharesTogether},
		{"ReserveTogether", reserveTogether},
		{"ReserveAndReturnTogether", reserveAndReturnTogether},
		{"TakenTogether", takenTogether},
		{"KeysTogether", keysTogether},
		{"AccountKeysTogether", accountKeysTogether},
		{"SessionsTogether", sessionsTogether},
		{"RefusedTogether", refusedTogether},
		{"RemovedTogether", removedTogether},
		{"AllTogether", allTogether},
	}
}

// run runs trials, each with a store of its own.
func run(t *testing.T, place func(t *testing.T) (open func() Engine), list []test) {
	for _, one := range list {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			open := place(t)
			one.run(&trial{T: t, Engine: open(), open: open, place: place})
		})
	}
}

// trial is one test of an engine, with a store of its own.
type trial struct {
	*testing.T
	Engine
	open  func() Engine
	place func(t *testing.T) (open func() Engine)
}

// reopen closes the store and opens it again.
func (t *trial) reopen() {
	t.Helper()
	if err := t.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	t.Engine = t.open()
}

// ok ends the trial if a call failed.
func (t *trial) ok(err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("got error %v, want none", err)
	}
}

// fails checks the error of a call.
func (t *trial) fails(what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

// same checks a value.
func (t *trial) same(what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// filled are the records of a store that Fill has filled.
var filled struct {
	once    sync.Once
	records []store.Record
}

// fill fills an empty store as Fill does. An import takes less time than the calls, and makes an
// equal store, as other trials check.
func (t *trial) fill() {
	t.Helper()
	p, ok := t.Engine.(store.Porter)
	if !ok || trials.Thorough() {
		Fill(t.T, t)
		return
	}
	fresh := false
	filled.once.Do(func() {
		Fill(t.T, t)
		filled.records, fresh = t.exported(1000), true
	})
	if !fresh {
		t.ok(p.Import(t.Context(), filled.records))
	}
}

// state returns all rows of the store, with LEADLINE_TRIALS also the results of methods. These
// depend on the rows, which take a small part of the time.
func (t *trial) state() string {
	t.Helper()
	if trials.Thorough() {
		return Dump(t.T, t)
	}
	var b strings.Builder
	dumpRows(t.Context(), t, &b)
	return b.String()
}

// part returns how many of all steps to make: all if trials are thorough.
func part(all, some int) int {
	if trials.Thorough() {
		return all
	}
	return some
}

// sampled reports whether to make step n of many: each if trials are thorough, otherwise one of
// every.
func sampled(n, every int) bool { return trials.Thorough() || n%every == 0 }

// unchanged checks that the store is as it was before, which state has returned.
func (t *trial) unchanged(what string, before string) {
	t.Helper()
	if now := t.state(); now != before {
		t.Errorf("%s: the store has changed to\n%s\nfrom\n%s", what, now, before)
	}
}

// sweep removes everything that has ended at a time.
func (t *trial) sweep(now time.Time) {
	t.Helper()
	more, err := t.Sweep(t.Context(), now, 1000)
	t.ok(err)
	t.same("Sweep: more", more, false)
}

// setMeta stores a fact and replaces an older one. It may be called from several goroutines.
func (t *trial) setMeta(name string, value []byte) {
	t.Helper()
	for {
		old, err := t.Meta(t.Context(), name)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Meta %s: %v", name, err)
			return
		}
		if err = t.SwapMeta(t.Context(), name, old, value); err == nil {
			return
		} else if !errors.Is(err, store.ErrConflict) {
			t.Errorf("SwapMeta %s: %v", name, err)
			return
		}
	}
}

// isKey checks that a key is stored unchanged.
func (t *trial) isKey(want store.Key) {
	t.Helper()
	got, err := t.Key(t.Context(), want.ID)
	t.ok(err)
	t.same("Key "+want.ID, got, want)
	got, owner, err := t.KeyByHash(t.Context(), want.Hash)
	t.ok(err)
	t.same("KeyByHash "+want.ID, got, want)
	t.same("account of key "+want.ID, owner.ID, want.Account)
}

// noKey checks that a key does not exist.
func (t *trial) noKey(k store.Key) {
	t.Helper()
	_, err := t.Key(t.Context(), k.ID)
	t.fails("Key "+k.ID, err, store.ErrNotFound)
	_, _, err = t.KeyByHash(t.Context(), k.Hash)
	t.fails("KeyByHash "+k.ID, err, store.ErrNotFound)
}

// used checks the reserved units of an account in a month.
func (t *trial) used(account string, month store.Month, want uint64) {
	t.Helper()
	got, err := t.Usage(t.Context(), account, month)
	t.ok(err)
	if got != want {
		t.Errorf("Usage of %s in %d = %d, want %d", account, month, got, want)
	}
}

// ids returns the ids of keys.
func ids(list []store.Key) []string {
	var out []string
	for _, k := range list {
		out = append(out, k.ID)
	}
	return out
}

// noon is the reference time of the trials.
var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
