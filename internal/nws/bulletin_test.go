package nws

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// issues maps each recorded text to its time of issue, read by hand from its WMO line and its
// local time.
var issues = map[string]string{
	"CFWLWX_0.txt":   "2015-08-10T21:39:00Z",
	"CFW_CFWSJU.txt": "2020-10-21T08:42:00Z",
	"CWFBRO_GMZ130_20260925_tgftp_trimmed.txt": "2026-09-25T07:09:00Z",
	"CWFMTR_20260511_trimmed.txt":              "2026-05-11T16:02:00Z",
	"CWFSGX_20260926_trimmed.txt":              "2026-09-26T21:43:00Z",
	"CWF_CWF_twoheadline.txt":                  "2025-01-03T09:54:00Z",
	"MWWBRO.txt":                               "2014-11-21T12:46:00Z",
	"MWWCAR_0.txt":                             "2015-01-29T19:16:00Z",
	"MWWLWX.txt":                               "2014-07-31T17:35:00Z",
	"SRFOKX_20260817_trimmed.txt":              "2026-08-18T00:04:00Z",
}

// shapes maps each recorded text to its content: the zones of its segments with the numbers of
// periods, headlines and risks, and their expiry.
var shapes = map[string]string{
	"CFWLWX_0.txt": "MDZ014 0/1/0 2015-08-11T05:45; MDZ011 MDZ508 0/1/0 2015-08-11T05:45; MDZ017 " +
		"MDZ018 0/1/0 2015-08-11T05:45; DCZ001 VAZ054 0/1/0 2015-08-11T05:45",
	"CFW_CFWSJU.txt": "PRZ001 PRZ002 PRZ005 PRZ008 0/3/0 2020-10-21T16:45",
	"CWFBRO_GMZ130_20260925_tgftp_trimmed.txt": "GMZ130 GMZ132 GMZ135 5/0/0 2026-09-25T20:30",
	"CWFMTR_20260511_trimmed.txt": "PZZ500 0/0/0 2026-05-12T04:30; PZZ545 3/1/0 " +
		"2026-05-12T04:30; PZZ565 2/0/0 2026-05-12T04:30",
	"CWFSGX_20260926_trimmed.txt": "PZZ700 0/0/0 2026-09-27T10:15; PZZ740 3/1/0 " +
		"2026-09-27T10:15; PZZ750 PZZ753 PZZ755 PZZ760 PZZ762 PZZ765 PZZ770 PZZ775 PZZ776 1/0/0 " +
		"2026-09-27T10:15",
	"CWF_CWF_twoheadline.txt": "PKZ851 8/2/0 2025-01-04T03:15",
	"MWWBRO.txt": "GMZ130 GMZ132 GMZ135 0/1/0 2014-11-21T21:00; " +
		"GMZ150 GMZ155 GMZ170 GMZ175 0/1/0 2014-11-21T21:00",
	"MWWCAR_0.txt": "ANZ050 ANZ051 ANZ052 0/1/0 2015-01-30T03:30",
	"MWWLWX.txt": "ANZ532 ANZ533 ANZ534 ANZ537 ANZ540 ANZ541 ANZ543 " +
		"0/1/0 2014-08-01T01:45",
	"SRFOKX_20260817_trimmed.txt": "NYZ075 1/0/1 2026-08-18T09:00; NYZ081 1/0/1 " +
		"2026-08-18T09:00",
}

func shape(b Bulletin) string {
	var list []string
	for _, s := range b.Segments {
		list = append(list,
			fmt.Sprintf("%s %d/%d/%d %s", strings.Join(s.Zones, " "), len(s.Periods), len(s.Headlines),
				len(s.Rip), s.Expires.Format("2006-01-02T15:04")))
	}
	return strings.Join(list, "; ")
}

