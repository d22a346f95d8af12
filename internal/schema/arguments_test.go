package schema

import (
	"net/url"
	"reflect"
	"testing"
)

// searchInput has every kind of field that tool arguments have.
type searchInput struct {
	Station string   `json:"station" pattern:"^[A-Za-z0-9]{4,16}$" form:"text of 4 to 16 letters and digits" example:"8443970"`
	Hours   int      `json:"hours" default:"24" min:"1" max:"168"`
	Units   string   `json:"units" default:"english" enum:"english metric" also:"Feet=english m=metric"`
	Parts   []string `json:"parts,omitempty" enum:"details datums"`
	Live    bool     `json:"live,omitempty"`
	Times   []When   `json:"times,omitempty"`
}

type When struct {
	Day string `json:"day" format:"date"`
}

func TestArguments(t *testing.T) {
	takes := Arguments[searchInput]()
	for _, test := range []struct {
		given string
		want  searchInput
	}{
		{`{"station":"8443970"}`, searchInput{Station: "8443970", Hours: 24, Units: "english"}},
		{`{"station":8443970,"hours":"48","units":"METRIC","live":"true","parts":"Datums,details"}`,
			searchInput{"8443970", 48, "metric", []string{"datums", "details"}, true, nil}},
		{`{"station":"8443970","hours":null,"parts":["datums","datums"]}`,
			searchInput{Station: "8443970", Hours: 24, Units: "english", Parts: []string{"datums"}}},
		{`{"station":"8443970","parts":[]}`,
			searchInput{Station: "8443970", Hours: 24, Units: "english", Parts: []string{}}},
		{`{"station":"8443970","units":"FEET"}`,
			searchInput{Station: "8443970", Hours: 24, Units: "english"}},
		{`{"station":"8443970","units":"m"}`,
			searchInput{Station: "8443970", Hours: 24, Units: "metric"}},
		{`{"station":"8443970","times":[{"day":"tomorrow"}]}`,
			searchInput{Station: "8443970", Hours: 24, Units: "english", Times: []When{{"tomorrow"}}}},
	} {
		var got searchInput
		if err := takes.Decode([]byte(test.given), &got); err != nil {
			t.Errorf("Decode(%s): %v", test.given, err)
		} else if !reflect.DeepEqual(got, test.want) {
			t.Errorf("Decode(%s) = %+v, want %+v", test.given, got, test.want)
		}
	}
}

func TestArgumentsRefused(t *testing.T) {
	takes := Arguments[searchInput]()
	for _, test := range []struct{ given, want string }{
		{``, "station required"},
		{`null`, "station required"},
		{`[]`, " type"},
		{`{"station":"x","hours":0}`, "station pattern,hours minimum"},
		{`{"station":"8443970","hours":"1.5","units":"miles"}`, "hours type,units enum"},
		{`{"station":"8443970","hours":{},"parts":["tides"]}`, "hours type,parts enum"},
		{`{"station":"8443970","parts":[1]}`, "parts type"},
		{`{"station":"8443970","times":"tomorrow"}`, "times type"},
		{`{"station":"8443970","times":[{"Day":1}]}`, "times/0/Day unknown,times/0/day required"},
		{`{"station":"8443970","station":"8443971"}`, "station duplicate"},
		{`{"station":"8443970","hour":3}`, "hour unknown"},
	} {
		got, _ := faultsOf(t, takes.Decode([]byte(test.given), new(searchInput)))
		if got != test.want {
			t.Errorf("Decode(%s) reports %s, want %s", test.given, got, test.want)
		}
	}
}

func TestDecodeQuery(t *testing.T) {
	takes := Arguments[searchInput]()
	for _, test := range []struct{ given, want string }{
		{"station=8443970&hours=48&parts=details&parts=datums", ""},
		{"hours=x", "station required,hours type"},
		{"station=8443970&station=8443971", "station type"},
		{"station=8443970&hour=3", "hour unknown"},
		{"station=8443970&a/b~c=1", "a/b~c unknown"},
	} {
		given, err := url.ParseQuery(test.given)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := faultsOf(t, takes.DecodeQuery(given, new(searchInput)))
		if got != test.want {
			t.Errorf("DecodeQuery(%s) reports %s, want %s", test.given, got, test.want)
		}
	}
}
