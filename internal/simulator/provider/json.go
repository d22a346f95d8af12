package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// object is a JSON object with members in order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := encodeJSON(m.value, "")
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", m.name, err)
		}
		out = append(append(strconv.AppendQuote(out, m.name), ':'), value...)
	}
	return append(out, '}'), nil
}

// encodeJSON encodes without HTML escapes and without a trailing newline.
func encodeJSON(v any, indent string) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), err
}

// double is a number that is encoded as Java writes a double: always with a decimal point.
type double float64

// MarshalJSON implements json.Marshaler.
func (d double) MarshalJSON() ([]byte, error) { return appendJava(float64(d), 64), nil }

// single is a number that is encoded as Java writes a float.
type single float64

// MarshalJSON implements json.Marshaler.
func (s single) MarshalJSON() ([]byte, error) { return appendJava(float64(s), 32), nil }

// hundredths is a number that is always encoded with two decimals.
type hundredths float64

// MarshalJSON implements json.Marshaler.
func (h hundredths) MarshalJSON() ([]byte, error) { return appendFixed(nil, float64(h), 2), nil }

func appendJava(v float64, bits int) []byte {
	b := strconv.AppendFloat(nil, v, 'f', -1, bits)
	if bytes.IndexByte(b, '.') < 0 {
		b = append(b, ".0"...)
	}
	return b
}

// appendFixed appends a number with a fixed number of decimals, never as minus zero.
func appendFixed(b []byte, value float64, decimals int) []byte {
	start := len(b)
	b = strconv.AppendFloat(b, value, 'f', decimals, 64)
	if b[start] == '-' && len(bytes.Trim(b[start:], "-0.")) == 0 {
		b = append(b[:start], b[start+1:]...)
	}
	return b
}

// appendTrimmed appends a number with a maximum number of decimals, without trailing zeros.
func appendTrimmed(b []byte, value float64, decimals int) []byte {
	b = appendFixed(b, value, decimals)
	return bytes.TrimSuffix(bytes.TrimRight(b, "0"), []byte("."))
}
