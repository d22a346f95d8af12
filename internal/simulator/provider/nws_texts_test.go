package provider

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

type graph struct {
	Graph []map[string]string `json:"@graph"`
}

// textBody is a response with a text.
type textBody struct {
	ID, IssuingOffice, WMOCollectiveID, ProductCode, IssuanceTime, ProductText string
}

func TestProductLists(t *testing.T) {
	s := serviceAt(t, issueTime)
	for url, want := range map[string]int{
		"CWF/locations/SGX": 28,
		"CWF/locations/AFC": 28,
		"CWF/locations/AER": 28,
		"SRF/locations/OKX": 28,
		"NSH/locations/MKX": 28,
		"GLF/locations/MKX": 28,
		"OFF/locations/NH2": 28,
		"CWF/locations/BOU": 0,
		"CWF/locations/MKX": 0,
		"CWF/locations/XXX": 0,
		"NSH/locations/SGX": 0,
		"OFF/locations/SGX": 0,
	} {
		url = "/products/types/" + url
		list := read[graph](t, s, url).Graph
		if len(list) != want {
			t.Errorf("%s lists %d, want %d", url, len(list), want)
		}
		if got := ask(s, url).Header().Get("Content-Type"); got != "application/ld+json" {
			t.Errorf("%s: Content-Type %q", url, got)
		}
		last := issueTime.Add(time.Second)
		for _, item := range list {
			at, err := time.Parse(time.RFC3339, item["issuanceTime"])
			if err != nil || !at.Before(last) || issueTime.Sub(at) > 7*24*time.Hour+time.Hour {
				t.Errorf("%s: issued %s, want newest first", url, item["issuanceTime"])
			}
			last = at
		}
	}
	got := ask(s, "/products/types/CWF/locations/BOU").Body.String()
	if !strings.Contains(got, `"@graph": []`) {
		t.Errorf("an empty list is %s", got)
	}
}

// TestProductIDs checks that the id and the text of an issue do not change with time.
func TestProductIDs(t *testing.T) {
	item := read[graph](t, serviceAt(t, issueTime), "/products/types/CWF/locations/HGX").Graph[0]
	now, later := serviceAt(t, issueTime), serviceAt(t, issueTime.Add(7*time.Hour))
	got := read[textBody](t, later, "/products/"+item["id"])
	want := read[textBody](t, now, "/products/"+item["id"])
	if got != want || got.ID != item["id"] || got.IssuanceTime != item["issuanceTime"] {
		t.Errorf("later the text is\n%+v\nwant\n%+v", got, want)
	}
}

// TestTextGrammar parses every kind of text of every office.
func TestTextGrammar(t *testing.T) {
	s := serviceAt(t, issueTime)
	for kind := range bulletinNames {
		for _, o := range slices.Concat(offices, centers) {
			for _, b := range first(s.bulletins(kind, o), 5) {
				checkText(t, s, b)
			}
		}
	}
}

func checkText(t *testing.T, s *weatherService, b bulletin) {
	t.Helper()
	name := b.kind + " " + b.office.ID + " " + stamp(b.issued)
	text, err := readText(s.write(b))
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, s.write(b))
		return
	}
	want := b.office.Heading + " " + b.office.Issuer + " " + b.issued.Format("021504")
	if text.heading != want {
		t.Errorf("%s: heading %q, want %q", name, text.heading, want)
	}
	if at, err := clockTime(text.issued, zoneNamed(b.office.Zone)); err != nil || !at.Equal(b.issued) {
		t.Errorf("%s: issued %q (%v)", name, text.issued, err)
	}
	var got []string
	for _, seg := range text.segments {
		got = append(got, seg.zones...)
		if seg.issued != text.issued || len(seg.periods) == 0 {
			t.Errorf("%s: segment %v at %q has %d periods", name, seg.zones, seg.issued, len(seg.periods))
		}
		for i, p := range seg.periods {
			if slices.ContainsFunc(seg.periods[:i], func(q parsedPeriod) bool { return q.name == p.name }) {
				t.Errorf("%s: %v has two periods %s", name, seg.zones, p.name)
			}
		}
	}
	zones := b.zones()
	slices.Sort(got)
	slices.Sort(zones)
	if !slices.Equal(got, zones) {
		t.Errorf("%s: zones %v, want %v", name, got, zones)
	}
}

// clockTime parses 243 PM PDT Sat Sep 26 2026, whose hour may have one digit.
func clockTime(text string, zone *time.Location) (time.Time, error) {
	if strings.IndexByte(text, ' ') == 3 {
		text = "0" + text
	}
	return time.ParseInLocation("0304 PM MST Mon Jan 2 2006", text, zone)
}

