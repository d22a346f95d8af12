package noaa

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkStations reads the longest list that the service has: one row for
// each bin of all current predictions, 3.75 MB.
func BenchmarkStations(b *testing.B) {
	body := manyStations(4439)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if list, err := readStations(body); err != nil || len(list) != 4439 {
			b.Fatal(len(list), err)
		}
	}
}

func manyStations(rows int) []byte {
	var body bytes.Buffer
	fmt.Fprintf(&body, "{\n  \"count\": %d,\n  \"units\": null,\n  \"stations\": [", rows)
	for i := range rows {
		if i > 0 {
			body.WriteByte(',')
		}
		const host = "https://api.tidesandcurrents.noaa.gov/mdapi/prod/webapi/stations"
		id := fmt.Sprintf("XYZ%04d", i/2)
		fmt.Fprintf(&body, `
    {
      "currentpredictionoffsets": {
        "self": "%s/%s_%d/currentpredictionoffsets.json"
      },
      "currbin": %d,
      "type": "H",
      "depth": %d.5,
      "depthType": "S",
      "timezone_offset": "",
      "harmonicConstituents": {
        "self": "%s/%s/harcon.json?bin=%d"
      },
      "id": "%s",
      "name": "Somewhere Narrows, %d.5 miles northeast of the light",
      "lat": 4%d.%05d,
      "lng": -12%d.%05d,
      "affiliations": "",
      "portscode": "",
      "products": null,
      "disclaimers": null,
      "notices": null,
      "self": "%s/%s.json",
      "expand": "currentpredictionoffsets,harcon",
      "tideType": ""
    }`, host, id, i%30, i%30, i%90, host, id, i%30, id, i%10, i%9, i, i%9, i, host, id)
	}
	body.WriteString("\n  ],\n  \"self\": null\n}")
	return body.Bytes()
}
