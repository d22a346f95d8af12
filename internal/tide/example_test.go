package tide_test

import (
	"fmt"
	"time"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

// High and low water at Santa Barbara as NOAA CO-OPS publishes them: station
// 9411340, 2026-10-10, MLLW, GMT: 04:43 4.963 ft, 10:32 1.015, 16:45 5.889,
// 23:20 0.146.
func ExampleTides_Extremes() {
	d, err := stations.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _ := d.Station("9411340")
	p, _ := d.Tides(s, "MLLW")
	day := time.Date(2026, 10, 10, 0, 0, 0, 0, time.UTC)
	for _, e := range p.Extremes(day, day.AddDate(0, 0, 1)) {
		fmt.Printf("%s %.2f ft, high %v\n", e.Time.Format("15:04"), e.Height/0.3048, e.High)
	}
	// Output:
	// 04:43 4.96 ft, high true
	// 10:32 1.01 ft, high false
	// 16:45 5.89 ft, high true
	// 23:20 0.15 ft, high false
}

// Hourly heights at Wrightsville Beach as NOAA CO-OPS publishes them: station
// 8658163, 2021-01-01 from 00:00, STND, GMT: 6.659 m, 6.745, 6.694.
func ExampleTides_Heights() {
	d, err := stations.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _ := d.Station("8658163")
	p, _ := d.Tides(s, "STND")
	heights := make([]float64, 3)
	p.Heights(time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC), time.Hour, heights)
	fmt.Printf("%.2f\n", heights)
	// Output: [6.66 6.75 6.69]
}

// The afternoon on which the tide at Pillar Point is below MLLW.
func ExampleTides_Below() {
	d, err := stations.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _ := d.Station("9414131")
	p, _ := d.Tides(s, "MLLW")
	noon := time.Date(2026, 11, 24, 20, 0, 0, 0, time.UTC)
	for _, s := range p.Below(noon, noon.Add(12*time.Hour), 0) {
		fmt.Println(s.From.Format("15:04:05"), "to", s.To.Format("15:04:05"))
	}
	// Output: 22:22:46 to 02:46:04
}

// The current off Estes Head as NOAA CO-OPS publishes it: station EPT0003, bin
// 14, 2026-09-26, GMT: flood 119.9 cm/s at 01:02, slack at 03:33, ebb −139.7
// at 07:02.
func ExampleCurrents_Events() {
	d, err := stations.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _ := d.Station("EPT0003")
	c, _ := d.Currents(s)
	day := time.Date(2026, 9, 26, 0, 0, 0, 0, time.UTC)
	for _, e := range c.Events(day, day.Add(8*time.Hour)) {
		fmt.Printf("%s %.1f kn, %s\n", e.Time.Format("15:04"), e.Velocity, e.Phase)
	}
	// Output:
	// 01:02 2.3 kn, flood
	// 03:33 -0.0 kn, slack
	// 07:02 -2.7 kn, ebb
}

// The principal lunar tide of Boston (NOAA CO-OPS, 8443970, harmonic
// constituents: 1.371 m, 109.2°) alone.
func ExampleNewCurve() {
	m2, _ := tide.Lookup("M2")
	curve := tide.NewCurve([]tide.Harmonic{{Constituent: m2, Amplitude: 1.371, Phase: 109.2}})
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	fmt.Printf("%.2f m, rising %.2f m an hour\n", curve.At(noon), curve.Rate(noon))
	for _, e := range (tide.Tides{Curve: curve}).Extremes(noon, noon.Add(12*time.Hour)) {
		fmt.Printf("%s %.2f\n", e.Time.Format("15:04"), e.Height)
	}
	// Output:
	// -0.96 m, rising 0.46 m an hour
	// 16:43 1.33
	// 22:55 -1.33
}

func ExampleLookup() {
	i, ok := tide.Lookup("LDA2")
	c := tide.Constituents()[i]
	fmt.Println(c.Number, c.Name, c.Speed, ok)
	// Output: 16 LAM2 29.4556253 true
}
