package facts

import (
	"math"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/nws"
)

// TestBulletinExpiry checks that a text is fresh for seven hours and stale from its own expiry
// on, whichever comes first. A text without an expiry is stale after a day.
func TestBulletinExpiry(t *testing.T) {
	issued := noon
	for _, test := range []struct {
		age, life time.Duration
		want      coast.Freshness
	}{
		{2 * time.Hour, 2*time.Hour + 1, coast.Fresh},
		{2 * time.Hour, 2 * time.Hour, coast.Stale}, // expires while it is fresh
		{7 * time.Hour, 48 * time.Hour, coast.Fresh},
		{47 * time.Hour, 48 * time.Hour, coast.Aging},
		{7 * time.Hour, 0, coast.Fresh},
		{7*time.Hour + 1, 0, coast.Aging},
		{24 * time.Hour, 0, coast.Aging},
		{24*time.Hour + 1, 0, coast.Stale},
	} {
		var expires time.Time
		if test.life > 0 {
			expires = issued.Add(test.life)
		}
		if got := bulletinAged(issued.Add(test.age), issued, expires); got != test.want {
			t.Errorf("%v old, valid for %v: %s, want %s", test.age, test.life, got, test.want)
		}
	}
}

// TestClockSkew checks that the age of data with a time in the future is unknown.
func TestClockSkew(t *testing.T) {
	for age, want := range map[time.Duration]coast.Freshness{
		-9 * time.Minute: coast.Fresh, -11 * time.Minute: coast.Unknown,
		-876000 * time.Hour: coast.Unknown,
	} {
		if got := QuickLifetime.freshness(age); got != want {
			t.Errorf("an age of %v is %s, want %s", age, got, want)
		}
		if got := bulletinAged(noon, noon.Add(-age), noon.Add(-age).Add(6*time.Hour)); got != want {
			t.Errorf("a bulletin %v old is %s, want %s", age, got, want)
		}
	}
}

// TestImpossible checks that an impossible value is missing.
func TestImpossible(t *testing.T) {
	for _, v := range []float64{-12.5, 99999999, math.Inf(1)} {
		if got := measured["wind_speed"].bounds.Possible(&v); got != nil {
			t.Errorf("a wind of %v m/s is returned", v)
		}
		if got := gridSpeed.bounds.Possible(&v); got != nil {
			t.Errorf("a wind of %v km/h is returned", v)
		}
	}
	for name, m := range measured {
		if m.bounds.least >= m.bounds.most {
			t.Errorf("%s has no bounds", name)
		}
	}
	calm := 0.0
	if got := measured["wind_speed"].bounds.Possible(&calm); got == nil || *got != 0 {
		t.Error("a wind speed of 0 is missing")
	}
}

// bulletinAged returns the freshness at now of a text.
func bulletinAged(now, issued, expires time.Time) coast.Freshness {
	b, s := nws.Bulletin{Issued: issued}, nws.Segment{Expires: expires}
	return Clock{now}.TextSource(b, s, now).Freshness
}
