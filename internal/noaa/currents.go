package noaa

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"leadline/internal/upstream"
)

// Current is the movement of the water in one bin, a layer at a fixed depth that the metadata of
// the station's bins give.
type Current struct {
	Time      time.Time // UTC
	Bin       int
	Speed     *float64 // cm/s
	Direction *float64 // degrees true, toward

	// Of each of the meter's four beams, if details are requested; else nil.
	Echo        []*float64 // strength of the echo, counts
	Correlation []*float64 // of the echoes of two pings, counts
}

var currentFormat = format[Current]{
	list:        "data",
	at:          func(c Current) time.Time { return c.Time },
	compareSame: func(a, b Current) int { return cmp.Compare(a.Bin, b.Bin) },
	fill: fromRows(func(r *record) Current {
		return Current{
			Time:        r.instant("t"),
			Bin:         r.requiredInt("b"),
			Speed:       r.value("s"),
			Direction:   r.value("d"),
			Echo:        r.beams("echo1", "echo2", "echo3", "echo4"),
			Correlation: r.beams("corr1", "corr2", "corr3", "corr4"),
		}
	}),
}

// beams returns the numbers of a meter's beams, nil if the row does not have any of the keys.
func (r *record) beams(keys ...string) []*float64 {
	var out []*float64
	for i, key := range keys {
		if !r.has(key) {
			continue
		}
		if out == nil {
			out = make([]*float64, len(keys))
		}
		out[i] = r.number(key)
	}
	return out
}

// Currents returns the currents measured at a station every six minutes, or hourly. A nil bin is
// the station's default, 0 all of them. Errors:
// StationNotFound, ProductUnavailable, InvalidRequest (no such bin),
// RangeTooLong (over 310 days; of all bins 70, in detail 30),
// ProviderUnavailable.
func (c *Client) Currents(
	ctx context.Context, station string, bin *int, hourly, detailed bool, p Period,
) (Records[Current], error) {
	q := newDataQuery("currents", station, 31, live)
	if bin != nil {
		q = q.with("bin", strconv.Itoa(*bin))
		if *bin == 0 {
			q.limit = 7
		}
		if *bin == 0 && detailed {
			q.limit = 3 // ours: a week of 30 bins would be ten megabytes
		}
	}
	if hourly {
		q = q.with("interval", "h")
	}
	if detailed {
		q = q.with("expand", "detailed")
	}
	out, _, err := getPeriod(ctx, c, q, currentFormat, p)
	return out, err
}

// CurrentHarmonics holds the constituents of a current at one depth, along the major axis of its
// ellipse and across it.
type CurrentHarmonics struct {
	Bin                  int
	Depth                *float64   // m; of a horizontal meter, the distance
	Azimuth              *float64   // of the major axis, degrees true, toward flood
	MeanMajor, MeanMinor *float64   // kn: the current without tides
	Constituents         []Harmonic // along the major axis, kn
	Minor                []Harmonic // across it, kn
}

// knot is a knot in centimeters per second, by the service's own conversion.
const knot = 51.4444

// speeds maps the units of speed in responses to knots.
var speeds = map[string]float64{
	"knots": 1, "kn": 1,
	"centimeters/second": 1 / knot, "cm/s": 1 / knot,
}

// CurrentHarmonics returns the constituents of the current in one bin of a station, by the number
// of the bin, which is at least 1; any other number is an error without a request. Without a number
// the service would list all bins that it predicts in ascending order. The first of them is not its
// default bin.
func (c *Client) CurrentHarmonics(
	ctx context.Context, id string, bin int,
) (upstream.Value[CurrentHarmonics], error) {
	if bin < 1 {
		return upstream.Value[CurrentHarmonics]{}, fmt.Errorf(
			"constituents of %s: invalid bin %d: must be at least 1", id, bin)
	}
	q := newDocumentQuery(id, "harcon", "harmonic constituents of the current in bin "+
		strconv.Itoa(bin))
	// The service stores thousandths of a knot and rounds after conversion, so metric values are
	// less precise.
	q.query.Set("units", "english")
	q.query.Set("bin", strconv.Itoa(bin))
	read := func(body []byte) (CurrentHarmonics, error) { return readCurrentHarmonics(body, bin) }
	return getDocument(ctx, c, q, read)
}

