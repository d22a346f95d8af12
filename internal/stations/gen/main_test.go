package main

import (
	"math"
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for _, row := range []struct{ name, context, want string }{
		{"Boston", "", "Boston"}, {"Nonopapa", "Niihau Island", "Nonopapa, Niihau Island"},
		{"Tuckerton", "Shooting Thorofare · Little Egg Inlet",
			"Tuckerton, Shooting Thorofare, Little Egg Inlet"},
	} {
		if got := named(row.name, row.context).name(); got != row.want {
			t.Errorf("name of %q, %q = %q, want %q", row.name, row.context, got, row.want)
		}
	}
}

func named(name, context string) row { return row{Name: name, Context: context} }

func TestState(t *testing.T) {
	for _, r := range []struct {
		row
		want string
	}{
		{row{Region: "US-ME"}, "ME"}, {row{Region: "CA-BC", Timezone: "America/Sitka"}, ""},
		{row{Timezone: "America/Sitka"}, "AK"},
		{row{Timezone: "America/Puerto_Rico"}, "PR"}, {row{Timezone: "Pacific/Honolulu"}, ""},
		{row{ID: "8578931", Region: "US-VA"}, "MD"}, {row{ID: "TWC0895", Region: "US-OR"}, "WA"},
	} {
		if got := r.state(); got != r.want {
			t.Errorf("state of %+v = %q, want %q", r.row, got, r.want)
		}
	}
}

// TestFixed restores decimals from 32 bits and refuses values that are not such decimals.
func TestFixed(t *testing.T) {
	for _, row := range []struct {
		value    float64
		decimals int
		want     int
		ok       bool
	}{
		{float64(float32(0.171)), 3, 171, true}, {float64(float32(59.4)), 1, 594, true},
		{float64(float32(-1.34)), 2, -134, true},
		{684, 1, 6840, true}, {0.1715, 3, 172, false}, {59.45, 1, 595, false}, {40, 3, 40000, false},
		{math.NaN(), 1, 0, false},
	} {
		e := encoder{}
		got := e.fixed(named("", ""), row.value, row.decimals, math.MinInt16, math.MaxInt16)
		if (e.err == nil) != row.ok || row.ok && got != row.want {
			t.Errorf("fixed(%v, %d) = %d, %v, want %d, %v", row.value, row.decimals, got, e.err, row.want,
				row.ok)
		}
	}
}

func TestOverrides(t *testing.T) {
	for _, table := range [][]override{overrides, tables} {
		seen := map[string]bool{}
		for _, o := range table {
			if o.reason == "" || o.zone == "" {
				t.Errorf("no reason or zone for %s", o.ids)
			}
			for _, id := range strings.Fields(o.ids) {
				if seen[id] {
					t.Errorf("%s is a duplicate", id)
				}
				seen[id] = true
			}
		}
	}
}

// TestReadRows refuses dumps that are not of the pinned version.
func TestReadRows(t *testing.T) {
	for _, dump := range []string{"", "{", `{"id":"8443970","kind":"tide"}`} {
		if _, err := readRows(strings.NewReader(dump)); err == nil {
			t.Errorf("%q was accepted as the package", dump)
		}
	}
}

// TestChecker checks that differences are found.
func TestChecker(t *testing.T) {
	var c checker
	c.same(row{ID: "1"}, "zone", "a", "a")
	c.number(row{ID: "1"}, "level", 0.171, float64(float32(0.171)))
	if len(c.faults) != 0 {
		t.Errorf("faults of equal values: %v", c.faults)
	}
	c.same(row{ID: "1"}, "zone", "a", "b")
	c.number(row{ID: "1"}, "level", 0.171, float64(float32(0.172)))
	if len(c.faults) != 2 {
		t.Errorf("faults = %v, want two", c.faults)
	}
}
