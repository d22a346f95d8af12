package telegram

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"leadline/internal/trials"
)

var eastern = time.FixedZone("", -5*3600)

func at(day, hour, minute int) time.Time {
	return time.Date(2026, 11, day, hour, minute, 0, 0, eastern)
}

// pacific is an offset of clocks.
var pacific = -8 * time.Hour

// example is a made-up message that shows every form of a word.
var example = Message{
	Station: "8443970", Unit: Feet, Datum: "MLLW", Offset: -5 * time.Hour,
	Days: []Day{
		{Date: at(22, 0, 0),
			Events: []Event{{true, at(22, 7, 19), 9.3}, {false, at(22, 13, 34), 0.4}}},
		{Date: at(23, 0, 0), Clocks: &pacific},
		{Date: at(24, 0, 0), Events: []Event{{false, at(24, 0, 0), -1.2}, {true, at(24, 23, 59), 10}}},
	},
}

const exampleText = "8443970 FT MLLW -0500 22NOV H0719 9.3 L1334 0.4 23NOV CLOCKS -0800 NONE " +
	"24NOV L0000 -1.2 H2359 10.0 NOAA PRED NOT FOR NAV"

func TestWrite(t *testing.T) {
	if got, err := Write(example); got != exampleText || err != nil {
		t.Errorf("Write = %q, %v, want %q", got, err, exampleText)
	}
}

func TestRead(t *testing.T) {
	for _, near := range []time.Time{at(22, 0, 0), at(24, 0, 0).AddDate(0, 5, 0), at(1, 0, 0).UTC()} {
		got, err := Read(exampleText, near)
		if err != nil || !same(got, example) {
			t.Errorf("Read near %s = %+v, %v, want %+v", near, got, err, example)
		}
	}
}

// same compares messages by what they mean; two fixed zones of one offset are never deeply equal.
func same(a, b Message) bool { return reflect.DeepEqual(inUTC(a), inUTC(b)) }

func inUTC(m Message) Message {
	days := make([]Day, len(m.Days))
	for i, d := range m.Days {
		days[i].Date, days[i].Clocks = d.Date.UTC(), d.Clocks
		for _, e := range d.Events {
			e.Time = e.Time.UTC()
			days[i].Events = append(days[i].Events, e)
		}
	}
	m.Days = days
	return m
}

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		unit   string
		height float64
		want   string
	}{
		{Feet, 9.34, "9.3"}, {Feet, 9.36, "9.4"}, {Feet, -0.04, "0.0"}, {Feet, -0.06, "-0.1"},
		{Meters, 1.236, "1.24"}, {Meters, -0.004, "0.00"}, {Meters, -0.25, "-0.25"},
	} {
		if got := height(c.height, c.unit); got != c.want {
			t.Errorf("height(%v, %s) = %s, want %s", c.height, c.unit, got, c.want)
		}
	}
}

// TestYear checks which year is meant, at New Year and for a day that not every year has.
func TestYear(t *testing.T) {
	for _, c := range []struct{ day, near, want string }{
		{"31DEC", "2027-01-02", "2026-12-31"},
		{"01JAN", "2026-12-30", "2027-01-01"},
		{"30JUN", "2026-12-30", "2027-06-30"},
		{"29FEB", "2027-03-01", "2028-02-29"},
		{"29FEB", "2100-02-20", "2096-02-29"},
	} {
		near, err := time.Parse(time.DateOnly, c.near)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Read("1 M MLLW +0000 "+c.day+" NONE NOAA PRED NOT FOR NAV", near)
		if err != nil || m.Days[0].Date.Format(time.DateOnly) != c.want {
			t.Errorf("%s near %s = %v, %v, want %s", c.day, c.near, m.Days, err, c.want)
		}
	}
}

func TestTooLong(t *testing.T) {
	m := example
	for len(m.Days) < 8 {
		m.Days = append(m.Days, m.Days[0])
	}
	if text, err := Write(m); text != "" || !errors.Is(err, ErrTooLong) {
		t.Errorf("Write = %q, %v, want ErrTooLong", text, err)
	}
}

func TestReadFaults(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{" NOT FOR NAV", "", "is no tide telegram"},
		{" FT ", " FM ", "is no unit"},
		{"-0500", "-05:00", "is no offset"},
		{"22NOV", "31NOV", "is no day"},
		{"22NOV", "X", "is no day"},
		{"22NOV", "22nov", "not as a writer makes it"},
		{" NONE", "", "neither events nor"}, {"CLOCKS -0800", "CLOCKS 0800", "is no offset"},
		{"23NOV", "25NOV", "does not follow"},
		{"H0719", "H2460", "is no event"},
		{"9.3 ", "9.33 ", "is no height"},
		{"9.3 ", "", "is no height"},
		{"9.3 ", "+9.3 ", "not as a writer makes it"},
		{" 10.0", "", "is missing"},
		{" FT ", " FT  ", "is no offset"},
	} {
		text := strings.Replace(exampleText, c.old, c.new, 1)
		_, err := Read(text, at(22, 0, 0))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Read(%q) = %v, want an error with %q", text, err, c.want)
		}
	}
}

// TestRoundTrip checks that what was written is read back, for random messages.
func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	fits := 0
	for range 10 * trials.Cases() {
		m := anyMessage(random)
		text, err := Write(m)
		if errors.Is(err, ErrTooLong) {
			continue
		}
		fits++
		near := m.Days[0].Date.Add(time.Duration(random.IntN(300)-150) * 24 * time.Hour)
		if got, err := Read(text, near); err != nil || !same(got, m) {
			t.Fatalf("Read(%q) = %+v, %v, want %+v", text, got, err, m)
		}
	}
	if fits == 0 {
		t.Error("no message fits")
	}
}

func anyMessage(random *rand.Rand) Message {
	m := Message{
		Station: []string{"8443970", "TWC0405"}[random.IntN(2)], Datum: "MLLW", Unit: Feet,
		Offset: time.Duration(random.IntN(26*60)-12*60) * time.Minute,
	}
	scale := 10.0
	if random.IntN(2) == 0 {
		m.Unit, scale = Meters, 100
	}
	zone := time.FixedZone("", int(m.Offset/time.Second))
	date := time.Date(2020+random.IntN(80), 1, 1+random.IntN(366), 0, 0, 0, 0, zone)
	for range 1 + random.IntN(3) {
		d := Day{Date: date}
		if random.IntN(4) == 0 {
			changed := time.Duration(random.IntN(26*60)-12*60) * time.Minute
			d.Clocks = &changed
		}
		for minute := random.IntN(1440); minute < 1440 && len(d.Events) < 5; {
			d.Events = append(d.Events, Event{
				random.IntN(2) == 0, date.Add(time.Duration(minute) * time.Minute),
				float64(random.IntN(5000)-800) / scale,
			})
			minute += random.IntN(600)
		}
		m.Days, date = append(m.Days, d), date.AddDate(0, 0, 1)
	}
	return m
}

// FuzzRead checks that what is read is written as the same text.
func FuzzRead(f *testing.F) {
	f.Add(exampleText)
	f.Add("1 M MLLW -0800 14MAR CLOCKS -0700 NONE NOAA PRED NOT FOR NAV")
	f.Add("1 M IGLD +0000 29FEB NONE NOAA PRED NOT FOR NAV")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(text, at(22, 0, 0))
		if err != nil {
			return
		}
		if again, err := Write(m); again != text || err != nil {
			t.Errorf("Write(Read(%q)) = %q, %v", text, again, err)
		}
	})
}
