package nws

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func zoneNamed(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// textOf returns a segment with periods of these names.
func textOf(names string) Segment {
	var s Segment
	for name := range strings.SplitSeq(names, "; ") {
		s.Periods = append(s.Periods, Period{Name: name})
	}
	return s
}

// written formats each stretch as local days and hours, with a ? if the name is unknown.
func written(list []Stretch, zone *time.Location) string {
	var out []string
	for _, s := range list {
		text := s.From.In(zone).Format("Mon 15:04") + "-" + s.To.In(zone).Format("Mon 15:04")
		if !s.Known {
			text += "?"
		}
		out = append(out, strings.ReplaceAll(text, ":00", ""))
	}
	return strings.Join(out, "; ")
}

// TestTimes checks the times of names. November 19, 2026 is a Thursday.
func TestTimes(t *testing.T) {
	zone := zoneNamed(t, "America/New_York")
	for _, row := range []struct{ issued, names, want string }{
		// Days and nights, in any case, long and short.
		{"11-19 03:35", "TODAY; TONIGHT; FRI; FRI NIGHT; SAT",
			"Thu 03:35-Thu 18; Thu 18-Fri 06; Fri 06-Fri 18; Fri 18-Sat 06; Sat 06-Sat 18"},
		{"11-19 09:30", "Rest of Today; Tonight; Friday; Friday Night",
			"Thu 09:30-Thu 18; Thu 18-Fri 06; Fri 06-Fri 18; Fri 18-Sat 06"},
		{"11-19 15:40", "Tonight; Fri", "Thu 15:40-Fri 06; Fri 06-Fri 18"},
		{"11-19 13:00", "THIS AFTERNOON; TONIGHT", "Thu 13-Thu 18; Thu 18-Fri 06"},
		{"11-19 13:00", "REST OF THIS AFTERNOON; THIS EVENING; OVERNIGHT; FRI",
			"Thu 13-Thu 18; Thu 18-Fri 00; Fri 00-Fri 06; Fri 06-Fri 18"},
		{"11-19 13:00", "REST OF THE AFTERNOON; TONIGHT", "Thu 13-Thu 18; Thu 18-Fri 06"},
		{"11-19 16:10", "LATE THIS AFTERNOON; THIS EVENING; TONIGHT",
			"Thu 16:10-Thu 18; Thu 18-Fri 00; Fri 00-Fri 06"},
		{"11-19 07:00", "THIS MORNING; THIS AFTERNOON; TONIGHT",
			"Thu 07-Thu 12; Thu 12-Thu 18; Thu 18-Fri 06"},
		{"11-19 21:00", "REST OF TONIGHT; FRIDAY", "Thu 21-Fri 06; Fri 06-Fri 18"},
		{"11-19 22:00", "OVERNIGHT; FRIDAY; FRIDAY NIGHT", "Thu 22-Fri 06; Fri 06-Fri 18; Fri 18-Sat 06"},
		// After midnight the night has begun, and the day of the week is today.
		{"11-20 00:54", "TONIGHT; FRI; FRI NIGHT", "Fri 00:54-Fri 06; Fri 06-Fri 18; Fri 18-Sat 06"},
		{"11-20 02:00", "REST OF TONIGHT; TODAY; TONIGHT; SAT",
			"Fri 02-Fri 06; Fri 06-Fri 18; Fri 18-Sat 06; Sat 06-Sat 18"},
		{"11-20 02:00", "EARLY THIS MORNING; TODAY; TONIGHT",
			"Fri 02-Fri 06; Fri 06-Fri 18; Fri 18-Sat 06"},
		{"11-20 01:00", "OVERNIGHT; FRI", "Fri 01-Fri 06; Fri 06-Fri 18"},
		{"11-20 01:00", "THU NIGHT; FRI", "Fri 01-Fri 06; Fri 06-Fri 18"},
		{"11-20 00:54", "TODAY; TONIGHT; SAT", "Fri 00:54-Fri 18; Fri 18-Sat 06; Sat 06-Sat 18"},
		// Several days or nights.
		{"11-20 04:00", "SAT AND SAT NIGHT; SUN", "Fri 04-Sun 06; Sun 06-Sun 18"},
		{"11-20 04:00", "TODAY; TONIGHT; SATURDAY AND SATURDAY NIGHT; SUN NIGHT THROUGH MON NIGHT; TUE",
			"Fri 04-Fri 18; Fri 18-Sat 06; Sat 06-Sun 06; Sun 18-Tue 06; Tue 06-Tue 18"},
		{"11-20 04:00", "TODAY AND TONIGHT; SAT", "Fri 04-Sat 06; Sat 06-Sat 18"},
		{"11-20 16:00", "TONIGHT AND SATURDAY; SATURDAY NIGHT THROUGH MONDAY",
			"Fri 16-Sat 18; Sat 18-Mon 18"},
		{"11-20 16:00", "TONIGHT; SAT; SAT NIGHT AND SUN; MONDAY THROUGH TUESDAY NIGHT",
			"Fri 16-Sat 06; Sat 06-Sat 18; Sat 18-Mon 06; Mon 06-Wed 06"},
		{"11-20 16:00", "TONIGHT; SAT MORNING; SAT AFTERNOON AND EVENING",
			"Fri 16-Sat 06; Sat 06-Sat 12; Sat 12-Sun 00"},
		{"11-20 16:00", "TONIGHT; TOMORROW; TOMORROW NIGHT",
			"Fri 16-Sat 06; Sat 06-Sat 18; Sat 18-Sun 06"},
		{"11-20 16:00", "TONIGHT; SAT/SAT NIGHT; SUN-MON", "Fri 16-Sat 06; Sat 06-Sun 06; Sun 06-Tue 06"},
		// A day without a separate night includes it.
		{"11-20 16:00", "TONIGHT; SAT; SAT NIGHT; SUN; MON; TUE",
			"Fri 16-Sat 06; Sat 06-Sat 18; Sat 18-Sun 06; Sun 06-Mon 06; Mon 06-Tue 06; Tue 06-Wed 06"},
		{"11-20 16:00", "TONIGHT; SAT THROUGH MON; TUE", "Fri 16-Sat 06; Sat 06-Tue 06; Tue 06-Wed 06"},
		{"11-20 16:00", "TONIGHT; SAT THROUGH MON; MON NIGHT; TUE",
			"Fri 16-Sat 06; Sat 06-Mon 18; Mon 18-Tue 06; Tue 06-Tue 18"},
		{"11-20 16:00", "TONIGHT; SAT AND SUN", "Fri 16-Sat 06; Sat 06-Mon 06"},
		// hours that TODAY does not cover stay uncovered
		{"11-20 06:30", "TODAY; SAT", "Fri 06:30-Fri 18; Sat 06-Sat 18"},
		// A part within a period ends it.
		{"11-20 16:00", "TONIGHT; LATE TONIGHT; SAT; LATE SATURDAY; SAT NIGHT",
			"Fri 16-Sat 03; Sat 03-Sat 06; Sat 06-Sat 15; Sat 15-Sat 18; Sat 18-Sun 06"},
		{"11-20 16:00", "TONIGHT; OVERNIGHT; SUN", "Fri 16-Sat 00; Sat 00-Sat 06; Sun 06-Sun 18"},
		{"11-20 16:00", "TONIGHT; SAT; SAT NIGHT; LATE SAT NIGHT; SUN",
			"Fri 16-Sat 06; Sat 06-Sat 18; Sat 18-Sun 03; Sun 03-Sun 06; Sun 06-Sun 18"},
		{"11-20 16:00", "TONIGHT; SAT; SAT EVENING; SATURDAY OVERNIGHT",
			"Fri 16-Sat 06; Sat 06-Sat 18; Sat 18-Sun 00; Sun 00-Sun 06"},
		{"11-20 08:00", "TODAY; THIS AFTERNOON; TONIGHT", "Fri 08-Fri 12; Fri 12-Fri 18; Fri 18-Sat 06"},
		// Holidays. Thanksgiving is the 26th.
		{"11-25 04:00", "TODAY; TONIGHT; THANKSGIVING DAY; THANKSGIVING NIGHT; FRI",
			"Wed 04-Wed 18; Wed 18-Thu 06; Thu 06-Thu 18; Thu 18-Fri 06; Fri 06-Fri 18"},
		{"11-25 04:00", "TODAY; TONIGHT; Thanksgiving Day; Thursday Night; Friday",
			"Wed 04-Wed 18; Wed 18-Thu 06; Thu 06-Thu 18; Thu 18-Fri 06; Fri 06-Fri 18"},
		{"11-25 04:00", "TODAY; TONIGHT; THANKSGIVING DAY AND THURSDAY NIGHT; FRI",
			"Wed 04-Wed 18; Wed 18-Thu 06; Thu 06-Fri 06; Fri 06-Fri 18"},
		{"11-09 16:00", "TONIGHT; TUE; TUE NIGHT; VETERANS DAY; THU",
			"Mon 16-Tue 06; Tue 06-Tue 18; Tue 18-Wed 06; Wed 06-Thu 06; Thu 06-Fri 06"},
		{"12-23 16:00", "TONIGHT; CHRISTMAS EVE; CHRISTMAS EVE NIGHT; CHRISTMAS; CHRISTMAS NIGHT",
			"Wed 16-Thu 06; Thu 06-Thu 18; Thu 18-Fri 06; Fri 06-Fri 18; Fri 18-Sat 06"},
		{"12-30 16:00", "TONIGHT; NEW YEAR'S EVE; NEW YEARS EVE NIGHT; New Year’s Day; SAT",
			"Wed 16-Thu 06; Thu 06-Thu 18; Thu 18-Fri 06; Fri 06-Sat 06; Sat 06-Sun 06"},
		{"12-31 16:00", "TONIGHT; NEW YEAR'S DAY; NEW YEAR'S NIGHT",
			"Thu 16-Fri 06; Fri 06-Fri 18; Fri 18-Sat 06"},
		{"12-31 20:00", "NEW YEARS DAY; FRI NIGHT", "Thu 20-Fri 18; Fri 18-Sat 06"},
		// Unknown names are between their neighbors.
		{"11-20 04:00", "TODAY; MISCHIEF NIGHT; SAT", "Fri 04-Fri 18; Fri 18-Sat 06?; Sat 06-Sat 18"},
		{"11-20 04:00", "MISCHIEF; TONIGHT", "Fri 04-Fri 18?; Fri 18-Sat 06"},
		{"11-20 04:00", "TODAY; A; B; SAT", "Fri 04-Fri 18; Fri 18-Sat 06?; Fri 18-Sat 06?; Sat " +
			"06-Sat 18"},
		{"11-20 04:00", "TODAY; A; B", "Fri 04-Fri 18; Fri 18-Sat 06?; Sat 06-Sat 18?"},
		{"11-20 04:00", "TODAY; A; TONIGHT", "Fri 04-Fri 18; Fri 18-Sat 06?; Fri 18-Sat 06"},
		{"11-20 04:00", "A", "Fri 04-Fri 16?"},
		// the second SAT is an error
		{"11-20 16:00", "TONIGHT; SAT; SAT NIGHT; SAT; SUN NIGHT; MON",
			"Fri 16-Sat 06; Sat 06-Sat 18; Sat 18-Sun 06; Sun 06-Sun 18?; Sun 18-Mon 06; Mon 06-Mon 18"},
		{"11-20 16:00", "TONIGHT; SAT; SAT; SAT NIGHT",
			"Fri 16-Sat 06; Sat 06-Sat 18; Sat 18-Sun 06?; Sat 18-Sun 06"},
		// it was over before it was issued
		{"11-20 18:30", "REST OF TODAY; TONIGHT", "Fri 18:30-Sat 06:30?; Fri 18:30-Sat 06"},
		{"11-20 18:30", "FRI; FRI NIGHT", "Fri 18:30-Sat 06:30?; Fri 18:30-Sat 06"},
		{"11-20 16:00", "TONIGHT; WED", "Fri 16-Sat 06; Sat 06-Sat 18?"}, // a gap of four days
		{"11-20 16:00", "TONIGHT; SAT SUN; MON THROUGH MON",
			"Fri 16-Sat 06; Sat 06-Sat 18?; Sat 18-Sun 06?"},
		{"11-20 16:00", ";  ; AND; LATE; THIS; THROUGH SUN; THE DAY",
			"Fri 16-Sat 04?; Sat 04-Sat 16?; Sat 16-Sun 04?; Sun 04-Sun 16?; Sun 16-Mon 04?; Mon 04-Mon " +
				"16?; Mon 16-Tue 04?"},
	} {
		issued, err := time.ParseInLocation("2006-01-02 15:04", "2026-"+row.issued, zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(textOf(row.names).Times(issued.UTC(), zone), zone); got != row.want {
			t.Errorf("%s %s:\n got %s\nwant %s", row.issued, row.names, got, row.want)
		}
	}
}

// TestTimesAcrossTheClock checks that days have the same local hours when the clock changes. In
// 2026 it changes on March 8 and November 1, both Sundays.
func TestTimesAcrossTheClock(t *testing.T) {
	zone := zoneNamed(t, "America/Los_Angeles")
	for issued, want := range map[string][]string{
		// the night has 11 hours
		"2026-03-07T20:00:00Z": {"2026-03-07T20:00Z", "2026-03-08T02:00Z", "2026-03-08T13:00Z",
			"2026-03-09T01:00Z"},
		// and 13
		"2026-10-31T19:00:00Z": {"2026-10-31T19:00Z", "2026-11-01T01:00Z", "2026-11-01T14:00Z",
			"2026-11-02T02:00Z"},
	} {
		at, _ := time.Parse(time.RFC3339, issued)
		for i, s := range textOf("TODAY; TONIGHT; SUN").Times(at, zone) {
			form := "2006-01-02T15:04Z"
			if s.From.Format(form) != want[i] || s.To.Format(form) != want[i+1] ||
				s.From.Location() != time.UTC {
				t.Errorf("%s, period %d: %v, want %s to %s", issued, i, s, want[i], want[i+1])
			}
		}
	}
	if got := textOf("TODAY").Times(time.Date(2026, 3, 7, 10, 0, 0, 0, time.UTC), nil); written(
		got, time.UTC) != "Sat 10-Sat 18" {
		t.Errorf("without a zone: %v", got)
	}
	if got := (Segment{}).Times(time.Time{}, zone); len(got) != 0 {
		t.Errorf("without periods: %v", got)
	}
}

// recordedZones maps the offices whose recorded texts have periods to their time zones.
var recordedZones = map[string]string{
	"CWFBRO_GMZ130_20260925_tgftp_trimmed.txt": "America/Chicago",
	"CWFMTR_20260511_trimmed.txt":              "America/Los_Angeles",
	"CWFSGX_20260926_trimmed.txt":              "America/Los_Angeles",
	"CWF_CWF_twoheadline.txt":                  "America/Anchorage",
	"SRFOKX_20260817_trimmed.txt":              "America/New_York",
}

// TestRecordedTimes checks the times of the longest segment of each recorded text, and the rules
// that apply to all texts.
func TestRecordedTimes(t *testing.T) {
	longest := map[string]string{
		"CWFBRO_GMZ130_20260925_tgftp_trimmed.txt": "Fri 02:09-Fri 18; Fri 18-Sat 06; Sat 06-Sat 18; " +
			"Sat 18-Sun 06; Sun 06-Sun 18",
		"CWFMTR_20260511_trimmed.txt": "Mon 09:02-Mon 18; Mon 18-Tue 06; Tue 06-Tue 18",
		"CWFSGX_20260926_trimmed.txt": "Sat 14:43-Sun 06; Sun 06-Sun 18; Sun 18-Mon 06",
		"CWF_CWF_twoheadline.txt": "Fri 00:54-Fri 18; Fri 18-Sat 06; Sat 06-Sat 18; " +
			"Sat 18-Sun 06; Sun 06-Sun 18; Sun 18-Mon 06; Mon 06-Tue 06; Tue 06-Wed 06",
		"SRFOKX_20260817_trimmed.txt": "Mon 20:04-Tue 18",
	}
	for name, product := range recorded(t, "text-products", func(string) bool { return true }) {
		issued, _ := time.Parse(time.RFC3339, issues[name])
		b, err := ParseBulletin(product, issued)
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for _, s := range b.Segments {
			if len(s.Periods) == 0 {
				continue // a synopsis, or a message without a forecast
			}
			zone := zoneNamed(t, recordedZones[name])
			list := s.Times(issued, zone)
			orderly(t, name, s, list, issued)
			if len(list) > most {
				most = len(list)
				if got := written(list, zone); got != longest[name] {
					t.Errorf("%s:\n got %s\nwant %s", name, got, longest[name])
				}
			}
		}
	}
}

// orderly checks that all names of a text are known. Its periods must begin at the issue and
// follow each other without a gap, for at most eight days.
func orderly(t *testing.T, name string, s Segment, list []Stretch, issued time.Time) {
	t.Helper()
	from := issued
	for i, p := range list {
		if !p.Known || !p.From.Equal(from) || !p.To.After(p.From) || p.To.Sub(issued) > maxAhead {
			t.Errorf("%s: %s from %v to %v (known: %v), want it from %v", name, s.Periods[i].Name, p.From,
				p.To, p.Known, from)
		}
		from = p.To
	}
}

// TestReadName checks the terms of names.
func TestReadName(t *testing.T) {
	for name, want := range map[string][]term{
		"Sat":                            {{6, 6, 18}},
		"TUES NIGHT":                     {{2, 18, 30}},
		"THURSDAY EVENING":               {{4, 18, 24}},
		"MARTIN LUTHER KING JR DAY":      {{anyDay, 6, 18}},
		"JUNETEENTH AND FRI NIGHT":       {{anyDay, 6, 18}, {5, 18, 30}},
		"LATE NEW YEAR'S EVE":            {{anyDay, 15, 18}},
		"WASHINGTON'S BIRTHDAY NIGHT":    {{anyDay, 18, 30}},
		"EARLY SUN MORNING":              {{0, 0, 6}},
		"LATE SUN MORNING":               {{0, 9, 12}},
		"EARLY THIS EVENING":             {{thisDay, 18, 21}},
		"REMAINDER OF TODAY":             {{thisDay, 6, 18}},
		"MON THRU WED":                   {{1, 6, 18}, {3, 6, 18}},
		"SAT AND SAT NIGHT THROUGH MON.": {{6, 6, 18}, {6, 18, 30}, {1, 6, 18}},
		"MONTH":                          nil,
		"SU":                             nil,
		"SAT SAT":                        nil,
		"SAT NIGHT EVENING":              nil,
		"EARLY":                          nil,
		"SAT AND":                        nil,
		"DAY":                            nil,
		"":                               nil,
	} {
		if got := readName(name); !slices.Equal(got, want) {
			t.Errorf("readName(%q) = %v, want %v", name, got, want)
		}
	}
}

func FuzzTimes(f *testing.F) {
	f.Add("TODAY; TONIGHT; SAT; SAT NIGHT; SUN AND SUN NIGHT; MON THROUGH WED", int64(1795000000),
		"America/New_York")
	f.Add("REST OF TONIGHT; NEW YEAR'S DAY; A; ; LATE SUNDAY; THU/FRI; TODAY", int64(0),
		"Pacific/Apia")
	f.Add("A; B; OVERNIGHT; EARLY THIS MORNING; TOMORROW", int64(-62135596800), "Asia/Kathmandu")
	f.Fuzz(func(t *testing.T, names string, seconds int64, where string) {
		zone, err := time.LoadLocation(where)
		if err != nil {
			zone = nil
		}
		issued := time.Unix(seconds, 0)
		s := textOf(names)
		list := s.Times(issued, zone)
		if len(list) != len(s.Periods) {
			t.Fatalf("%d times of %d periods", len(list), len(s.Periods))
		}
		if seconds > 1<<33 || seconds < -1<<37 {
			return // unlimited years: it only has to return
		}
		var before Stretch // the last known one
		for i, p := range list {
			if i == 0 && !p.From.Equal(issued) || p.From.Before(issued) || !p.To.After(p.From) ||
				p.To.Sub(issued) > maxAhead+halfDay {
				t.Errorf("period %d: %v, issued %v", i, p, issued)
			}
			if p.Known {
				if before.Known && p.From.Before(before.To) {
					t.Errorf("period %d: %v overlaps %v", i, p, before)
				}
				before = p
			}
		}
	})
}
