package sky

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// dayCase is one civil day with its events: + for a rise or dawn, - for a set or dusk, or
// a state. All values were computed with the npm package astronomy-engine 2.1.19, to a
// tenth of a second.
type dayCase struct {
	name   string
	place  Place
	from   string
	hours  int
	within float64 // seconds; 0 means 2, more where the body only grazes the line

	sun, civil, nautical, astronomical, goldenUpper, goldenLower, moon string
	noon, transit                                                      string
}

func (c dayCase) span(t *testing.T) (from, to time.Time) {
	from = parse(t, c.from)
	return from, from.Add(time.Duration(c.hours) * time.Hour)
}

func parse(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func (c dayCase) tolerance() time.Duration {
	if c.within == 0 {
		return 2 * time.Second
	}
	return time.Duration(c.within) * time.Second
}

func TestDays(t *testing.T) {
	for _, c := range dayCases {
		t.Run(c.name, func(t *testing.T) {
			from, to := c.span(t)
			day, moon := Sun(c.place, from, to), MoonTimes(c.place, from, to)
			c.crossing(t, "sun", day.Sun, c.sun)
			c.crossing(t, "civil", day.Civil, c.civil)
			c.crossing(t, "nautical", day.Nautical, c.nautical)
			c.crossing(t, "astronomical", day.Astronomical, c.astronomical)
			c.crossing(t, "golden upper", day.GoldenUpper, c.goldenUpper)
			c.crossing(t, "golden lower", day.GoldenLower, c.goldenLower)
			c.crossing(t, "moon", moon.Moon, c.moon)
			c.times(t, "noon", day.Noon, strings.Fields(c.noon))
			c.times(t, "transit", moon.Transit, strings.Fields(c.transit))
		})
	}
}

// crossing compares a Crossing with its text form.
func (c dayCase) crossing(t *testing.T, kind string, got Crossing, want string) {
	t.Helper()
	var state State
	var rise, set []string
	for _, word := range strings.Fields(want) {
		switch {
		case word[0] == '+':
			rise = append(rise, word[1:])
		case word[0] == '-':
			set = append(set, word[1:])
		default:
			state = State(word)
		}
	}
	if got.State != state {
		t.Errorf("%s: state %q, want %q", kind, got.State, state)
	}
	c.times(t, kind+" rise", got.Rise, rise)
	c.times(t, kind+" set", got.Set, set)
}

func (c dayCase) times(t *testing.T, kind string, got []time.Time, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %v, want %v", kind, got, want)
		return
	}
	for n := range got {
		if d := got[n].Sub(parse(t, want[n])).Abs(); d > c.tolerance() {
			t.Errorf("%s: got %v, want %v within %v", kind, got[n], want[n], c.tolerance())
		}
	}
}

// TestDayLength checks the length of the day against the table's own events.
func TestDayLength(t *testing.T) {
	for _, c := range dayCases {
		from, to := c.span(t)
		got, want := Sun(c.place, from, to).DayLength, lengthOf(t, c.sun, from, to)
		if d := (got - want).Abs(); d > 2*c.tolerance() {
			t.Errorf("%s: day length %v, want %v", c.name, got, want)
		}
	}
}

// lengthOf parses the events and sums the intervals above the threshold.
func lengthOf(t *testing.T, events string, from, to time.Time) time.Duration {
	sum, since, up := time.Duration(0), from, events[0] == '-' || events == string(AlwaysUp)
	for _, word := range strings.Fields(events) {
		if word[0] == 'a' {
			break
		}
		at := parse(t, word[1:])
		if up {
			sum += at.Sub(since)
		}
		since, up = at, word[0] == '+'
	}
	if up {
		sum += to.Sub(since)
	}
	return sum
}

