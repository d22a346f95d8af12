package view

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

// StateName spells out a state's code. It returns an unknown code as it is.
func StateName(code string) string {
	if name, ok := stateNames[code]; ok {
		return name
	}
	return code
}