// zones returns the zones that the text must have.
func (b bulletin) zones() []string {
	var ids []string
	for _, w := range b.office.Waters {
		switch {
		case b.kind == "SRF",
			b.kind == "GLF" && w.Exposure == bay,
			b.kind == "NSH" && w.Exposure == openSea:
		default:
			ids = append(ids, w.ID)
		}
	}
	if b.kind == "SRF" {
		return []string{b.office.Land}
	}
	if b.office.Synopsis != "" {
		ids = append(ids, b.office.Synopsis)
	}
	return ids
}

// parsedText is a text, parsed by the test's own parser.
type parsedText struct {
	heading, title, issued string
	segments               []parsedSegment
}

type parsedSegment struct {
	zones     []string
	names     []string
	issued    string
	headlines []string
	periods   []parsedPeriod
}

type parsedPeriod struct{ name, text string }

var (
	headingLine = regexp.MustCompile(`^F[A-Z]{3}\d\d [A-Z]{4} \d{6}$`)
	issueLine   = regexp.MustCompile(
		`^\d{3,4} [AP]M [A-Za-z+0-9-]{3,5} [A-Z][a-z]{2} [A-Z][a-z]{2} \d{1,2} \d{4}$`)
	codeLine       = regexp.MustCompile(`^[A-Z]{2}Z\d{3}[->]`)
	periodLine     = regexp.MustCompile(`^\.([A-Za-z][A-Za-z ,/.]*?)\.\.\.(.*)$`)
	periodNameForm = regexp.MustCompile(
		`^(TODAY|TONIGHT|OVERNIGHT|REST OF TODAY|THIS AFTERNOON|SYNOPSIS|Synopsis for .*|(SUN|MON|TUES?|WED(NES)?|THU(RS)?|FRI|SAT(UR)?)(DAY)?( NIGHT)?( AND [A-Z]+ NIGHT)?)$`,
	)
)

// readText parses a text line by line. No line may have more than 80 bytes.
func readText(text string) (parsedText, error) {
	var p parsedText
	head, ok := strings.CutPrefix(text, "\n000\n")
	if !ok {
		return p, fmt.Errorf("no start in %q", text[:min(len(text), 20)])
	}
	lines := strings.Split(head, "\n")
	for _, l := range lines {
		if len(l) > 80 {
			return p, fmt.Errorf("line %q has %d bytes", l, len(l))
		}
	}
	if !headingLine.MatchString(lines[0]) || len(lines[1]) != 6 || lines[2] != "" {
		return p, fmt.Errorf("heading %q", lines[:3])
	}
	p.heading, p.title = lines[0], lines[3]
	at := slices.IndexFunc(lines, issueLine.MatchString)
	if at < 0 {
		return p, fmt.Errorf("no time of issue")
	}
	p.issued = lines[at]
	for lines = lines[at+1:]; ; {
		start := slices.IndexFunc(lines, codeLine.MatchString)
		if start < 0 {
			return p, nil
		}
		end := slices.Index(lines, "$$")
		if end < start {
			return p, fmt.Errorf("segment %q has no end", lines[start])
		}
		seg, err := readSegment(lines[start:end])
		if err != nil {
			return p, err
		}
		p.segments, lines = append(p.segments, seg), lines[end+1:]
	}
}

func readSegment(lines []string) (seg parsedSegment, err error) {
	at := slices.IndexFunc(lines, issueLine.MatchString)
	if at < 0 {
		return seg, fmt.Errorf("segment %q has no time", lines[0])
	}
	above := strings.Join(lines[:at], "\n")
	codes := regexp.MustCompile(`^(?s)(.*?\d{6}-)\n(.*)$`).FindStringSubmatch(above + "\n")
	if codes == nil {
		return seg, fmt.Errorf("zones %q", above)
	}
	if seg.zones, err = readCodes(strings.ReplaceAll(codes[1], "\n", "")); err != nil {
		return seg, err
	}
	seg.names, seg.issued = strings.Split(codes[2], "-\n"), lines[at]
	seg.headlines, seg.periods, err = readPeriods(lines[at+1:])
	return seg, err
}

// readCodes parses ANZ530>532-535-ANZ600-271015-.
func readCodes(text string) ([]string, error) {
	parts := strings.Split(strings.TrimSuffix(text, "-"), "-")
	var zones []string
	prefix := ""
	for _, part := range parts[:len(parts)-1] {
		first, last, ranged := strings.Cut(part, ">")
		if len(first) == 6 {
			prefix, first = first[:3], first[3:]
		}
		from, err1 := strconv.Atoi(first)
		to := from
		var err2 error
		if ranged {
			to, err2 = strconv.Atoi(last)
		}
		if err1 != nil || err2 != nil || prefix == "" || to < from {
			return nil, fmt.Errorf("codes %q", text)
		}
		for n := from; n <= to; n++ {
			zones = append(zones, fmt.Sprintf("%s%03d", prefix, n))
		}
	}
	return zones, nil
}