// TestDateLine checks that longitudes 180 and -180 have the same events.
func TestDateLine(t *testing.T) {
	from := time.Date(2031, 3, 4, 12, 0, 0, 0, time.UTC)
	for _, latitude := range []float64{-90, -51, 0, 66, 90} {
		east, west := Sun(Place{latitude, 180}, from, from.Add(24*time.Hour)),
			Sun(Place{latitude, -180}, from, from.Add(24*time.Hour))
		near := func(a, b time.Time) bool { return a.Sub(b).Abs() <= time.Millisecond }
		if !slices.EqualFunc(east.Sun.Rise, west.Sun.Rise, near) ||
			!slices.EqualFunc(east.Noon, west.Noon, near) {
			t.Errorf("latitude %v: %v at +180, %v at -180", latitude, east, west)
		}
	}
}

var dayCases = []dayCase{
	{
		name: "New York, summer solstice", place: Place{40.7, -74}, from: "2026-06-21T04:00:00Z",
		hours: 24,
		sun:   "+2026-06-21T09:25:04.2Z -2026-06-22T00:30:38.6Z", noon: "2026-06-21T16:57:51.6Z",
		civil:        "+2026-06-21T08:51:37.4Z -2026-06-22T01:04:05.4Z",
		nautical:     "+2026-06-21T08:08:58.5Z -2026-06-22T01:46:44.1Z",
		astronomical: "+2026-06-21T07:18:35.6Z -2026-06-22T02:37:06.7Z",
		goldenUpper:  "+2026-06-21T10:06:21.7Z -2026-06-21T23:49:21.3Z",
		goldenLower:  "+2026-06-21T09:04:50.5Z -2026-06-22T00:50:52.3Z",
		moon:         "-2026-06-21T04:29:21.9Z +2026-06-21T16:49:29.7Z",
		transit:      "2026-06-21T22:55:22.5Z",
	},
	{
		name: "New York, the day that loses an hour", place: Place{40.7, -74},
		from: "2026-03-08T05:00:00Z", hours: 23,
		sun: "+2026-03-08T11:18:50.4Z -2026-03-08T22:55:10.0Z", noon: "2026-03-08T17:06:40.6Z",
		civil:        "+2026-03-08T10:51:33.9Z -2026-03-08T23:22:29.2Z",
		nautical:     "+2026-03-08T10:19:55.3Z -2026-03-08T23:54:11.5Z",
		astronomical: "+2026-03-08T09:48:04.4Z -2026-03-09T00:26:07.4Z",
		goldenUpper:  "+2026-03-08T11:55:17.2Z -2026-03-08T22:18:40.4Z",
		goldenLower:  "+2026-03-08T11:02:06.7Z -2026-03-08T23:11:55.2Z",
		moon:         "-2026-03-08T13:22:40.9Z", transit: "2026-03-08T08:33:47.7Z",
	},
	{
		name: "New York, the day that gains an hour", place: Place{40.7, -74},
		from: "2026-11-01T04:00:00Z", hours: 25,
		sun: "+2026-11-01T11:26:23.5Z -2026-11-01T21:52:14.0Z", noon: "2026-11-01T16:39:34.2Z",
		civil:        "+2026-11-01T10:57:58.6Z -2026-11-01T22:20:37.9Z",
		nautical:     "+2026-11-01T10:25:38.5Z -2026-11-01T22:52:56.5Z",
		astronomical: "+2026-11-01T09:53:45.2Z -2026-11-01T23:24:47.9Z",
		goldenUpper:  "+2026-11-01T12:05:16.5Z -2026-11-01T21:13:22.2Z",
		goldenLower:  "+2026-11-01T11:08:54.2Z -2026-11-01T22:09:42.8Z",
		moon:         "-2026-11-01T18:06:58.5Z +2026-11-02T04:13:59.2Z",
		transit:      "2026-11-01T10:39:10.9Z",
	},
	{
		name: "New York, no moonrise", place: Place{40.7, -74}, from: "2026-05-05T04:00:00Z", hours: 24,
		sun: "+2026-05-05T09:49:38.7Z -2026-05-05T23:56:19.0Z", noon: "2026-05-05T16:52:39.3Z",
		civil:        "+2026-05-05T09:19:33.8Z -2026-05-06T00:26:30.3Z",
		nautical:     "+2026-05-05T08:42:43.2Z -2026-05-06T01:03:31.4Z",
		astronomical: "+2026-05-05T08:02:34.1Z -2026-05-06T01:43:56.7Z",
		goldenUpper:  "+2026-05-05T10:27:51.0Z -2026-05-05T23:18:00.2Z",
		goldenLower:  "+2026-05-05T09:31:21.0Z -2026-05-06T00:14:40.4Z",
		moon:         "-2026-05-05T11:56:30.9Z", transit: "2026-05-05T07:37:35.8Z",
	},
	{
		name: "New York, no moonset", place: Place{40.7, -74}, from: "2026-05-20T04:00:00Z", hours: 24,
		sun: "+2026-05-20T09:34:33.0Z -2026-05-21T00:11:03.2Z", noon: "2026-05-20T16:52:32.4Z",
		civil:        "+2026-05-20T09:02:58.1Z -2026-05-21T00:42:44.2Z",
		nautical:     "+2026-05-20T08:23:35.5Z -2026-05-21T01:22:17.0Z",
		astronomical: "+2026-05-20T07:39:14.7Z -2026-05-21T02:06:55.2Z",
		goldenUpper:  "+2026-05-20T10:14:08.4Z -2026-05-20T23:31:22.1Z",
		goldenLower:  "+2026-05-20T09:15:23.5Z -2026-05-21T00:30:16.2Z",
		moon:         "+2026-05-20T13:05:52.3Z", transit: "2026-05-20T20:58:40.2Z",
	},
	{
		name: "New York, the moon does not cross the meridian", place: Place{40.7, -74},
		from: "2026-05-30T04:00:00Z", hours: 24,
		sun: "+2026-05-30T09:28:01.3Z -2026-05-31T00:19:30.8Z", noon: "2026-05-30T16:53:34.4Z",
		civil:        "+2026-05-30T08:55:32.5Z -2026-05-31T00:52:04.5Z",
		nautical:     "+2026-05-30T08:14:36.5Z -2026-05-31T01:33:08.9Z",
		astronomical: "+2026-05-30T07:27:29.5Z -2026-05-31T02:20:31.2Z",
		goldenUpper:  "+2026-05-30T10:08:26.1Z -2026-05-30T23:39:01.5Z",
		goldenLower:  "+2026-05-30T09:08:20.8Z -2026-05-31T00:39:14.1Z",
		moon:         "-2026-05-30T08:29:08.6Z +2026-05-31T00:13:46.6Z", transit: "",
	},
	{
		name: "Sydney, summer", place: Place{-33.86, 151.21}, from: "2026-12-20T13:00:00Z", hours: 24,
		sun: "+2026-12-20T18:40:38.7Z -2026-12-21T09:05:23.9Z", noon: "2026-12-21T01:53:00.9Z",
		civil:        "+2026-12-20T18:11:30.6Z -2026-12-21T09:34:32.2Z",
		nautical:     "+2026-12-20T17:35:37.1Z -2026-12-21T10:10:26.0Z",
		astronomical: "+2026-12-20T16:56:18.0Z -2026-12-21T10:49:45.4Z",
		goldenUpper:  "+2026-12-20T19:17:32.7Z -2026-12-21T08:28:29.7Z",
		goldenLower:  "+2026-12-20T18:22:57.3Z -2026-12-21T09:23:05.4Z",
		moon:         "-2026-12-20T15:29:23.6Z +2026-12-21T06:05:49.1Z",
		transit:      "2026-12-21T11:12:05.3Z",
	},
	{
		name: "Ushuaia, winter", place: Place{-54.8, -68.3}, from: "2026-06-21T03:00:00Z", hours: 24,
		sun: "+2026-06-21T12:58:53.0Z -2026-06-21T20:11:14.2Z", noon: "2026-06-21T16:35:03.4Z",
		civil:        "+2026-06-21T12:13:35.9Z -2026-06-21T20:56:31.4Z",
		nautical:     "+2026-06-21T11:26:12.1Z -2026-06-21T21:43:55.0Z",
		astronomical: "+2026-06-21T10:41:57.5Z -2026-06-21T22:28:09.8Z",
		goldenUpper:  "+2026-06-21T14:12:18.8Z -2026-06-21T18:57:48.4Z",
		goldenLower:  "+2026-06-21T12:30:28.7Z -2026-06-21T20:39:38.5Z",
		moon:         "-2026-06-21T03:46:07.4Z +2026-06-21T16:16:01.7Z",
		transit:      "2026-06-21T22:31:54.0Z",
	},
	{
		name: "Quito, on the equator, 1950", place: Place{0, -78.5}, from: "1950-03-21T05:00:00Z",
		hours: 24,
		sun:   "+1950-03-21T11:18:04.3Z -1950-03-21T23:24:34.5Z", noon: "1950-03-21T17:21:19.4Z",
		civil:        "+1950-03-21T10:57:24.8Z -1950-03-21T23:45:14.1Z",
		nautical:     "+1950-03-21T10:33:25.1Z -1950-03-22T00:09:13.8Z",
		astronomical: "+1950-03-21T10:09:25.3Z -1950-03-22T00:33:13.6Z",
		goldenUpper:  "+1950-03-21T11:45:24.2Z -1950-03-21T22:57:14.6Z",
		goldenLower:  "+1950-03-21T11:05:24.7Z -1950-03-21T23:37:14.2Z",
		moon:         "+1950-03-21T13:17:53.0Z -1950-03-22T01:38:10.0Z",
		transit:      "1950-03-21T19:27:57.6Z",
	},
	{
		name: "London, first day of 1900", place: Place{51.5, 0}, from: "1900-01-01T00:00:00Z", hours: 24,
		sun: "+1900-01-01T08:06:01.1Z -1900-01-01T16:01:30.5Z", noon: "1900-01-01T12:03:40.2Z",
		civil:        "+1900-01-01T07:26:04.7Z -1900-01-01T16:41:27.1Z",
		nautical:     "+1900-01-01T06:43:08.6Z -1900-01-01T17:24:23.7Z",
		astronomical: "+1900-01-01T06:02:29.6Z -1900-01-01T18:05:03.2Z",
		goldenUpper:  "+1900-01-01T09:06:51.1Z -1900-01-01T15:00:40.2Z",
		goldenLower:  "+1900-01-01T07:41:08.4Z -1900-01-01T16:26:23.4Z",
		moon:         "+1900-01-01T07:50:09.0Z -1900-01-01T16:12:25.1Z",
		transit:      "1900-01-01T11:58:32.0Z",
	},
	{
		name: "Honolulu, last day of 2100", place: Place{21.3, -157.86}, from: "2100-12-31T10:00:00Z",
		hours: 24,
		sun:   "+2100-12-31T17:08:38.2Z -2101-01-01T04:00:25.7Z", noon: "2100-12-31T22:34:30.0Z",
		civil:        "+2100-12-31T16:44:28.2Z -2101-01-01T04:24:35.4Z",
		nautical:     "+2100-12-31T16:16:48.4Z -2101-01-01T04:52:15.1Z",
		astronomical: "+2100-12-31T15:49:30.1Z -2101-01-01T05:19:33.1Z",
		goldenUpper:  "+2100-12-31T17:41:18.8Z -2101-01-01T03:27:45.3Z",
		goldenLower:  "+2100-12-31T16:53:47.2Z -2101-01-01T04:15:16.4Z",
		moon:         "+2100-12-31T18:03:38.2Z -2101-01-01T05:07:33.3Z",
		transit:      "2100-12-31T23:34:05.5Z",
	},
	{
		name: "Sitka, 1912", place: Place{57.05, -135.33}, from: "1912-09-10T09:00:00Z", hours: 24,
		sun: "+1912-09-10T14:21:23.0Z -1912-09-11T03:33:39.7Z", noon: "1912-09-10T20:58:10.9Z",
		civil:        "+1912-09-10T13:42:00.9Z -1912-09-11T04:12:49.5Z",
		nautical:     "+1912-09-10T12:53:32.9Z -1912-09-11T05:00:55.6Z",
		astronomical: "+1912-09-10T11:59:02.8Z -1912-09-11T05:54:46.0Z",
		goldenUpper:  "+1912-09-10T15:11:58.0Z -1912-09-11T02:43:16.4Z",
		goldenLower:  "+1912-09-10T13:57:25.8Z -1912-09-11T03:57:29.8Z",
		moon:         "+1912-09-10T13:24:11.6Z -1912-09-11T03:42:14.0Z",
		transit:      "1912-09-10T20:47:03.2Z",
	},
	{
		name: "Kodiak, 1941, across a joint of delta-T", place: Place{57.79, -152.41},
		from: "1940-12-31T10:00:00Z", hours: 24,
		sun: "+1940-12-31T18:53:57.4Z -1941-01-01T01:32:10.6Z", noon: "1940-12-31T22:12:57.7Z",
		civil:        "+1940-12-31T18:03:13.2Z -1941-01-01T02:22:55.2Z",
		nautical:     "+1940-12-31T17:11:19.4Z -1941-01-01T03:14:49.7Z",
		astronomical: "+1940-12-31T16:23:26.5Z -1941-01-01T04:02:43.4Z",
		goldenUpper:  "+1940-12-31T20:23:58.6Z -1941-01-01T00:02:08.9Z",
		goldenLower:  "+1940-12-31T18:21:58.5Z -1941-01-01T02:04:09.7Z",
		moon:         "+1940-12-31T20:03:08.0Z -1941-01-01T05:49:48.2Z",
		transit:      "1941-01-01T00:51:45.4Z",
	},
	{
		name: "Tromso, polar day", place: Place{69.65, 18.96}, from: "2026-06-20T23:00:00Z", hours: 24,
		sun: "always_up", noon: "2026-06-21T10:45:57.9Z",
		civil:        "always_up",
		nautical:     "always_up",
		astronomical: "always_up",
		goldenUpper:  "+2026-06-21T00:56:51.5Z -2026-06-21T20:35:03.5Z",
		goldenLower:  "always_up",
		moon:         "+2026-06-21T10:17:48.2Z -2026-06-21T22:13:37.8Z",
		transit:      "2026-06-21T16:32:30.0Z",
	},
	{
		name: "Tromso, polar night", place: Place{69.65, 18.96}, from: "2026-12-20T23:00:00Z", hours: 24,
		sun: "always_down", noon: "2026-12-21T10:42:11.9Z",
		civil:        "+2026-12-21T08:31:15.3Z -2026-12-21T12:53:07.6Z",
		nautical:     "+2026-12-21T06:46:42.4Z -2026-12-21T14:37:40.4Z",
		astronomical: "+2026-12-21T05:28:19.1Z -2026-12-21T15:56:03.7Z",
		goldenUpper:  "always_down",
		goldenLower:  "+2026-12-21T09:29:35.6Z -2026-12-21T11:54:47.3Z",
		moon:         "always_up", transit: "2026-12-21T20:23:33.5Z",
	},
	{
		name: "McMurdo, polar day", place: Place{-77.85, 166.67}, from: "2026-12-20T11:00:00Z", hours: 24,
		sun: "always_up", noon: "2026-12-21T00:51:09.3Z",
		civil:        "always_up",
		nautical:     "always_up",
		astronomical: "always_up",
		goldenUpper:  "always_up",
		goldenLower:  "always_up",
		moon:         "always_down", transit: "2026-12-21T10:07:40.5Z",
	},
	{
		name:  "the last night before the polar day, under an hour, latitude 71.16",
		place: Place{71.16, -156.79}, from: "2026-05-11T09:00:00Z", hours: 24, within: 10,
		sun: "-2026-05-11T10:02:10.0Z +2026-05-11T10:43:48.1Z", noon: "2026-05-11T22:23:30.2Z",
		civil:        "always_up",
		nautical:     "always_up",
		astronomical: "always_up",
		goldenUpper:  "+2026-05-11T13:53:00.5Z -2026-05-12T06:56:51.6Z",
		goldenLower:  "always_up",
		moon:         "+2026-05-11T13:26:02.1Z -2026-05-11T23:18:23.7Z",
		transit:      "2026-05-11T18:06:03.0Z",
	},
	{
		name:  "the first night after the polar day, under an hour, latitude 71.16",
		place: Place{71.16, -156.79}, from: "2026-08-01T09:00:00Z", hours: 24, within: 10,
		sun: "-2026-08-01T10:14:43.4Z +2026-08-01T10:53:22.0Z", noon: "2026-08-01T22:33:29.2Z",
		civil:        "always_up",
		nautical:     "always_up",
		astronomical: "always_up",
		goldenUpper:  "+2026-08-01T14:04:00.0Z -2026-08-02T07:00:09.3Z",
		goldenLower:  "always_up",
		moon:         "-2026-08-01T17:58:06.2Z +2026-08-02T07:26:27.9Z",
		transit:      "2026-08-01T12:41:36.1Z",
	},
	{
		name:  "the last day before the polar night, under an hour, latitude 71.16",
		place: Place{71.16, -156.79}, from: "2026-11-19T09:00:00Z", hours: 24, within: 10,
		sun: "+2026-11-19T21:54:30.4Z -2026-11-19T22:29:49.2Z", noon: "2026-11-19T22:12:38.5Z",
		civil:        "+2026-11-19T19:10:14.7Z -2026-11-20T01:14:00.5Z",
		nautical:     "+2026-11-19T17:36:47.3Z -2026-11-20T02:47:21.0Z",
		astronomical: "+2026-11-19T16:18:35.4Z -2026-11-20T04:05:22.5Z",
		goldenUpper:  "always_down",
		goldenLower:  "+2026-11-19T19:50:44.4Z -2026-11-20T00:33:32.6Z",
		moon:         "-2026-11-19T11:27:50.4Z +2026-11-20T00:03:00.2Z",
		transit:      "2026-11-20T06:26:31.5Z",
	},
	{
		name:  "the first day after the polar night, under an hour, latitude 71.29",
		place: Place{71.29, -156.79}, from: "2026-01-22T09:00:00Z", hours: 24, within: 10,
		sun: "+2026-01-22T22:23:41.2Z -2026-01-22T22:54:58.4Z", noon: "2026-01-22T22:38:50.3Z",
		civil:        "+2026-01-22T19:37:08.5Z -2026-01-23T01:41:35.7Z",
		nautical:     "+2026-01-22T18:03:23.0Z -2026-01-23T03:15:28.5Z",
		astronomical: "+2026-01-22T16:44:57.3Z -2026-01-23T04:34:05.0Z",
		goldenUpper:  "always_down",
		goldenLower:  "+2026-01-22T20:17:47.8Z -2026-01-23T01:00:54.5Z",
		moon:         "+2026-01-22T20:17:13.1Z -2026-01-23T08:04:26.6Z",
		transit:      "2026-01-23T01:51:47.0Z",
	},
	{
		name: "Reykjavik, two sunsets in one day", place: Place{64.13, -21.9},
		from: "2026-06-28T00:00:00Z", hours: 24,
		sun:          "-2026-06-28T00:00:34.2Z +2026-06-28T03:01:12.0Z -2026-06-28T23:59:31.5Z",
		noon:         "2026-06-28T13:30:54.7Z",
		civil:        "always_up",
		nautical:     "always_up",
		astronomical: "always_up",
		goldenUpper:  "+2026-06-28T04:55:45.2Z -2026-06-28T22:05:38.9Z",
		goldenLower:  "always_up",
		moon:         "always_down", transit: "",
	},
	{
		name: "Fairbanks, the moon stays up or down", place: Place{64.84, -147.72},
		from: "2025-01-10T09:00:00Z", hours: 24,
		sun: "+2025-01-10T19:37:15.4Z -2025-01-11T00:20:35.5Z", noon: "2025-01-10T21:58:39.8Z",
		civil:        "+2025-01-10T18:22:43.9Z -2025-01-11T01:35:08.6Z",
		nautical:     "+2025-01-10T17:14:49.5Z -2025-01-11T02:43:05.4Z",
		astronomical: "+2025-01-10T16:14:45.6Z -2025-01-11T03:43:12.6Z",
		goldenUpper:  "always_down",
		goldenLower:  "+2025-01-10T18:48:48.6Z -2025-01-11T01:09:03.3Z",
		moon:         "always_up", transit: "2025-01-11T07:31:48.1Z",
	},
	{
		name: "north pole, equinox", place: Place{90, 0}, from: "2026-03-18T00:00:00Z", hours: 24,
		within: 60,
		sun:    "+2026-03-18T12:16:34.2Z", noon: "2026-03-18T12:08:01.2Z",
		civil:        "always_up",
		nautical:     "always_up",
		astronomical: "always_up",
		goldenUpper:  "always_down",
		goldenLower:  "always_up",
		moon:         "+2026-03-18T22:18:51.7Z", transit: "2026-03-18T11:39:15.5Z",
	},
	{
		name: "south pole, equinox", place: Place{-90, 0}, from: "2026-03-22T00:00:00Z", hours: 24,
		within: 60,
		sun:    "-2026-03-22T17:16:42.8Z", noon: "2026-03-22T12:06:50.6Z",
		civil:        "always_up",
		nautical:     "always_up",
		astronomical: "always_up",
		goldenUpper:  "always_down",
		goldenLower:  "always_up",
		moon:         "always_down", transit: "2026-03-22T15:02:12.6Z",
	},
	{
		name: "north pole, the month's moonrise", place: Place{90, 0}, from: "2026-07-06T00:00:00Z",
		hours: 24, within: 60,
		sun: "always_up", noon: "2026-07-06T12:04:47.3Z",
		civil:        "always_up",
		nautical:     "always_up",
		astronomical: "always_up",
		goldenUpper:  "always_up",
		goldenLower:  "always_up",
		moon:         "+2026-07-06T06:29:45.8Z", transit: "2026-07-06T04:39:10.8Z",
	},
	{
		name: "Taveuni, on the date line from the east", place: Place{-16.8, 180},
		from: "2026-07-01T12:00:00Z", hours: 24,
		sun: "+2026-07-01T18:29:42.6Z -2026-07-02T05:38:18.7Z", noon: "2026-07-02T00:03:59.2Z",
		civil:        "+2026-07-01T18:06:13.1Z -2026-07-02T06:01:47.9Z",
		nautical:     "+2026-07-01T17:39:16.1Z -2026-07-02T06:28:44.7Z",
		astronomical: "+2026-07-01T17:12:34.5Z -2026-07-02T06:55:26.0Z",
		goldenUpper:  "+2026-07-01T19:01:12.7Z -2026-07-02T05:06:48.7Z",
		goldenLower:  "+2026-07-01T18:15:16.3Z -2026-07-02T05:52:44.8Z",
		moon:         "-2026-07-01T20:01:04.5Z +2026-07-02T07:28:21.6Z",
		transit:      "2026-07-01T13:19:37.8Z",
	},
	{
		name: "Taveuni, on the date line from the west", place: Place{-16.8, -180},
		from: "2026-07-01T12:00:00Z", hours: 24,
		sun: "+2026-07-01T18:29:42.6Z -2026-07-02T05:38:18.7Z", noon: "2026-07-02T00:03:59.2Z",
		civil:        "+2026-07-01T18:06:13.1Z -2026-07-02T06:01:47.9Z",
		nautical:     "+2026-07-01T17:39:16.1Z -2026-07-02T06:28:44.7Z",
		astronomical: "+2026-07-01T17:12:34.5Z -2026-07-02T06:55:26.0Z",
		goldenUpper:  "+2026-07-01T19:01:12.7Z -2026-07-02T05:06:48.7Z",
		goldenLower:  "+2026-07-01T18:15:16.3Z -2026-07-02T05:52:44.8Z",
		moon:         "-2026-07-01T20:01:04.5Z +2026-07-02T07:28:21.6Z",
		transit:      "2026-07-01T13:19:37.8Z",
	},
}
