package web

// regions are the groups of states in the list of states. Postal codes of states and
// territories, as the directory has them.
var regions = []struct{ name, states, note string }{
	{"Atlantic", "ME NH MA RI CT NY NJ PA DE MD DC VA NC SC GA", ""},
	{"Florida and the Gulf", "FL AL MS LA TX", ""},
	{"Pacific", "CA OR WA", ""},
	{"Alaska", "AK", ""},
	{"Hawaii and islands", "HI GU AS MP PR VI", ""},
	{"Great Lakes", "", "NOAA predicts no tide on the Great Lakes: wind and rain move the water " +
		"there. The page of a gauge has its observed levels, such as 9063020 (Buffalo)."},
}

var stateNames = map[string]string{
	"AK": "Alaska", "AL": "Alabama", "AS": "American Samoa", "CA": "California", "CT": "Connecticut",
	"DC": "District of Columbia", "DE": "Delaware", "FL": "Florida", "GA": "Georgia", "GU": "Guam",
	"HI": "Hawaii", "IL": "Illinois", "IN": "Indiana", "LA": "Louisiana", "MA": "Massachusetts",
	"MD": "Maryland", "ME": "Maine", "MI": "Michigan", "MN": "Minnesota", "MP": "Northern Marianas",
	"MS": "Mississippi", "NC": "North Carolina", "NH": "New Hampshire", "NJ": "New Jersey",
	"NY": "New York", "OH": "Ohio", "OR": "Oregon", "PA": "Pennsylvania", "PR": "Puerto Rico",
	"RI": "Rhode Island", "SC": "South Carolina", "TX": "Texas", "VA": "Virginia",
	"VI": "Virgin Islands", "WA": "Washington", "WI": "Wisconsin",
}

// stateName spells out a state's code. It returns an unknown code as it is.
func stateName(code string) string {
	if name, ok := stateNames[code]; ok {
		return name
	}
	return code
}
