package health

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/status"
	"leadline/internal/web/view"
)

// TestContrastOfBars computes the contrast of bars and states with the sheet of a card, in both
// schemes: at least 4.5 for words and 3 for shapes (WCAG 2.2, 1.4.3 and 1.4.11).
func TestContrastOfBars(t *testing.T) {
	body := string(statusView.HTML(statusPage{}))
	dark := map[string]float64{}
	const inDark = `@media \(prefers-color-scheme:dark\)\{:root\{([^}]*)\}`
	blocks := regexp.MustCompile(inDark)
	for _, m := range blocks.FindAllStringSubmatch(body, -1) {
		readColors(m[1], dark)
	}
	light := map[string]float64{}
	for _, m := range regexp.MustCompile(`:root\{([^}]*)\}`).
		FindAllStringSubmatch(blocks.ReplaceAllString(body, ""), -1) {
		readColors(m[1], light)
	}
	for name, set := range map[string]map[string]float64{"light": light, "dark": dark} {
		for color, least := range map[string]float64{
			"b-ok": 4.5, "b-low": 4.5, "b-off": 4.5, "b-no": 3, "soft": 4.5,
		} {
			got, ok := set[color]
			sheet, there := set["sheet"]
			ratio := (max(got, sheet) + 0.05) / (min(got, sheet) + 0.05)
			if !ok || !there || ratio < least {
				t.Errorf("%s: %s has contrast %.2f, want %v", name, color, ratio, least)
			}
		}
	}
}

// readColors reads the relative luminances of custom properties (WCAG 2.2, "relative luminance").
func readColors(css string, into map[string]float64) {
	for _, m := range regexp.MustCompile(`--([a-z-]+):#([0-9a-f]{6})`).FindAllStringSubmatch(css, -1) {
		v, _ := strconv.ParseUint(m[2], 16, 32)
		sum := 0.0
		for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
			c := float64(v>>(8*i)&255) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		into[m[1]] = sum
	}
}

// TestWordsOfDays checks the texts of days.
func TestWordsOfDays(t *testing.T) {
	days := make([]status.Day, 90)
	first := time.Date(2026, 8, 23, 0, 0, 0, 0, time.UTC)
	for i := range days {
		days[i] = status.Day{Date: first.AddDate(0, 0, i), OK: 1440}
		if i < 12 {
			days[i].OK, days[i].Missing = 0, 1440
		}
	}
	days[20].OK, days[20].Down = 1439, 1
	days[50].OK, days[50].Degraded, days[50].Missing = 0, 9, 1431
	days[81].OK, days[81].Degraded = 1431, 9 // 12 November
	days[88].OK, days[88].Degraded = 1439, 1
	days[89].OK = 700
	if got, want := labelOf(days),
		"Last 90 days: 74 without a fault, 3 degraded, 1 down, 12 not recorded"; got != want {
		t.Errorf("labelOf = %q, want %q", got, want)
	}
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"worstDays", worstDays(days), []string{
			"12 September: 1,439 min without a fault, 1 down",
			"12 November: 1,431 min without a fault, 9 degraded",
			"12 October: 9 min degraded, 1,431 not recorded",
			"19 November: 1,439 min without a fault, 1 degraded",
		}},
		{"allDays", allDays(days), []string{
			"20 Nov so far: 700 min without a fault",
			"19 Nov: 1,439 min without a fault, 1 degraded",
			"13 Nov to 18 Nov, each: 1,440 min without a fault",
			"12 Nov: 1,431 min without a fault, 9 degraded",
			"13 Oct to 11 Nov, each: 1,440 min without a fault",
			"12 Oct: 9 min degraded, 1,431 not recorded",
			"13 Sep to 11 Oct, each: 1,440 min without a fault",
			"12 Sep: 1,439 min without a fault, 1 down",
			"4 Sep to 11 Sep, each: 1,440 min without a fault",
			"23 Aug to 3 Sep, each: not recorded",
		}},
	} {
		for i := range c.got {
			c.got[i] = strings.ReplaceAll(c.got[i], view.Nbsp, " ")
		}
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s = %q, want %q", c.name, c.got, c.want)
		}
	}
}
