package chart

import "image/color"

// Role is the meaning of a shape, which determines its color.
type Role uint8

// The roles.
const (
	None Role = iota
	Sheet
	Dusk
	Night
	Ink
	Soft
	Grid
	Axis
	Water
	Curve
	Observed
	Now
	OnNow
	Minor
	Moderate
	Major
	Flood
	FloodFill
	Ebb
	EbbFill
	Wind
	GustFill
	BarA
	BarB
	Sky0 // night
	Sky1 // astronomical twilight
	Sky2 // nautical twilight
	Sky3 // civil twilight
	Sky4 // day
	MoonLit
	roles
)

// Theme is the color of each role.
type Theme [roles]color.NRGBA

// shade is the name of a role in styles, and its colors.
type shade struct {
	name        string
	light, dark color.NRGBA
}

// rgb returns an opaque color. rgba returns one with an opacity in percent.
func rgb(v uint32) color.NRGBA { return rgba(v, 100) }

func rgba(v uint32, percent int) color.NRGBA {
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), uint8((percent*255 + 50) / 100)}
}

// shades are the colors of all charts. Text has a contrast of at least 4.5 and shapes
// of at least 3 on every ground that they occur on (WCAG 2.2, 1.4.3 and 1.4.11), which
// a test computes. Orange against blue stays apart for all common color-vision
// deficiencies; no fact depends on color alone.
var shades = [roles]shade{
	Sheet:     {"sheet", rgb(0xffffff), rgb(0x121f27)},
	Dusk:      {"dusk", rgb(0xf1f5f8), rgb(0x0e1920)},
	Night:     {"night", rgb(0xe6edf2), rgb(0x0a141a)},
	Ink:       {"ink", rgb(0x10242f), rgb(0xe4ecef)},
	Soft:      {"soft", rgb(0x43565f), rgb(0xa1b2bb)},
	Grid:      {"grid", rgba(0x5b7480, 18), rgba(0xa1b2bb, 16)},
	Axis:      {"axis", rgb(0x71838e), rgb(0x70848f)},
	Water:     {"water", rgba(0x4aa3c4, 32), rgba(0x3a9cc2, 28)},
	Curve:     {"curve", rgb(0x0b5874), rgb(0x7cc6e0)},
	Observed:  {"observed", rgb(0xc04a00), rgb(0xf5a05a)},
	Now:       {"now", rgb(0x10242f), rgb(0xe4ecef)},
	OnNow:     {"onnow", rgb(0xffffff), rgb(0x0b151b)},
	Minor:     {"minor", rgb(0x7a5800), rgb(0xf0cf87)},
	Moderate:  {"moderate", rgb(0xa83a10), rgb(0xffa98a)},
	Major:     {"major", rgb(0x8a1c62), rgb(0xf2a0d4)},
	Flood:     {"flood", rgb(0x0b5874), rgb(0x7cc6e0)},
	FloodFill: {"floodfill", rgba(0x4aa3c4, 40), rgba(0x3a9cc2, 32)},
	Ebb:       {"ebb", rgb(0x8a5200), rgb(0xeebf6e)},
	EbbFill:   {"ebbfill", rgba(0xe0a030, 40), rgba(0xc98a1d, 32)},
	Wind:      {"wind", rgb(0x0b5874), rgb(0x7cc6e0)},
	GustFill:  {"gustfill", rgba(0x4aa3c4, 40), rgba(0x3a9cc2, 32)},
	BarA:      {"bara", rgb(0x0b5874), rgb(0x7cc6e0)},
	BarB:      {"barb", rgb(0xb5750f), rgb(0xc98a1d)},
	Sky0:      {"sky0", rgb(0x16283a), rgb(0x16283a)},
	Sky1:      {"sky1", rgb(0x2c4a66), rgb(0x2c4a66)},
	Sky2:      {"sky2", rgb(0x557c9c), rgb(0x557c9c)},
	Sky3:      {"sky3", rgb(0x9fbfd3), rgb(0x9fbfd3)},
	Sky4:      {"sky4", rgb(0xffe08a), rgb(0xffe08a)},
	MoonLit:   {"moonlit", rgb(0xf4efd9), rgb(0xf4efd9)},
}

// LightTheme and DarkTheme are the two themes.
var (
	LightTheme = themeOf(func(s shade) color.NRGBA { return s.light })
	DarkTheme  = themeOf(func(s shade) color.NRGBA { return s.dark })
)

func themeOf(pick func(shade) color.NRGBA) *Theme {
	var t Theme
	for r, s := range shades {
		t[r] = pick(s)
	}
	return &t
}