// TestRecordedBulletins checks the shape of each text, and that the text contains all parts that
// were read.
func TestRecordedBulletins(t *testing.T) {
	all := recorded(t, "text-products", func(string) bool { return true })
	if len(all) != len(issues) {
		t.Errorf("%d recorded texts, want %d", len(all), len(issues))
	}
	for name, product := range all {
		issued, err := time.Parse(time.RFC3339, issues[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := ParseBulletin(product, issued)
		if err != nil || !b.Issued.Equal(issued) || len(b.Product) != 3 ||
			!strings.Contains(product, b.Product+b.Office) {
			t.Errorf("%s: %v %s%s %v", name, err, b.Product, b.Office, b.Issued)
		}
		if got, want := shape(b), shapes[name]; got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
		foundIn(t, b, product)
		allPeriods(t, b, product)
	}
}

// foundIn checks that the product contains every text of a bulletin, in the same order.
func foundIn(t *testing.T, b Bulletin, product string) {
	t.Helper()
	rest := words(product)
	find := func(what, part string) {
		t.Helper()
		before, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("%s%s: %s %q does not follow in the text", b.Product, b.Office, what, part)
			return
		}
		_, rest = before, after
	}
	for _, s := range b.Segments {
		find("zone", s.Zones[0])
		find("names", s.Names)
		find("beaches", s.Beaches)
		for _, h := range s.Headlines {
			find("headline", "..."+h+"...")
		}
		find("synopsis", s.Synopsis)
		for _, p := range s.Periods {
			find("name", "."+p.Name+"..")
			find("period", p.Text)
		}
	}
}

// allPeriods checks that the lines that begin with one dot, a name and three dots, and no others,
// were read as periods or synopses.
func allPeriods(t *testing.T, b Bulletin, product string) {
	t.Helper()
	want := 0
	for _, m := range regexp.MustCompile(`(?m)^\.([A-Za-z][A-Za-z ]*)\.\.\.`).FindAllStringSubmatch(
		product, -1) {
		if !foldPrefix(m[1], "synopsis") {
			want++
		}
	}
	got := 0
	for _, s := range b.Segments {
		got += len(s.Periods)
	}
	if got != want {
		t.Errorf("%s%s: %d periods, want %d", b.Product, b.Office, got, want)
	}
}

func TestRecordedBulletinValues(t *testing.T) {
	texts := recorded(t, "text-products", func(string) bool { return true })
	read := func(name string) Bulletin {
		issued, _ := time.Parse(time.RFC3339, issues[name])
		b, err := ParseBulletin(texts[name], issued)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	sgx := read("CWFSGX_20260926_trimmed.txt")
	if got, want := sgx.Synopsis(), "At 2 PM, a 1024 mb high was 600 nautical miles west of San "+
		"Francisco."; got != want {
		t.Errorf("synopsis %q, want %q", got, want)
	}
	if got := read("CWFBRO_GMZ130_20260925_tgftp_trimmed.txt").Synopsis(); got != "" {
		t.Errorf("synopsis %q, want none", got)
	}
	s, _ := sgx.Segment("PZZ740")
	for i, want := range []string{"TONIGHT 10 - 4", "SUN 10 - 4", "SUN NIGHT 10 - 5"} {
		if got := summary(s.Periods[i]); got != want {
			t.Errorf("SGX: %q, want %q", got, want)
		}
	}
	wcz, _ := read("CWF_CWF_twoheadline.txt").Segment("PKZ851")
	if want := []string{"HEAVY FREEZING SPRAY WARNING IN EFFECT THROUGH EARLY SATURDAY MORNING",
		"SMALL CRAFT ADVISORY IN EFFECT THROUGH EARLY SATURDAY MORNING"}; !slices.Equal(wcz.Headlines,
		want) {
		t.Errorf("headlines %q, want %q", wcz.Headlines, want)
	}
	if got, want := summary(wcz.Periods[4]), "SUN 40 - 11"; got != want {
		t.Errorf("WCZ: %q, want %q", got, want)
	}
	mtr, _ := read("CWFMTR_20260511_trimmed.txt").Segment("PZZ545")
	if got, want := summary(mtr.Periods[0]), "TODAY 25 - 9"; got != want {
		t.Errorf("MTR: %q, want %q", got, want)
	}
	okx := read("SRFOKX_20260817_trimmed.txt")
	for zone, want := range map[string]Rip{"NYZ075": {"TUESDAY", "", "Moderate"},
		"NYZ081": {"TUESDAY", "", "High"}} {
		if s, ok := okx.Segment(zone); !ok || len(s.Rip) != 1 || s.Rip[0] != want {
			t.Errorf("%s: %+v, want %+v", zone, s.Rip, want)
		}
	}
}

// summary returns the name, wind, gust and seas of a period, - for none.
func summary(p Period) string {
	s := p.Name
	for _, v := range []*float64{p.Wind(), p.Gust(), p.Seas()} {
		if v == nil {
			s += " -"
		} else {
			s += fmt.Sprintf(" %v", *v)
		}
	}
	return s
}

func TestBulletin(t *testing.T) {
	issued := time.Date(2026, 11, 30, 10, 43, 0, 0, time.UTC)
	product := fixture(t, "cwf.txt")
	for _, end := range []string{"\n", "\r\n", "\r\r\n"} {
		b, err := ParseBulletin(strings.ReplaceAll(product, "\n", end), issued)
		if err != nil {
			t.Fatal(err)
		}
		want := "PZZ200 0/0/0 2026-11-30T23:45; PZZ251 PZZ252 PZZ253 PZZ271 PZZ273 AMZ600 AMZ602 4/2/0 " +
			"2026-12-01T05:45; PZZ210 1/0/0 2026-12-01T05:45"
		if got := shape(b); got != want {
			t.Errorf("with %q:\n got %s\nwant %s", end, got, want)
		}
		if b.Product != "CWF" || b.Office != "PQR" {
			t.Errorf("product %q of %q", b.Product, b.Office)
		}
		if got, want := b.Synopsis(), "A front crosses the waters tonight...followed by high pressure. "+
			"Seas ease on Wednesday."; got != want {
			t.Errorf("synopsis %q, want %q", got, want)
		}
	}
	b, _ := ParseBulletin(product, issued)
	s, ok := b.Segment("AMZ602")
	if want := "Coastal waters from Cape Shoalwater WA to Cape Falcon OR out 10 NM-Cape Falcon to " +
		"Cape Foulweather"; !ok || s.Names != want {
		t.Errorf("names %q, want %q", s.Names, want)
	}
	if want := []string{"GALE WARNING IN EFFECT FROM 6 PM THIS EVENING TO 10 AM PST TUESDAY",
		"SMALL CRAFT ADVISORY NOW IN EFFECT UNTIL 6 PM PST THIS EVENING"}; !slices.Equal(s.Headlines,
		want) {
		t.Errorf("headlines %q, want %q", s.Headlines, want)
	}
	for i, want := range []string{"TODAY 25 35 14", "TONIGHT 40 - 15", "TUE AND TUE NIGHT 10 - 9",
		"WED - - -"} {
		if got := summary(s.Periods[i]); got != want {
			t.Errorf("period %d: %q, want %q", i, got, want)
		}
	}
	bar, _ := b.Segment("PZZ210")
	if got, want := summary(bar.Periods[0]), "TODAY - - 9"; got != want {
		t.Errorf("bar: %q, want %q", got, want)
	}
	if _, ok := b.Segment("PZZ299"); ok {
		t.Error("a segment for a nonexistent zone")
	}
}

// TestSurfLayouts reads the layouts in which offices state the risk of rip currents. There are
// labels with and without an asterisk, area names that extend to the column of values, and values
// that wrap or change. There are periods of several days, outlooks in prose, and a text without a
// category.
func TestSurfLayouts(t *testing.T) {
	for file, c := range map[string]struct {
		issued string
		zone   string
		want   string
	}{
		"ilm": {"2026-08-18T07:55:00Z", "NCZ110", "TODAY/East of Ocean Isle Beach 3, TODAY/Ocean Isle " +
			"Beach West 2, " +
			"WEDNESDAY/East of Ocean Isle Beach 2, WEDNESDAY/Ocean Isle Beach West 1"},
		"lox": {"2026-06-29T20:35:00Z", "CAZ367", "THIS AFTERNOON THROUGH TUESDAY/ 3"},
		"sju": {"2026-09-29T07:29:00Z", "PRZ008", "TODAY/ 2, WEDNESDAY/ 3"},
		"hfo": {"2026-09-09T19:03:00Z", "HIZ007", ""},
	} {
		issued, err := time.Parse(time.RFC3339, c.issued)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseBulletin(fixture(t, "surf/"+file+".txt"), issued)
		s, ok := b.Segment(c.zone)
		if err != nil || !ok {
			t.Errorf("%s: %v, segment of %s: %v", file, err, c.zone, ok)
			continue
		}
		var got []string
		for _, r := range s.Rip {
			got = append(got, fmt.Sprintf("%s/%s %d", r.Period, r.Area, r.Level()))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", file, got, c.want)
		}
	}
}

// TestRipLevel checks that the highest category in a text counts, and that a text without one has
// none.
func TestRipLevel(t *testing.T) {
	for text, want := range map[string]Risk{
		"Low": RiskLow, "None": RiskLow, "MODERATE": RiskModerate, "High": RiskHigh,
		"Low to Moderate":       RiskModerate,
		"Moderate becoming low": RiskModerate, "Low, increasing to High": RiskHigh,
		"High/Moderate": RiskHigh,
		"":              RiskUnstated, "Extreme": RiskUnstated, "Highest": RiskUnstated,
		"See the statement": RiskUnstated,
	} {
		if got := (Rip{Risk: text}).Level(); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestSurf(t *testing.T) {
	b, err := ParseBulletin(fixture(t, "srf.txt"), time.Date(2026, 8, 18, 8, 11, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for zone, want := range map[string][]Rip{
		"NCZ204": {{"REST OF TODAY", "", "Moderate"}, {"TONIGHT AND WEDNESDAY", "", "High"}},
		"NCZ205": {{"REST OF TODAY", "North of Cape Hatteras", "Moderate"},
			{"REST OF TODAY", "South of Cape Hatteras", "Low until the tide turns, then Moderate"}},
		"NCZ206": {{"", "", "Moderate"}, {"", "", "LOW IN THE EVENING"}},
	} {
		if s, _ := b.Segment(zone); !slices.Equal(s.Rip, want) {
			t.Errorf("%s: %+v, want %+v", zone, s.Rip, want)
		}
	}
	s, _ := b.Segment("NCZ203")
	if s.Names != "Northern Outer Banks-Roanoke Shore" ||
		s.Beaches != "Including the beaches of Duck, Corolla, and Nags Head" {
		t.Errorf("names %q, beaches %q", s.Names, s.Beaches)
	}
	if len(s.Periods) != 3 ||
		s.Periods[2].Text != "Surf height around 2 feet. The risk of rip currents is moderate." {
		t.Errorf("periods %+v", s.Periods)
	}
}

// one returns lines as a bulletin of one segment.
func one(lines ...string) string {
	return "GMZ300-200400-\n" + strings.Join(lines, "\n") + "\n$$\n"
}

func TestBulletinForms(t *testing.T) {
	issued := time.Date(2026, 11, 19, 20, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		text string
		want Segment
	}{
		"no empty lines": {one("Bay-", "...GALE WATCH...", ".TODAY...Wind."),
			Segment{Names: "Bay", Headlines: []string{"GALE WATCH"}, Periods: []Period{{"TODAY", "Wind."}}}},
		"dots in a line": {one("", ".TODAY...Wind", "...becoming N.", ".5 miles. Vsby",
			"under ...half a mile."),
			Segment{Periods: []Period{{"TODAY", "Wind ...becoming N. .5 miles. Vsby under ...half a " +
				"mile."}}}},
		"headline not closed": {one("", "...GALE WARNING UNTIL", "NOON", "", ".TODAY...Wind."),
			Segment{Headlines: []string{"GALE WARNING UNTIL NOON"}, Periods: []Period{{"TODAY", "Wind."}}}},
		"headline against a period": {one("", "...GALE WARNING", ".TODAY...Wind."),
			Segment{Headlines: []string{"GALE WARNING"}, Periods: []Period{{"TODAY", "Wind."}}}},
		"headline with dots inside": {one("", "...GALE WARNING...NOW UNTIL", "6 PM...", "",
			".TODAY...Wind."),
			Segment{Headlines: []string{"GALE WARNING...NOW UNTIL 6 PM"},
				Periods: []Period{{"TODAY", "Wind."}}}},
		"headline between periods": {one("", ".TODAY...Wind.", "", "...GALE WARNING...",
			".TONIGHT...More."),
			Segment{Headlines: []string{"GALE WARNING"},
				Periods: []Period{{"TODAY", "Wind."}, {"TONIGHT", "More."}}}},
		"long names": {one("", ".REST OF TODAY...A.", ".SUN AND SUN NIGHT...B.",
			".SUN NIGHT THROUGH MON NIGHT...C.", ".THIS AFTERNOON..D."),
			Segment{Periods: []Period{{"REST OF TODAY", "A."}, {"SUN AND SUN NIGHT", "B."},
				{"SUN NIGHT THROUGH MON NIGHT", "C."}, {"THIS AFTERNOON", "D."}}}},
		"apostrophe": {one("", ".NEW YEAR'S DAY...A.", ".NEW YEAR'S NIGHT...B."),
			Segment{Periods: []Period{{"NEW YEAR'S DAY", "A."}, {"NEW YEAR'S NIGHT", "B."}}}},
		"text below its name": {one("", ".TODAY...", "", "Wind.", "", "Trailing."),
			Segment{Periods: []Period{{"TODAY", "Wind."}}}},
		"prose is no period": {one("", "Prose before.", "", ".TODAY...Wind.", "", "Seas are reported as",
			". a height. .. really", "...."),
			Segment{Periods: []Period{{"TODAY", "Wind."}}}},
		"sentence with a dot " +
			"before it": {one("", ".WINDS WILL INCREASE TODAY OVER THE WHOLE OF THE GULF", "AND STAY."),
			Segment{}},
		"synopsis in place": {one("", ".SYNOPSIS...High", "pressure.", "", "...GALE WATCH...", "",
			".TODAY...Wind."),
			Segment{Synopsis: "High pressure.", Headlines: []string{"GALE WATCH"},
				Periods: []Period{{"TODAY", "Wind."}}}},
		"synopsis about somewhere": {one("", ".Synopsis for St. Andrew Bay...", "High pressure."),
			Segment{Synopsis: "High pressure."}},
		"synopsis without text": {one("", ".Synopsis for the coast..."), Segment{}},
		"footnotes": {one("", ".TODAY...Wind.", "&&", ".NOTE...Not a period.",
			"...NOT A HEADLINE..."), Segment{Periods: []Period{{"TODAY", "Wind."}}}},
		"code of an event": {one("/O.CON.KHGX.SC.Y.0001.000000T0000Z-261120T0000Z/", "Bay-",
			"402 PM CST Thu Nov 19 2026", ".TODAY...Wind."),
			Segment{Names: "Bay", Periods: []Period{{"TODAY", "Wind."}}}},
		"nothing": {one(), Segment{}},
	} {
		b, err := ParseBulletin(row.text, issued)
		if err != nil || len(b.Segments) != 1 {
			t.Errorf("%s: %+v, %v", name, b, err)
			continue
		}
		row.want.Zones, row.want.Expires = []string{"GMZ300"}, time.Date(2026, 11, 20, 4, 0, 0, 0,
			time.UTC)
		if got, want := fmt.Sprintf("%+v", b.Segments[0]), fmt.Sprintf("%+v", row.want); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	for _, text := range []string{"", "\n\n", "000\nFZUS56 KSGX 262143\nCWFSGX\n\nNo zones.\n",
		"<html>"} {
		if b, err := ParseBulletin(text, issued); err == nil {
			t.Errorf("ParseBulletin(%q) = %+v, want an error", text, b)
		}
	}
}

// TestSegments checks that segments end at the next one, with or without $$.
func TestSegments(t *testing.T) {
	text := "PHZ100-281330-\n\n.Synopsis for all...\nTrades.\n\n" +
		"PHZ110-281330-\nKauai-\n\n.TONIGHT...East.\n" +
		"PHZ111-281330-\nPHZ112-281330-\n.TONIGHT...West.\n$$\nJD\n"
	b, err := ParseBulletin(text, time.Date(2026, 9, 28, 1, 5, 0, 0, time.UTC))
	if got, want := shape(b), "PHZ100 0/0/0 2026-09-28T13:30; PHZ110 1/0/0 2026-09-28T13:30; PHZ111 "+
		"0/0/0 2026-09-28T13:30; PHZ112 1/0/0 2026-09-28T13:30"; got != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	both := Bulletin{Segments: []Segment{{Zones: []string{"A", "B"}, Synopsis: "x"},
		{Zones: []string{"B"}, Periods: []Period{{"TODAY", "y"}}}}}
	if s, ok := both.Segment("B"); !ok || len(s.Periods) != 1 {
		t.Errorf("Segment = %+v, want the one with periods", s)
	}
	if s, ok := both.Segment("A"); !ok || s.Synopsis != "x" {
		t.Errorf("Segment = %+v, want the synopsis", s)
	}
}

func TestZoneHeader(t *testing.T) {
	for text, want := range map[string]string{
		"PZZ740-271015-":                           "PZZ740 271015 1",
		"PZZ750-753-755-271015-":                   "PZZ750 PZZ753 PZZ755 271015 1",
		"GMZ370>373-060900-":                       "GMZ370 GMZ371 GMZ372 GMZ373 060900 1",
		"ANZ532>534-537-540>541-010145-":           "ANZ532 ANZ533 ANZ534 ANZ537 ANZ540 ANZ541 010145 1",
		"AMZ600-GMZ606>608-610-060900-":            "AMZ600 GMZ606 GMZ607 GMZ608 GMZ610 060900 1",
		"ANZ050>ANZ052-300330-":                    "ANZ050 ANZ051 ANZ052 300330 1",
		"NYC061-NYZ072-300330-":                    "NYC061 NYZ072 300330 1",
		"PZZ098>101-300330-":                       "PZZ098 PZZ099 PZZ100 PZZ101 300330 1",
		"AMZ600-GMZ606-\n610>\n611-271015-\nNames": "AMZ600 GMZ606 GMZ610 GMZ611 271015 3",
		"LSZ260-310300":                            "LSZ260 310300 1", // old products
		"PZZ740-27101-":                            "",
		"PZZ740-\n\n271015-":                       "",
		"PZZ740-Coastal waters-\n271015-":          "",
		"PZZ753>750-271015-":                       "", // backwards
		"PZZ750>75-271015-":                        "",
		"PZZ750-ALL-271015-":                       "",
		"PZZ750>AMZ752-271015-":                    "",
		"PZX750-271015-":                           "",
		"PZZ750 271015-":                           "",
		"pzz750-271015-":                           "",
		"PZZ750--271015-":                          "",
		"":                                         "",
	} {
		zones, expiry, used := zoneHeader(strings.Split(text, "\n"))
		got := ""
		if used > 0 {
			got = fmt.Sprint(strings.Join(zones, " "), " ", expiry, " ", used)
		}
		if got != want {
			t.Errorf("zoneHeader(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestExpires(t *testing.T) {
	for _, row := range []struct{ issued, ddhhmm, want string }{
		{"2026-11-20T12:00:00Z", "202345", "2026-11-20T23:45:00Z"},
		{"2026-11-20T12:00:00Z", "200900", "2026-11-20T09:00:00Z"}, // already over
		{"2026-11-30T23:00:00Z", "011015", "2026-12-01T10:15:00Z"},
		{"2026-12-31T22:00:00Z", "011015", "2027-01-01T10:15:00Z"},
		{"2028-02-28T22:00:00Z", "290415", "2028-02-29T04:15:00Z"},
		{"2026-02-28T22:00:00Z", "010415", "2026-03-01T04:15:00Z"},
		{"2026-12-01T01:00:00Z", "302345", "2026-11-30T23:45:00Z"}, // issued late
		{"2027-01-01T00:10:00Z", "312345", "2026-12-31T23:45:00Z"},
		{"2026-11-20T12:00:00Z", "050000", ""}, // no day near
		{"2026-02-27T12:00:00Z", "300000", ""}, // nor in a neighboring month
		{"2026-11-20T12:00:00Z", "202460", ""},
		{"2026-11-20T12:00:00Z", "000000", ""},
		{"0001-01-01T00:00:00Z", "010000", ""}, // no time of issue
	} {
		issued, _ := time.Parse(time.RFC3339, row.issued)
		got := ""
		if at := expires(row.ddhhmm, issued); !at.IsZero() {
			got = at.Format(time.RFC3339)
		}
		if got != row.want {
			t.Errorf("expires(%s, %s) = %q, want %q", row.ddhhmm, row.issued, got, row.want)
		}
	}
}

func TestProductsFor(t *testing.T) {
	for zone, want := range map[string]string{
		"PZZ251": "CWF OFF", "ANZ820": "CWF OFF", "PMZ151": "CWF OFF", "LMZ741": "NSH GLF CWF",
		"SLZ022": "NSH GLF CWF", "NYZ072": "", "": "", "PZZ": "",
	} {
		if got := strings.Join(ProductsFor(zone), " "); got != want {
			t.Errorf("ProductsFor(%q) = %q, want %q", zone, got, want)
		}
	}
	for _, row := range []struct{ zone, office, want string }{
		{"PZZ251", "PQR", "[{CWF PQR} {OFF PZ5} {OFF PZ6} {OFF PQR}]"},
		{"PMZ009", "NH2", "[{OFF PZ7} {OFF NH2}]"},
		{"PMZ029", "ONP", "[{OFF PZ7} {OFF ONP}]"},
		{"PMZ111", "NH2", "[{OFF PZ8} {OFF NH2}]"},
		{"PMZ123", "HFO", "[{CWF HFO} {OFF PZ8} {OFF HFO}]"},
		{"PMZ008", "NH2", "[{OFF NH2}]"},
		{"PMZ030", "NH2", "[{OFF NH2}]"},
		{"PMZ110", "NH2", "[{OFF NH2}]"},
		{"PMZ124", "NH2", "[{OFF NH2}]"},
		{"PMZ151", "GUM", "[{CWF GUM} {OFF GUM}]"},
		{"GMZ056", "NH2", "[{OFF NT4} {OFF NH2}]"},
		{"PKZ722", "AFC", "[{CWF AER} {CWF ALU} {OFF AJK} {OFF AER} {OFF ALU} {OFF AFG} {OFF AFC}]"},
		{"LMZ741", "LOT", "[{NSH LOT} {GLF LM} {CWF LOT}]"},
		{"NYZ072", "OKX", "[]"},
	} {
		if got := fmt.Sprint(sources(row.zone, row.office)); got != row.want {
			t.Errorf("sources(%s, %s) = %s, want %s", row.zone, row.office, got, row.want)
		}
	}
}

func FuzzBulletin(f *testing.F) {
	f.Add(fixture(f, "cwf.txt"), int64(1796035380))
	f.Add(fixture(f, "srf.txt"), int64(1787040660))
	for _, office := range []string{"ilm", "lox", "sju", "hfo"} {
		f.Add(fixture(f, "surf/"+office+".txt"), int64(1787040660))
	}
	f.Add("GMZ370>375-060900-\n.TODAY...\n...A...\n$$", int64(0))
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		issued := time.Unix(seconds%(1<<33), 0)
		b, err := ParseBulletin(text, issued)
		if err != nil {
			return
		}
		for _, s := range b.Segments {
			if len(s.Zones) == 0 || slices.ContainsFunc(s.Zones, func(z string) bool { return !ugc(z) }) {
				t.Errorf("zones %q", s.Zones)
			}
			if off := s.Expires.Sub(issued).Abs(); !s.Expires.IsZero() && off > maxExpiry {
				t.Errorf("expires %v, issued %v", s.Expires, issued)
			}
			for _, p := range s.Periods {
				if strings.Contains(p.Text, "\n") {
					t.Errorf("period of more than a line: %q", p.Text)
				}
				summary(p)
				for _, swell := range p.Swells() {
					if swell.Feet < 0 || swell.Feet >= 1000 || swell.Seconds < 0 || swell.Seconds >= 100 {
						t.Errorf("swell %+v of %q", swell, p.Text)
					}
				}
			}
			for _, r := range s.Rip {
				if r.Risk == "" {
					t.Error("an empty risk")
				}
				if l := r.Level(); l < RiskUnstated || l > RiskHigh {
					t.Errorf("level %d of %q", l, r.Risk)
				}
			}
		}
	})
}

func BenchmarkBulletin(b *testing.B) {
	product := strings.Repeat(fixture(b, "cwf.txt"), 12) // an office has about twelve segments
	b.SetBytes(int64(len(product)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseBulletin(product, received); err != nil {
			b.Fatal(err)
		}
	}
}
