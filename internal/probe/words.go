package probe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"leadline/internal/noaa"
	"leadline/internal/upstream"
)

// found describes what a probe read, for people.
type found struct {
	words   string
	differs bool // from our prediction
	hollow  bool // the provider has a sentence in place of rows
}

// minute is the layout of times, UTC.
const minute = "2006-01-02 15:04"

// span returns a period that ends now or earlier.
type span func(now time.Time) noaa.Period

// newest requests the newest value.
func newest(time.Time) noaa.Period { return noaa.Period{} }

// lastDay returns the last 24 hours.
func lastDay(now time.Time) noaa.Period {
	return noaa.Period{From: now.Add(-24 * time.Hour), To: now}
}

// verified returns a period of days that ended four months ago: values are verified by then.
func verified(days int) span {
	return func(now time.Time) noaa.Period {
		to := now.UTC().Truncate(24*time.Hour).AddDate(0, -4, 0)
		return noaa.Period{From: to.AddDate(0, 0, -days), To: to.Add(-time.Minute)}
	}
}

// rows is a probe of the data service about a place. unit describes the values.
func rows[R any](of place, what, unit string, when span, at func(R) time.Time,
	ask func(context.Context, *noaa.Client, string, noaa.Period) (noaa.Records[R], error),
) probe {
	return probe{of.about(what), func(ctx context.Context, c Config) (found, error) {
		got, err := ask(ctx, c.Water, of.id, when(c.Now()))
		if err != nil {
			return found{}, err
		}
		last := at(got.Rows[len(got.Rows)-1])
		return found{words: fmt.Sprintf("%s to %s UTC, %s", plural(len(got.Rows), "row"),
			last.UTC().Format(minute), unit)}, nil
	}}
}

// document is a probe of the metadata or the derived-product service about a place.
func document[T any](of place, what string,
	ask func(*noaa.Client, context.Context, string) (upstream.Value[T], error),
	say func(T) string,
) probe {
	return probe{of.about(what), func(ctx context.Context, c Config) (found, error) {
		got, err := ask(c.Water, ctx, of.id)
		if err != nil {
			return found{}, err
		}
		return found{words: say(got.Data)}, nil
	}}
}

// listed returns the words of a list.
func listed[T any](list []T) string { return plural(len(list), "row") }

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// number returns a value with its unit.
func number(v *float64, unit string) string {
	if v == nil {
		return "none"
	}
	return strings.TrimSpace(fmt.Sprintf("%g %s", *v, unit))
}

func day(t *time.Time) string {
	if t == nil {
		return "no day"
	}
	return t.Format(time.DateOnly)
}
