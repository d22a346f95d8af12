package noaa

import (
	"cmp"
	"context"
	"strconv"
	"time"
)

// Current is the movement of the water in one bin, a layer at a fixed depth,
// which the metadata of the station's bins tells.
type Current struct {
	Time      time.Time // UTC
	Bin       int
	Speed     *float64 // cm/s
	Direction *float64 // degrees true, toward

	// Of each of the meter's four beams, where details are asked for; nil else.
	Echo        []*float64 // strength of the echo, counts
	Correlation []*float64 // of the echoes of two pings, counts
}

var currents = form[Current]{
	list: "data",
	at:   func(c Current) time.Time { return c.Time },
	tell: func(a, b Current) int { return cmp.Compare(a.Bin, b.Bin) },
	fill: each(func(r *rows) Current {
		return Current{
			Time:        r.time("t"),
			Bin:         r.whole("b"),
			Speed:       r.value("s"),
			Direction:   r.value("d"),
			Echo:        r.beams("echo1", "echo2", "echo3", "echo4"),
			Correlation: r.beams("corr1", "corr2", "corr3", "corr4"),
		}
	}),
}

// beams are the numbers of a meter's beams, nil where the row has none of the
// keys.
func (r *rows) beams(keys ...string) []*float64 {
	var out []*float64
	for i, key := range keys {
		if _, ok := r.member(key); !ok {
			continue
		}
		if out == nil {
			out = make([]*float64, len(keys))
		}
		out[i] = r.number(key)
	}
	return out
}

// Currents are the currents measured at a station every six minutes, or
// hourly. A nil bin is the station's own choice, 0 all of them. Errors:
// StationNotFound, ProductUnavailable, InvalidRequest (no such bin),
// RangeTooLong (over 310 days; of all bins 70, in detail 30),
// ProviderUnavailable.
func (c *Client) Currents(ctx context.Context, station string, bin *int, hourly, detailed bool, p Period) (Records[Current], error) {
	q := asking("currents", station, 31, live)
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
	out, _, err := gather(ctx, c, q, currents, p)
	return out, err
}
