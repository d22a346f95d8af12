package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// row is one station as dump.mjs writes it. Numbers are the package's
// 32-bit floats; their decimals are restored when they are encoded.
type row struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Context     string  `json:"context"` // the rest of NOAA's own name, else empty
	Kind        string  `json:"kind"`    // tide, current
	Type        string  `json:"type"`    // reference, subordinate
	Latitude    float64 `json:"latitude"`
	Longitude   float64 `json:"longitude"`
	Timezone    string  `json:"timezone"`
	Region      string  `json:"region"`
	CountryCode string  `json:"country"` // ISO 3166-1
	Disclaimers string  `json:"disclaimers"`
	Epoch       *struct {
		Start string `json:"start"`
		End   string `json:"end"`
	} `json:"epoch"`
	Offsets *struct {
		Reference string `json:"reference"`
		Time      struct {
			High int `json:"high"`
			Low  int `json:"low"`
		} `json:"time"`
		Height struct {
			High float64 `json:"high"`
			Low  float64 `json:"low"`
			Type string  `json:"type"` // ratio, fixed
		} `json:"height"`
	} `json:"offsets"`
	Current *struct {
		Flood   *float64 `json:"flood_direction"`
		Ebb     *float64 `json:"ebb_direction"`
		Mean    float64  `json:"mean_flow"`
		Offsets *struct {
			Reference   string  `json:"reference"`
			BeforeFlood int     `json:"slack_before_flood"`
			BeforeEbb   int     `json:"slack_before_ebb"`
			Flood       int     `json:"flood_time"`
			Ebb         int     `json:"ebb_time"`
			FloodRatio  float64 `json:"flood_speed_ratio"`
			EbbRatio    float64 `json:"ebb_speed_ratio"`
		} `json:"offsets"`
	} `json:"current"`
	Harmonics []struct {
		Name      string  `json:"name"`
		Amplitude float64 `json:"amplitude"`
		Phase     float64 `json:"phase"`
	} `json:"harmonics"`
	Datums map[string]float64 `json:"datums"`
}

// The number of rows of the pinned version; another number means another package.
const (
	tideRows    = 3501
	currentRows = 2561
)

// readRows reads a dump and sorts it in the order of the directory: by id, without regard
// to case.
func readRows(dump io.Reader) ([]row, error) {
	var rows []row
	lines := bufio.NewScanner(dump)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("reading row %d of the dump: %w", len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the dump: %w", err)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return strings.Compare(sortKey(a.id()),
			sortKey(b.id()))
	})
	if err := checkCounts(rows); err != nil {
		return nil, err
	}
	return rows, correct(rows)
}

func checkCounts(rows []row) error {
	count := map[string]int{}
	for _, r := range rows {
		count[r.Kind]++
	}
	if count["tide"] != tideRows || count["current"] != currentRows ||
		len(rows) != tideRows+currentRows {
		return fmt.Errorf("the dump has %d tide and %d current rows, want %d and %d",
			count["tide"], count["current"], tideRows, currentRows)
	}
	return nil
}

func sortKey(id string) string { return strings.ToUpper(id) }

// ourID converts the package's EPT0003@11 (and noaa/EPT0003@11 of a reference) to
// EPT0003_11, the form of an id that requests may use.
func ourID(id string) string {
	return strings.ReplaceAll(strings.TrimPrefix(id, "noaa/"), "@", "_")
}

func (r row) id() string { return ourID(r.ID) }

// bin returns the number of the bin whose constants a current row has, 0 if it is not
// known.
func (r row) bin() int {
	if _, number, found := strings.Cut(r.ID, "@"); found {
		n, _ := strconv.Atoi(number) // the package's ids end in numbers; a test checks it
		return n
	}
	return defaultBins[r.ID]
}

// name restores NOAA's name: the package stores the part before the first comma
// separately and joins the others by middle dots.
func (r row) name() string {
	if r.Context == "" {
		return r.Name
	}
	return r.Name + ", " + strings.ReplaceAll(r.Context, " · ", ", ")
}

// reference returns the id of the reference station of a subordinate one, else empty.
func (r row) reference() string {
	switch {
	case r.Offsets != nil:
		return ourID(r.Offsets.Reference)
	case r.Current != nil && r.Current.Offsets != nil:
		return ourID(r.Current.Offsets.Reference)
	}
	return ""
}

// epoch returns the first and last year of the tidal datum epoch; the package writes the
// year 0 if NOAA has no epoch.
func (r row) epoch() (first, last int, err error) {
	if r.Epoch == nil {
		return 0, 0, nil
	}
	if _, err = fmt.Sscanf(r.Epoch.Start, "%4d-", &first); err == nil {
		_, err = fmt.Sscanf(r.Epoch.End, "%4d-", &last)
	}
	return first, last, err
}
