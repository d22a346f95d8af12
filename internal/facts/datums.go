package facts

import (
	"fmt"
	"math"
	"strconv"

	"leadline/internal/stations"
)

// datumKey returns the name of a datum argument in the data.
func datumKey(datum string) string {
	if datum == "NAVD" {
		return "NAVD88"
	}
	return datum
}

// UsualDatum returns the chart datum of a station's water.
func UsualDatum(st stations.Station) string {
	if stations.GreatLakes(st.ID) {
		return "IGLD"
	}
	return "MLLW"
}

// UnknownEpoch is the epoch of datums for which NOAA's data does not name one.
const UnknownEpoch = "unknown"

// EpochName returns an epoch as results write it: 1983-2001, or 2012-2016 for the modified epoch
// of five years, which NOAA uses where the sea level changes fast relative to the land.
func EpochName(y stations.Years) string {
	if y.First == 0 {
		return UnknownEpoch
	}
	name := strconv.AppendInt(make([]byte, 0, len("1983-2001")), int64(y.First), 10)
	return string(strconv.AppendInt(append(name, '-'), int64(y.Last), 10))
}

// datumRise states by how much a revision has moved the chart datum.
func datumRise(st stations.Station) string {
	was, had := st.Embedded().Level("MLLW")
	is, has := st.Level("MLLW")
	way := "higher"
	if is < was {
		way = "lower"
	}
	if !had || !has || is == was {
		return ""
	}
	by := math.Abs(is - was)
	return fmt.Sprintf(" MLLW now lies %.3f m (%.2f ft) %s above station datum than before.", by,
		by/0.3048, way)
}
