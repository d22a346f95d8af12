package nws

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// seen returns a text product that was found after the others.
func seen(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordings(t), "..", "..", "recordings2", "nws", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSeenBulletins reads NSH (Green Bay and Chicago, the latter trimmed) and OFF (Ocean
// Prediction Center, trimmed). The values were typed from the texts.
func TestSeenBulletins(t *testing.T) {
	for _, test := range []struct {
		file, issued   string
		product, place string
		segments       []string // zones | names | expires | headlines | periods
	}{
		{"NSHGRB_LMZ521_20261002_tgftp.txt", "2026-10-03 00:56", "NSH", "GRB", []string{
			"LMZ521 LMZ522 | Green Bay south of line from Cedar River to Rock Island Passage and north of " +
				"a line from Oconto WI to Little Sturgeon Bay WI- " +
				"Green Bay south of line from Oconto WI to Little Sturgeon Bay WI | 2026-10-03 04:00 |  | " +
				"TONIGHT 10 - 2, SATURDAY 15 - 3, SATURDAY NIGHT 25 - 5, SUNDAY 15 - 4",
		}},
		{"NSHLOT_20260928_trimmed.txt", "2026-09-28 14:34", "NSH", "LOT", []string{
			"LMZ740 LMZ741 LMZ742 | Winthrop Harbor to Northerly Island IL | 2026-09-28 21:45 | " +
				"SMALL CRAFT ADVISORY IN EFFECT FROM 4 PM CDT THIS AFTERNOON THROUGH TUESDAY AFTERNOON | " +
				"TODAY 15 - 3, TONIGHT 25 30 5",
			"LMZ743 LMZ744 LMZ745 | Northerly Island to Michigan City IN | 2026-09-28 21:45 |  | TODAY " +
				"10 - 1",
		}},
		{"OFFNT2_20260818_trimmed.txt", "2026-08-18 20:24", "OFF", "NT2", []string{
			"ANZ899 |  | 2026-08-19 08:30 |  | ",
			"ANZ820 | Hudson Canyon to Baltimore Canyon to 1000 FM | 2026-08-19 08:30 |  | TONIGHT 5 - 4",
			"ANZ915 | Between 1000FM and 38.5 N west of 69 W | 2026-08-19 08:30 |  | TONIGHT 10 - 5",
		}},
	} {
		issued, err := time.Parse("2006-01-02 15:04", test.issued)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseBulletin(seen(t, test.file), issued)
		if err != nil || b.Product != test.product || b.Office != test.place ||
			len(b.Segments) != len(test.segments) {
			t.Errorf("%s: %s of %s, %d segments, %v", test.file, b.Product, b.Office, len(b.Segments), err)
			continue
		}
		for i, want := range test.segments {
			s := b.Segments[i]
			var periods []string
			for _, p := range s.Periods {
				periods = append(periods, summary(p))
			}
			got := fmt.Sprintf("%s | %s | %s | %s | %s", strings.Join(s.Zones, " "), s.Names,
				s.Expires.Format("2006-01-02 15:04"),
				strings.Join(s.Headlines, "; "), strings.Join(periods, ", "))
			if got != want {
				t.Errorf("%s, segment %d:\n%s\nwant\n%s", test.file, i, got, want)
			}
		}
	}
}

// TestSeenSynopsis checks the synopsis of an offshore text, which has a separate zone.
func TestSeenSynopsis(t *testing.T) {
	b, err := ParseBulletin(seen(t, "OFFNT2_20260818_trimmed.txt"),
		time.Date(2026, 8, 18, 20, 24, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	const want = "A cold front will move slowly SE across waters early tonight, then stall over the " +
		"N portion later tonight into Fri night."
	if got := b.Synopsis(); got != want {
		t.Errorf("synopsis %q, want %q", got, want)
	}
	s, ok := b.Segment("ANZ820")
	if !ok || s.Periods[0].Text != "E winds less than 5 kt, becoming variable. Seas 3 to 4 ft. "+
		"Chance of tstms." {
		t.Errorf("segment of ANZ820: %+v, %v", s, ok)
	}
}

// TestSeenWords checks the text of a period; Green Bay writes knots as kts.
func TestSeenWords(t *testing.T) {
	b, err := ParseBulletin(seen(t, "NSHGRB_LMZ521_20261002_tgftp.txt"),
		time.Date(2026, 10, 3, 0, 56, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := b.Segment("LMZ522")
	const want = "S wind 15 to 25 kts veering SW after midnight. Waves 3 to 5 ft. A chance of " +
		"showers. A Small Craft Advisory may be needed."
	if len(s.Periods) != 4 || s.Periods[2].Name != "SATURDAY NIGHT" || s.Periods[2].Text != want {
		t.Errorf("periods %+v, want %q in the third", s.Periods, want)
	}
}
