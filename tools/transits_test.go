package tools

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/stations"
	"leadline/internal/trials"
)

// TestTransitReplay checks that the best trip of each window, replayed at 10 s with the predicted
// current, keeps its limits to 0.02 kn and arrives at its minute.
func TestTransitReplay(t *testing.T) {
	s, ctx := newSet(t), caller(t)
	all := predictedCurrents(t, s)
	random := rand.New(rand.NewPCG(71, 1))
	windows := 0
	for range trials.Cases() / 10 {
		st := all[random.IntN(len(all))]
		in := currents.TransitsInput{
			StationOrPlace: place.StationOrPlace{Station: st.ID}, Distance: 0.1 + 3*random.Float64(),
			Speed: 2 + 8*random.Float64(), Direction: "with_flood", MaxCurrent: 0.5 + 2*random.Float64(),
			Limit: 200, Span: operation.Span{Begin: "2026-12-05", Range: 48},
		}
		sign := 1.0
		if random.IntN(2) == 0 {
			in.Direction, sign = "with_ebb", -1
		}
		out, err := s.Currents.Transits(ctx, in)
		if err != nil {
			t.Fatalf("%s: %v", st.ID, err)
		}
		predictor, _ := s.Stations.Currents(st)
		for _, w := range out.Windows {
			windows++
			const step = 10 * time.Second
			velocities := make([]float64, int(w.Best.Arrive.Sub(w.Best.Depart)/step)+1)
			predictor.Velocities(w.Best.Depart, step, velocities)
			gone, most, against := 0.0, 0.0, 0.0
			for i, v := range velocities {
				most, against = max(most, math.Abs(v)), max(against, -sign*v)
				if i > 0 {
					gone += (in.Speed + sign*(velocities[i-1]+v)/2) * step.Hours()
				}
			}
			if most > in.MaxCurrent+0.02 || against > *out.Limits.MaxAgainst+0.02 {
				t.Errorf("%s, %+v: current %v, against %v", st.ID, w.Best, most, against)
			}
			if reached := gone - in.Distance; reached < -0.01 || reached > (in.Speed+most)/60+0.01 {
				t.Errorf("%s, %+v: %v nmi in all of %v", st.ID, w.Best, gone, in.Distance)
			}
		}
	}
	if windows == 0 {
		t.Error("no windows")
	}
}

// TestTransitOfPoint checks that the departures of a pass without length are the minutes of slack
// windows with the same limit.
func TestTransitOfPoint(t *testing.T) {
	s, ctx := newSet(t), caller(t)
	for _, station := range []string{"PUG1701", "SFB1201", "ACT0091"} {
		span, at := operation.Span{Begin: "2026-12-01",
			End: "2026-12-07"}, place.StationOrPlace{Station: station}
		transits, err := s.Currents.Transits(ctx, currents.TransitsInput{
			StationOrPlace: at, Speed: 5, MaxCurrent: 1, Limit: 200, Span: span,
		})
		if err != nil {
			t.Fatal(err)
		}
		one := 1.0
		slacks, err := s.Currents.CurrentWindows(ctx, currents.CurrentWindowsInput{
			AtCurrentStation: currents.AtCurrentStation{StationOrPlace: at}, AtMost: &one, Phase: "any",
			Limit: 400, Span: span, InUnits: operation.InUnits{Units: "english"},
		})
		if err != nil {
			t.Fatal(err)
		}
		departures := map[int64]bool{}
		for _, w := range transits.Windows {
			for at := w.DepartFrom; !at.After(w.DepartTo); at = at.Add(time.Minute) {
				departures[at.Unix()/60] = true
			}
		}
		if want := minutesIn(slacks.Windows); len(want) == 0 || !reflect.DeepEqual(departures, want) {
			t.Errorf("%s: %d departures, want the %d minutes of slack", station, len(departures), len(want))
		}
	}
}

