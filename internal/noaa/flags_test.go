package noaa

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"leadline/internal/trials"
)

// TestFlags reads flag columns of each product in the documented form, and in forms that NOAA does
// not document, which are a doubt.
func TestFlags(t *testing.T) {
	level := func(column, quality string, step Step) []string {
		return Level{Flags: column, Quality: quality}.Flagged(step)
	}
	for _, row := range []struct {
		got  []string
		want string
	}{
		{level("0,0,0,0", "p", SixMinute), ""},
		{level("7,0,0,0", "p", SixMinute), ""},
		{level("0,1,0,0", "p", SixMinute), "flat"},
		{level("0,1,1,1", "p", SixMinute), "flat, rate of change, limit"},
		{level("0,0,2,0", "p", SixMinute), "rate of change"},
		{level(" 0, 0, 0, 1 ", "p", SixMinute), "limit"},
		{level("1,0,0,0", "v", SixMinute), "inferred"},
		{level("1,0,1,0", "v", SixMinute), "inferred, rate of change"},
		{level("0,0,0,1", "", SixMinute), "limit"},
		{level("0,0", "", Hourly), ""},
		{level("1,1", "", Hourly), "inferred, limit"},
		{level("", "", OneMinute), ""},
		{level("0", "", OneMinute), "unknown flag"},
		{level("", "p", SixMinute), "unknown flag"},
		{level("0,0,0", "p", SixMinute), "unknown flag"},
		{level("0,0,0,0,0", "p", SixMinute), "unknown flag"},
		{level("0,,0,0", "p", SixMinute), "unknown flag"},
		{level("0,0,0,B", "p", SixMinute), "unknown flag"},
		{level("0,-1,0,0", "p", SixMinute), "unknown flag"},
		{level("0;0;0;0", "p", SixMinute), "unknown flag"},
		{level("0,0,0,0", "", Hourly), "unknown flag"},
		{HighLow{Flags: "0,1"}.Flagged(), "limit"},
		{DailyMean{Flags: "1,0"}.Flagged(), "inferred"},
		{DailyExtreme{Flags: "0"}.Flagged(), ""},
		{DailyExtreme{Flags: "1"}.Flagged(), "unknown flag"},
		{Reading{Flags: "1,0,1"}.Flagged("air_pressure"), "maximum, rate of change"},
		{Reading{Flags: "0,1,0"}.Flagged("water_temperature"), "minimum"},
		{Reading{Flags: "0,0"}.Flagged("visibility"), "unknown flag"},
		{Reading{Flags: "3,0,0,1"}.Flagged("air_gap"), "limit"},
		{Reading{}.Flagged("salinity"), ""},
		{Reading{Flags: "0"}.Flagged("salinity"), "unknown flag"},
		{Wind{Flags: "0,0"}.Flagged(), ""},
		{Wind{Flags: "1,0"}.Flagged(), "maximum"},
		{Wind{Flags: "0,0,0"}.Flagged(), "unknown flag"},
	} {
		if got := strings.Join(row.got, ", "); got != row.want {
			t.Errorf("flags are %q, want %q", got, row.want)
		}
		doubt := strings.Trim(strings.ReplaceAll(row.want, Inferred, ""), ", ") != ""
		if got := Doubtful(row.got); got != doubt {
			t.Errorf("Doubtful(%q) = %v, want %v", row.got, got, doubt)
		}
	}
}

// TestRecordedFlags checks that none of the recorded values is in doubt: all of them are good, and
// the rows of failed sensors do not have a value.
func TestRecordedFlags(t *testing.T) {
	columns := map[string][]string{
		"water_level": verifiedFlags, "water_temperature": readingFlags, "wind": windFlags,
		"visibility": readingFlags, "air_pressure": readingFlags, "humidity": readingFlags,
		"conductivity": readingFlags, "air_gap": preliminaryFlags,
	}
	counts := map[string]int{}
	for _, folder := range []string{"recordings", "recordings2"} {
		root := filepath.Join(trials.Shared(t), folder, "coops")
		err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			names := slices.Collect(maps.Keys(columns))
			product := slices.IndexFunc(names, func(name string) bool {
				return strings.Contains(strings.TrimPrefix(path, root), name)
			})
			if product < 0 || strings.Contains(path, "errors") {
				return nil
			}
			name := names[product]
			body, err := os.ReadFile(path)
			var doc struct{ Data []map[string]string }
			if err != nil || json.Unmarshal(body, &doc) != nil {
				return err
			}
			for _, row := range doc.Data {
				if row["v"] == "" && row["d"] == "" {
					continue
				}
				counts[name]++
				if got := flagNames(row["f"], columns[name]); Doubtful(got) {
					t.Errorf("%s: %v is in doubt: %v", path, row, got)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range columns {
		if counts[name] == 0 {
			t.Errorf("no recorded values of %s", name)
		}
	}
}