func readPeriods(lines []string) (headlines []string, periods []parsedPeriod, err error) {
	text := strings.Join(lines, "\n")
	for _, paragraph := range strings.Split(text, "\n\n") {
		for _, entry := range entries(paragraph) {
			part := periodLine.FindStringSubmatch(entry)
			switch {
			case part != nil && periodNameForm.MatchString(part[1]):
				periods = append(periods, parsedPeriod{part[1], strings.TrimSpace(part[2])})
			case part != nil:
				return nil, nil, fmt.Errorf("period %q", part[1])
			case strings.HasPrefix(entry, "...") && strings.HasSuffix(entry, "..."):
				headlines = append(headlines, strings.Trim(entry, "."))
			case strings.HasPrefix(entry, "."):
				return nil, nil, fmt.Errorf("entry %q", entry)
			}
		}
	}
	return headlines, periods, nil
}

// entries joins the lines of a paragraph to entries, which begin with a dot.
func entries(paragraph string) []string {
	var out []string
	for _, line := range strings.Split(strings.Trim(paragraph, "\n"), "\n") {
		if strings.HasPrefix(line, ".") || len(out) == 0 {
			out = append(out, line)
		} else {
			out[len(out)-1] += " " + line
		}
	}
	return out
}

// newestBody returns the newest text of the list.
func newestBody(t *testing.T, s http.Handler, kind, office string) textBody {
	t.Helper()
	list := read[graph](t, s, "/products/types/"+kind+"/locations/"+office).Graph
	return read[textBody](t, s, "/products/"+list[0]["id"])
}

func newest(t *testing.T, s *weatherService, kind, office string) parsedText {
	t.Helper()
	body := newestBody(t, s, kind, office)
	p, err := readText(body.ProductText)
	if err != nil {
		t.Fatalf("%s of %s: %v", kind, office, err)
	}
	return p
}

func (p parsedText) segment(zone string) *parsedSegment {
	for i := range p.segments {
		if slices.Contains(p.segments[i].zones, zone) {
			return &p.segments[i]
		}
	}
	return nil
}

func TestHeadlines(t *testing.T) {
	s := serviceAt(t, issueTime)
	for zone, want := range map[string]string{
		"BOX ANZ230": "SMALL CRAFT ADVISORY IN EFFECT UNTIL",
		"GYX ANZ150": "GALE WARNING IN EFFECT UNTIL",
		"GYX ANZ152": "GALE WARNING IN EFFECT UNTIL",
		"BOX ANZ231": "",
		"SGX PZZ740": "",
	} {
		office, code, _ := strings.Cut(zone, " ")
		got := strings.Join(newest(t, s, "CWF", office).segment(code).headlines, "; ")
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("headlines of %s = %q, want %q", code, got, want)
		}
	}
	later := issueTime.Add(9 * time.Hour)
	s = serviceAt(t, issueTime.Add(6*time.Hour))
	storm := Alert{
		Event:   "Heavy Freezing Spray Warning",
		Sent:    issueTime.Add(-8 * time.Hour),
		Onset:   later,
		Expires: later.Add(9 * time.Hour),
		Ends:    later.Add(30 * time.Hour),
	}
	setIn(s.settings, &s.settings.alerts, "PZZ740", []Alert{storm})
	got := newest(t, s, "CWF", "SGX").segment("PZZ740").headlines
	want := []string{"HEAVY FREEZING SPRAY WARNING IN EFFECT FROM 6 PM PST FRIDAY" +
		" THROUGH 12 AM PST SUNDAY"}
	if !slices.Equal(got, want) {
		t.Errorf("headlines %q, want %q", got, want)
	}
}

var (
	speeds = regexp.MustCompile(`(?:(\d+) to )?(\d+) (?:kt|knots)`)
	seas   = regexp.MustCompile(`(?:Seas|Waves) (?:(\d+) to )?(\d+) (?:ft|feet)`)
)