// TestTransitFaults checks requests without a result, and results without departures.
func TestTransitFaults(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		tool, args string
		code       coast.Code
		want       string
	}{
		{"leadline_plan_transit", `{"station":"PUG1701","distance":1,"speed":6}`,
			coast.InvalidRequest, "direction is required"},
		{"leadline_plan_transit", `{"station":"PUG1701","distance":1,"speed":6,"course":9,` +
			`"direction":"with_ebb"}`, coast.InvalidRequest, "exclude each other"},
		{"leadline_plan_transit", `{"station":"PUG1701","distance":1,"speed":0.1,"course":9}`,
			coast.InvalidRequest, "speed must be"},
		{"leadline_plan_transit", `{"station":"8443970","distance":1,"speed":6,"course":9}`,
			coast.ProductUnavailable, "is a tide station"},
		{"leadline_plan_transit", `{"station":"PUG1701","distance":1,"speed":6,"course":9,` +
			`"range":800}`, coast.RangeTooLong, "at most 31"},
		{"leadline_plan_route", `{"speed":6,"gates":[]}`, coast.InvalidRequest, "1 to 6 objects"},
		{"leadline_plan_route", `{"speed":6,"gates":[{"station":"PUG1701"},{"station":"XXX9999"}]}`,
			coast.StationNotFound, "Gate 2: No station"},
		{"leadline_plan_route", `{"speed":6,"gates":[{"station":"PUG1701","distance":2}]}`,
			coast.InvalidRequest, "gates/0/direction is required"},
		{"leadline_plan_transit", `{"station":"PUG1701","distance":5,"speed":1,"max_current":0.2,` +
			`"max_against":20,"direction":"with_ebb"}`, "", "the current is faster than a vessel of 1 kn"},
		{"leadline_plan_transit", `{"station":"PUG1701","distance":1,"speed":40,"max_current":20,` +
			`"direction":"with_ebb"}`, "", "Every minute of the span keeps the limits."},
	} {
		r, err := call(t, s, test.tool, test.args)
		text := ""
		if err != nil {
			text = err.Error()
		} else if body, _, err := r.Forms(1 << 20); err == nil {
			text = string(body)
		}
		if code(err) != test.code || !strings.Contains(text, test.want) {
			t.Errorf("%s: %v %.300q, want %s with %q", test.args, code(err), text, test.code, test.want)
		}
	}
}

// TestAcross checks that a current that the vessel may not hold its course in is named.
func TestAcross(t *testing.T) {
	s, ctx := newSet(t), caller(t)
	for speed, want := range map[float64]string{
		2: "the vessel may not hold the course.", 12: "is not subtracted from the speed of 12 kn.",
		20: "",
	} {
		course, distance := 11.5, 1.0
		got, err := s.Currents.Transits(ctx, currents.TransitsInput{
			StationOrPlace: place.StationOrPlace{Station: "PUG1701"}, Speed: speed, Distance: distance,
			Course: &course, MaxCurrent: 9, Limit: 200,
			Span: operation.Span{Begin: "2027-06-05", End: "2027-06-05"},
		})
		if err != nil || len(got.Windows) == 0 {
			t.Fatalf("%g kn: %d windows, %v", speed, len(got.Windows), err)
		}
		notes := strings.Join(got.Notes, "\n")
		if named := strings.Contains(notes, "other than the course"); named != (want != "") ||
			!strings.Contains(notes, want) {
			t.Errorf("%g kn: the notes are %q, want %q", speed, notes, want)
		}
	}
}