// readCurrentHarmonics reads the constituents of one bin and ignores all others.
func readCurrentHarmonics(body []byte, bin int) (CurrentHarmonics, error) {
	r := openDocument(body)
	r.need("HarmonicConstituents")
	length, speed := r.currentUnits()
	var h CurrentHarmonics
	r.each("HarmonicConstituents", func(row *record) {
		if row.requiredInt("binNbr") != bin {
			return
		}
		if len(h.Constituents) == 0 {
			h.Bin, h.Azimuth = bin, row.number("azi")
			h.Depth = scaled(row.number("binDepth"), length)
			h.MeanMajor = scaled(row.number("majorMeanSpeed"), speed)
			h.MeanMinor = scaled(row.number("minorMeanSpeed"), speed)
		}
		one := Harmonic{Number: row.requiredInt("constNum"), Name: row.requiredText("constituentName"),
			Description: row.text("description")}
		one.Amplitude, one.Phase = row.required("majorAmplitude")*speed, row.required("majorPhaseGMT")
		h.Constituents = append(h.Constituents, one)
		if across := row.number("minorAmplitude"); across != nil {
			one.Amplitude, one.Phase = *across*speed, row.required("minorPhaseGMT")
			h.Minor = append(h.Minor, one)
		}
	})
	if r.err == nil && len(h.Constituents) == 0 {
		r.err = errNoData
	}
	if r.err != nil {
		return CurrentHarmonics{}, r.err
	}
	return h, nil
}

// currentUnits reads the two units of a document about currents, "feet, knots" or "meters,
// centimeters/second", and returns factors to meters and knots.
func (r *record) currentUnits() (length, speed float64) {
	length, speed = feet, 1 // as requested
	for name := range strings.SplitSeq(strings.ToLower(r.text("units")), ",") {
		name = strings.TrimSpace(name)
		if f, ok := lengths[name]; ok {
			length = f
		} else if f, ok := speeds[name]; ok {
			speed = f
		} else if name != "" {
			r.unknown("units is %.40q", name)
		}
	}
	return length, speed
}

// CurrentOffsets holds the offsets that turn the current of a reference station into the current
// of a subordinate station.
type CurrentOffsets struct {
	Reference    string
	ReferenceBin int // 0 if the service does not give it
	// Mean directions toward which flood and ebb run, degrees true.
	FloodDirection, EbbDirection *float64
	// Minutes added to the times of the reference: of the strongest flood, the
	// slack before ebb, the strongest ebb, the slack before flood.
	Flood, SlackBeforeEbb, Ebb, SlackBeforeFlood int
	FloodRatio, EbbRatio                         float64 // of the speeds
}

// CurrentOffsets returns the offsets of one bin of a current-prediction station. The service lists
// them by station and bin only.
func (c *Client) CurrentOffsets(
	ctx context.Context, id string, bin int,
) (upstream.Value[CurrentOffsets], error) {
	q := newDocumentQuery(id+"_"+strconv.Itoa(bin), "currentpredictionoffsets",
		"current prediction offsets")
	return getDocument(ctx, c, q, readCurrentOffsets)
}

func readCurrentOffsets(body []byte) (CurrentOffsets, error) {
	r := openDocument(body)
	r.need("refStationId")
	if r.raw("refStationId") == nil {
		if r.err == nil {
			r.err = errNoData
		}
		return CurrentOffsets{}, r.err
	}
	o := CurrentOffsets{
		Reference: r.text("refStationId"), FloodDirection: r.number("meanFloodDir"),
		EbbDirection: r.number("meanEbbDir"),
		Flood:        r.requiredInt("mfcTimeAdjMin"), SlackBeforeEbb: r.requiredInt("sbeTimeAdjMin"),
		Ebb: r.requiredInt("mecTimeAdjMin"), SlackBeforeFlood: r.requiredInt("sbfTimeAdjMin"),
		FloodRatio: r.required("mfcAmpAdj"), EbbRatio: r.required("mecAmpAdj"),
	}
	if bin := r.integer("refStationBin"); bin != nil {
		o.ReferenceBin = *bin
	}
	return o, r.err
}

// CurrentDirections holds the mean directions of a current, degrees true, toward which flood and
// ebb run. They are nil if the service does not give them.
type CurrentDirections struct{ Flood, Ebb *float64 }

// CurrentDirections returns the mean directions of the current in one bin of a station, reference
// or subordinate. They are in the document of the offsets, which a reference station has without
// offsets.
func (c *Client) CurrentDirections(
	ctx context.Context, id string, bin int,
) (upstream.Value[CurrentDirections], error) {
	q := newDocumentQuery(id+"_"+strconv.Itoa(bin), "currentpredictionoffsets",
		"mean directions of the current")
	return getDocument(ctx, c, q, readCurrentDirections)
}