// TestTextsFollowGrids checks that texts have at least the wind and sea of the grid in the zone,
// and at most one step more.
func TestTextsFollowGrids(t *testing.T) {
	s := serviceAt(t, issueTime)
	for _, zone := range []string{
		"SGX PZZ740", "MTR PZZ565", "BRO GMZ150", "GYX ANZ150", "AJK PKZ643", "HFO PHZ110",
	} {
		id, code, _ := strings.Cut(zone, " ")
		o := officeOf(id)
		w := o.Waters[slices.IndexFunc(o.Waters, func(w marineZone) bool { return w.ID == code })]
		x, y := o.cellOf(w.Latitude, w.Longitude)
		g := read[gridBody](t, s, fmt.Sprintf("/gridpoints/%s/%d,%d", o.GridID, x, y))
		winds, heights := g.layer(t, "windSpeed").expand(t), g.layer(t, "waveHeight").expand(t)
		seg := newest(t, s, "CWF", id).segment(code)
		p := s.bulletins("CWF", o)[0]
		for i, stretch := range spans(p.local(p.issued), 5) {
			wind, sea := highest(winds, stretch, 1.852), highest(heights, stretch, 0.3048)
			text := seg.periods[i].text
			clauses, _, _ := strings.Cut(text, "with gusts")
			if high := largest(speeds, clauses); wind >= 0 &&
				(float64(high) < wind-0.01 || float64(high) > wind+5) {
				t.Errorf("%s .%s...%s: %d kt, the grid has %.1f", code, seg.periods[i].name, text, high, wind)
			}
			if high := largest(seas, text); sea >= 0 && float64(high) != float64(int(sea+0.5)) {
				t.Errorf("%s .%s...%s: %d ft, the grid has %.1f", code, seg.periods[i].name, text, high, sea)
			}
		}
	}
}

// spans returns the first periods of a text: from its issue to six o'clock, and so on.
func spans(issued time.Time, n int) [][2]time.Time {
	var out [][2]time.Time
	from := issued.Truncate(time.Hour)
	for range n {
		to := from.Add(time.Hour)
		if hour := from.Hour(); hour == 4 || hour == 5 || hour == 17 {
			to = from.Add(3 * time.Hour)
		}
		for to.Hour() != 6 && to.Hour() != 18 {
			to = to.Add(time.Hour)
		}
		out = append(out, [2]time.Time{from, to})
		from = to
	}
	return out
}

// highest returns the highest value of a layer within a span, -1 if the grid does not cover it.
func highest(hours map[time.Time]string, span [2]time.Time, unit float64) float64 {
	most := -1.0
	for at := span[0].UTC(); at.Before(span[1]); at = at.Add(time.Hour) {
		text, ok := hours[at]
		if !ok {
			return -1
		}
		v, _ := strconv.ParseFloat(text, 64)
		most = max(most, v/unit)
	}
	return most
}

func largest(form *regexp.Regexp, text string) int {
	most := 0
	for _, part := range form.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(part[2])
		most = max(most, n)
	}
	return most
}

// TestTextFeatures checks that texts have the features that are difficult to parse.
func TestTextFeatures(t *testing.T) {
	s := serviceAt(t, issueTime)
	all := map[string]bool{}
	for i := range offices {
		for _, kind := range []string{"CWF", "SRF", "NSH", "GLF"} {
			for _, b := range first(s.bulletins(kind, offices[i]), 5) {
				text := s.write(b)
				for name, form := range features {
					all[name] = all[name] || form.MatchString(text)
				}
			}
		}
	}
	for name := range features {
		if !all[name] {
			t.Errorf("no text has this feature: %s", name)
		}
	}
}

func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }

var features = map[string]*regexp.Regexp{
	"a wrapped zone name":     regexp.MustCompile(`(?m)^[A-Z][^-\n.]*[a-z]\n[^.\n]*-$`),
	"dots within a paragraph": regexp.MustCompile(`[a-z]\.\.\.[a-z]`),
	"kt":                      regexp.MustCompile(`\d kt`),
	"gusts":                   regexp.MustCompile(`with\sgusts\sto\s\d+\skt\.`),
	"a risk":                  regexp.MustCompile(`Rip Current Risk\.+(Low|Moderate|High)\.`),
	"two days":                regexp.MustCompile(`(?m)^\.[A-Z]+ AND [A-Z]+ NIGHT\.\.\.`),
	"a wrapped headline":      regexp.MustCompile(`(?m)^\.\.\.[A-Z0-9 ]+\n[A-Z0-9 ]+\.\.\.$`),
}

// TestSurf checks that the surf zone forecast covers the land zone and includes its statement.
func TestSurf(t *testing.T) {
	s := serviceAt(t, issueTime)
	for office, want := range map[string]string{
		"MFL": "Rip Current Risk............High.",
		"OKX": "Rip Current Risk............",
	} {
		body := newestBody(t, s, "SRF", office).ProductText
		if !strings.Contains(body, "\n"+want) || !strings.Contains(body, "\n&&\n\n$$\n") {
			t.Errorf("surf of %s:\n%s\nwant %q", office, body, want)
		}
	}
	if got := read[graph](t, s, "/products/types/SRF/locations/AJK").Graph; len(got) > 0 {
		t.Errorf("surf of AJK = %v, want none", got)
	}
}