// TestWindowRange compares each row of transits and routes with the predicted current at each
// minute of its window, from the first entry to the end of the last trip.
func TestWindowRange(t *testing.T) {
	s, ctx := newSet(t), caller(t)
	all := predictedCurrents(t, s)
	random := rand.New(rand.NewPCG(73, 1))
	rows, mixed := 0, 0
	check := func(st stations.Station, sign float64, depart, until time.Time,
		r currents.CurrentRange) {
		t.Helper()
		rows++
		id := st.ID
		predictor, _ := s.Stations.Currents(st)
		velocities := make([]float64, int(r.To.Sub(r.From)/time.Minute)+1)
		predictor.Velocities(r.From, time.Minute, velocities)
		lowest, highest, most := math.Inf(1), math.Inf(-1), 0.0
		for _, v := range velocities {
			lowest, highest = min(lowest, sign*v), max(highest, sign*v)
			most = max(most, math.Abs(v))
		}
		if r.From.After(depart) || r.To.Before(until) {
			t.Errorf("%s: the range covers %v to %v, the departures %v to %v", id, r.From, r.To, depart,
				until)
		}
		const rounding = 0.0051
		if math.Abs(r.MaxCurrent-most) > rounding {
			t.Errorf("%s: at most %v, predicted %v", id, r.MaxCurrent, most)
		}
		if sign == 0 {
			lowest, highest = math.Inf(1), most
			for _, v := range velocities {
				lowest = min(lowest, math.Abs(v))
			}
		}
		if math.Abs(r.Lowest-lowest) > rounding || math.Abs(r.Highest-highest) > rounding {
			t.Errorf("%s: %v to %v kn, predicted %v to %v", id, r.Lowest, r.Highest, lowest, highest)
		}
		against, with := sign != 0 && r.Lowest < 0, sign != 0 && r.Highest > 0
		if strings.Contains(r.Text, "against") != against && r.Highest != 0 ||
			strings.Contains(r.Text, "with") != with && r.Lowest != 0 {
			t.Errorf("%s: %v to %v kn reads %q", id, r.Lowest, r.Highest, r.Text)
		}
		if against && with {
			mixed++
		}
	}
	signs := map[currents.TransitDirection]float64{"": 0, "with_flood": 1, "with_ebb": -1}
	directions := []currents.TransitDirection{"", "with_flood", "with_ebb"}
	for range trials.Cases() / 10 {
		st, other := all[random.IntN(len(all))], all[random.IntN(len(all))]
		way, speed := directions[random.IntN(3)], 2+8*random.Float64()
		distance := 0.0
		if way != "" {
			distance = 3 * random.Float64()
		}
		span := operation.Span{Begin: "2026-12-05", Range: 48}
		out, err := s.Currents.Transits(ctx,
			currents.TransitsInput{StationOrPlace: place.StationOrPlace{Station: st.ID},
				Distance: distance, Speed: speed, Direction: way, MaxCurrent: 0.5 + 3*random.Float64(),
				Limit: 200, Span: span})
		if err != nil {
			t.Fatalf("%s: %v", st.ID, err)
		}
		for _, w := range out.Windows {
			check(st, signs[way], w.DepartFrom, w.DepartTo, w.Current)
		}
		routes, err := s.Currents.Routes(ctx, currents.RoutesInput{Speed: speed, Limit: 200, Span: span,
			Gates: []currents.RouteGate{
				{Station: st.ID, Leg: 1, Distance: distance, Direction: way, MaxCurrent: 3},
				{Station: other.ID, Leg: 4, Distance: 1, Direction: "with_flood", MaxCurrent: 3},
			}})
		if err != nil {
			t.Fatalf("%s, %s: %v", st.ID, other.ID, err)
		}
		for _, w := range routes.Windows {
			legs := func(nmi float64) time.Duration {
				return time.Duration(nmi / speed * float64(time.Hour))
			}
			enter, last := w.DepartFrom.Add(legs(1)), w.DepartTo.Add(legs(1))
			check(st, signs[way], enter, last, w.Gates[0].Window)
			check(other, 1, w.Gates[1].Enter, w.Gates[1].Leave, w.Gates[1].Window)
			if w.Current.MaxCurrent < max(w.Gates[0].MaxCurrent, w.Gates[1].MaxCurrent) {
				t.Errorf("the row of %s, %s has at most %v kn", st.ID, other.ID, w.Current.MaxCurrent)
			}
		}
	}
	if rows == 0 || mixed == 0 {
		t.Errorf("%d rows, %d of them with current both ways", rows, mixed)
	}
}