func readCurrentDirections(body []byte) (CurrentDirections, error) {
	r := openDocument(body)
	r.need("meanFloodDir")
	d := CurrentDirections{r.number("meanFloodDir"), r.number("meanEbbDir")}
	if r.err == nil && d == (CurrentDirections{}) {
		r.err = errNoData
	}
	return d, r.err
}

// Bins describes the layers of water in which a current meter measures.
type Bins struct {
	Count       int
	Size, First *float64 // m: height of a bin, distance of the first one's middle from the meter
	RealTime    *int     // number of the bin whose currents are published
	Bins        []Bin
}

// Bin is one layer. Horizontal meters have distances in place of depths.
type Bin struct {
	Number          int
	Depth, Distance *float64 // m
}

// Bins returns the bins of a current meter.
func (c *Client) Bins(ctx context.Context, id string) (upstream.Value[Bins], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "bins", "bins"), readBins)
}

func readBins(body []byte) (Bins, error) {
	r := openDocument(body)
	r.need("bins", "nbr_of_bins")
	unit := r.factor(lengths, 1, "units")
	b := Bins{
		Size: scaled(r.number("bin_size"), unit), First: scaled(r.number("center_bin_1_dist"), unit),
		RealTime: r.integer("real_time_bin"),
	}
	r.each("bins", func(row *record) {
		b.Bins = append(b.Bins, Bin{
			Number: row.requiredInt("num"), Depth: scaled(row.number("depth"), unit),
			Distance: scaled(row.number("distance"), unit),
		})
	})
	b.Count = len(b.Bins)
	if n := r.integer("nbr_of_bins"); n != nil {
		b.Count = *n
	}
	if r.err == nil && b.Count == 0 && len(b.Bins) == 0 {
		return Bins{}, errNoData
	}
	return b, r.err
}

// Deployment is one deployment of a current meter at a station. The service does not give the time
// zone: use the days only.
type Deployment struct {
	From, To            *time.Time // To is nil while it lasts
	Latitude, Longitude *float64
	Instrument, Serial  string   // "Sontek ADP/Nortek AWAC"
	Frequency           *float64 // kHz
	Beams, RealTimeBin  *int
}

// CurrentMeter describes how the current is measured at a station. The values of the station are
// not from its newest deployment: the span of good data may have ended years before it.
type CurrentMeter struct {
	FloodDirection *float64 // degrees true, toward which the flood runs
	Orientation    string   // side, up, down
	// In meters: depth of the sensor; of the water, as planned and as measured; and the height of
	// the sensor above the bottom.
	SensorDepth, Depth, MeasuredDepth, Height *float64
	FirstGood, LastGood                       *time.Time // unknown zone: use the days only
	Deployments                               []Deployment
}

// Deployments returns the deployments of current meters at a station, usually the newest first, and
// how they measure.
func (c *Client) Deployments(ctx context.Context, id string) (upstream.Value[CurrentMeter], error) {
	return getDocument(ctx, c, newDocumentQuery(id, "deployments", "deployments"), readDeployments)
}

func readDeployments(body []byte) (CurrentMeter, error) {
	r := openDocument(body)
	r.need("deployments")
	unit := r.factor(lengths, 1, "units")
	m := CurrentMeter{
		FloodDirection: r.number("flood_direction_degrees"), Orientation: r.text("orientation"),
		SensorDepth: scaled(r.number("sensor_depth"), unit), Depth: scaled(r.number("depth"), unit),
		MeasuredDepth: scaled(r.number("measured_depth"), unit),
		Height:        scaled(r.number("height_from_bottom"), unit),
		FirstGood:     r.moment("first_good_data"), LastGood: r.moment("last_good_data"),
	}
	r.each("deployments", func(row *record) {
		row.need("deployed")
		m.Deployments = append(m.Deployments, row.deployment())
	})
	if r.err == nil && len(m.Deployments) == 0 {
		r.err = errNoData
	}
	if r.err != nil {
		return CurrentMeter{}, r.err
	}
	return m, nil
}

func (r *record) deployment() Deployment {
	return Deployment{
		From: r.moment("deployed"), To: r.moment("retrieved"),
		Latitude: r.number("lat"), Longitude: r.number("lng", "lon"),
		Instrument: r.text("instrument_desc"), Serial: r.text("serial_num"),
		Frequency: r.number("frequency"), Beams: r.integer("nbr_beams"),
		RealTimeBin: r.integer("real_time_bin"),
	}
}
