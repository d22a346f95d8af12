// Package telegram writes the high and low waters of whole days at a station as a text short enough
// for one SMS or satellite message, and reads such texts back. It does not predict: what comes in
// is rounded to what the text shows, and nothing else is lost.
//
// A telegram is a line of words, all from the basic alphabet of GSM 03.38, which needs 7 bits a
// character. At most 160 of them fit into one message (3GPP TS 23.040, 9.2.3.24):
//
//	8443970 FT MLLW -0500 22NOV H0719 9.3 L1334 0.4 23NOV NONE NOAA PRED NOT FOR NAV
//
// The words are the station, the unit (FT with one decimal, M with two), the datum, the offset of
// all times from UTC, and then for each day its date and its high (H) and low (L) waters with the
// time of day and the height above the datum. A day without high or low water has the word NONE. On
// a day on which the clocks change, the words CLOCKS -0800 after the date give the offset of clocks
// from then on; the times keep the one offset. The last words say that these are NOAA's
// predictions, and not for navigation.
package telegram

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Most is the number of characters that fit into one message.
const Most = 160

// ending is the end of every telegram.
const ending = "NOAA PRED NOT FOR NAV"

// clocks is the word before the offset of clocks that change.
const clocks = "CLOCKS"

// The units of heights, as a telegram names them.
const (
	Feet   = "FT"
	Meters = "M"
)

// Message holds the tides of a telegram.
type Message struct {
	Station string // id
	Unit    string // Feet or Meters
	Datum   string
	Offset  time.Duration // of all times from UTC, in whole minutes, below a day
	Days    []Day         // consecutive, at least one
}

// Day is a day of a message from midnight to midnight by the message's offset.
type Day struct {
	Date   time.Time      // midnight, in the fixed zone of the message
	Events []Event        // in order of time
	Clocks *time.Duration // offset of clocks from UTC once they have changed on this day, else nil
}

// Event is a high or low water.
type Event struct {
	High   bool
	Time   time.Time // a minute, in the fixed zone of the message
	Height float64   // above the datum, in the message's unit
}

// ErrTooLong means that a message does not fit into one telegram.
var ErrTooLong = errors.New("more than 160 characters")

// Write returns the telegram of a message. Heights are rounded to the decimals of the unit, halves
// away from zero. The error wraps ErrTooLong if the text has more than Most characters; then there
// is no text, rather than one with fewer events.
func Write(m Message) (string, error) {
	words := []string{m.Station, m.Unit, m.Datum, offset(m.Offset)}
	for _, d := range m.Days {
		words = append(words, strings.ToUpper(d.Date.Format("02Jan")))
		if d.Clocks != nil {
			words = append(words, clocks, offset(*d.Clocks))
		}
		if len(d.Events) == 0 {
			words = append(words, "NONE")
		}
		for _, e := range d.Events {
			words = append(words, kind(e.High)+e.Time.Format("1504"), height(e.Height, m.Unit))
		}
	}
	text := strings.Join(append(words, ending), " ")
	if len(text) > Most {
		return "", fmt.Errorf("%w: %d", ErrTooLong, len(text))
	}
	return text, nil
}

func kind(high bool) string {
	if high {
		return "H"
	}
	return "L"
}

func offset(d time.Duration) string {
	sign := '+'
	if d < 0 {
		sign, d = '-', -d
	}
	minutes := int(d / time.Minute)
	return fmt.Sprintf("%c%02d%02d", sign, minutes/60, minutes%60)
}

// Decimals returns the number of decimals of heights in a unit, 0 for an unknown unit.
func Decimals(unit string) int { return map[string]int{Feet: 1, Meters: 2}[unit] }

func height(h float64, unit string) string {
	n := Decimals(unit)
	scale := math.Pow10(n)
	rounded := math.Round(h*scale)/scale + 0 // the sum makes -0 positive
	return strconv.FormatFloat(rounded, 'f', n, 64)
}
