package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/internal/access"
)

// The messages of the App in this test are those of the MCP Apps specification, 2026-01-26.

func TestAppIsAnnounced(t *testing.T) {
	s := newProduct(t)
	discover, header := modernize(t, request("server/discover", "{}"))
	for name, got := range map[string]reply{
		"initialize":      post(t, s, handshake),
		"server/discover": post(t, s, discover, header...),
	} {
		var result struct {
			Capabilities struct{ Extensions map[string]json.RawMessage }
		}
		if err := json.Unmarshal(got.Result, &result); err != nil {
			t.Fatalf("%s: %v: %s", name, err, got.body)
		}
		extension := result.Capabilities.Extensions["io.modelcontextprotocol/ui"]
		if string(extension) != "{}" {
			t.Errorf("%s: extension = %s, want {}", name, extension)
		}
	}
}

func TestToolsOfApp(t *testing.T) {
	s := newProduct(t)
	want := []string{
		"noaa_get_current_predictions", "noaa_get_tide_predictions", "noaa_get_water_levels",
		"nws_get_wind_forecast",
	}
	bothEras(t, s, request("tools/list", "{}"), func(t *testing.T, got reply, _ bool) {
		var list struct {
			Tools []struct {
				Name        string
				Meta        map[string]json.RawMessage `json:"_meta"`
				InputSchema struct{ Properties map[string]json.RawMessage }
			}
		}
		if err := json.Unmarshal(got.Result, &list); err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, tool := range list.Tools {
			_, drawn := tool.InputSchema.Properties["chart"]
			ui, app := tool.Meta["ui"]
			if app != drawn {
				t.Errorf("%s: shown in the App %t, argument chart %t", tool.Name, app, drawn)
			}
			if !app {
				continue
			}
			named = append(named, tool.Name)
			if got, want := string(ui), `{"resourceUri":"ui://leadline/tide-chart"}`; got != want {
				t.Errorf("%s: _meta.ui = %s, want %s", tool.Name, got, want)
			}
		}
		slices.Sort(named)
		if !slices.Equal(named, want) {
			t.Errorf("tools of the App = %v, want %v", named, want)
		}
	})
}

func TestAppIsListed(t *testing.T) {
	s := newProduct(t)
	bothEras(t, s, request("resources/list", "{}"), func(t *testing.T, got reply, _ bool) {
		var list struct {
			Resources []struct {
				URI, Name, Title, Description, MimeType string
				Meta                                    json.RawMessage `json:"_meta"`
			}
		}
		if err := json.Unmarshal(got.Result, &list); err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Resources {
			if r.URI != "ui://leadline/tide-chart" {
				continue
			}
			if r.Name != "tide-chart" || r.Title != "Tide chart" || r.Description == "" ||
				r.MimeType != "text/html;profile=mcp-app" {
				t.Errorf("resource = %+v", r)
			}
			if got, want := string(r.Meta), `{"ui":{"csp":{},"prefersBorder":true}}`; got != want {
				t.Errorf("_meta = %s, want %s", got, want)
			}
			return
		}
		t.Errorf("resources = %+v, want the App among them", list.Resources)
	})
}

func TestReadApp(t *testing.T) {
	s := newProduct(t)
	read := request("resources/read", `{"uri":"ui://leadline/tide-chart"}`)
	bothEras(t, s, read, func(t *testing.T, got reply, modern bool) {
		var result struct {
			Contents []struct {
				URI, MimeType, Text string
				Meta                json.RawMessage `json:"_meta"`
			}
			TTLMs      int
			CacheScope string
		}
		if err := json.Unmarshal(got.Result, &result); err != nil || len(result.Contents) != 1 {
			t.Fatalf("%v: %.300s", err, got.body)
		}
		c := result.Contents[0]
		want := `{"ui":{"csp":{"connectDomains":[],"resourceDomains":[]},"prefersBorder":true}}`
		if c.URI != "ui://leadline/tide-chart" || c.MimeType != "text/html;profile=mcp-app" ||
			string(c.Meta) != want {
			t.Errorf("contents = %s %s %s, want _meta %s", c.URI, c.MimeType, c.Meta, want)
		}
		if !strings.HasPrefix(c.Text, "<!doctype html>") {
			t.Errorf("text = %.40q, want a document", c.Text)
		}
		if modern && (result.TTLMs != 3_600_000 || result.CacheScope != "public") {
			t.Errorf("cached for %d ms, %s", result.TTLMs, result.CacheScope)
		}
	})
}

// TestAppDomain checks that the configured domain is in both forms of the metadata.
func TestAppDomain(t *testing.T) {
	for _, csp := range []metaObject{{}, {"connectDomains": []string{}}} {
		got := appPolicy(csp, "tides.example.org")
		if got["domain"] != "tides.example.org" {
			t.Errorf("policy = %v, want the domain", got)
		}
	}
}

// TestAppIsSmallAndClosed checks the size of the App, and that it names no address: the policy of
// its frame allows none.
func TestAppIsSmallAndClosed(t *testing.T) {
	if got, most := len(appPage), 34<<10; got > most {
		t.Errorf("the App has %d bytes, want at most %d", got, most)
	}
	for _, name := range regexp.MustCompile(`https?://[^'"\s)]+`).FindAllString(appPage, -1) {
		if name != "http://www.w3.org/2000/svg" { // the namespace of SVG
			t.Errorf("the App names %s", name)
		}
	}
	for _, forbidden := range []string{
		"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(",
		"XMLHttpRequest", "localStorage", "100vh", "min-height", "@import", "url(",
	} {
		if strings.Contains(appPage, forbidden) {
			t.Errorf("the App contains %s", forbidden)
		}
	}
	if !strings.Contains(appPage, "Planning aid only. Not for navigation.") {
		t.Error("the App lacks the disclaimer")
	}
}

// TestAppCostsNoUnit checks that reading the App spends the rate limit and not the monthly quota,
// of which another resource spends a unit.
func TestAppCostsNoUnit(t *testing.T) {
	gate, endpoint, _ := newEndpoints(t, access.BuiltIn())
	key := gate.Key(t, gate.Account(t, access.Free))
	remaining := func(uri string) (quota, rate string) {
		got := post(t, endpoint, request("resources/read", `{"uri":"`+uri+`"}`),
			"Authorization", "Bearer "+key)
		if got.status != 200 {
			t.Fatalf("%s: %d %s", uri, got.status, got.body)
		}
		return got.header.Get("X-Quota-Month-Remaining"), got.header.Get("X-RateLimit-Remaining")
	}
	quota, rate := remaining("ui://leadline/tide-chart")
	quota2, rate2 := remaining("ui://leadline/tide-chart")
	if quota != quota2 || quota == "" {
		t.Errorf("%s units remain, then %s, want the same", quota, quota2)
	}
	if rate == rate2 {
		t.Errorf("%s requests remain, then %s, want one less", rate, rate2)
	}
	if quota3, _ := remaining("leadline://reference/datums"); quota3 == quota {
		t.Errorf("%s units remain after a reference page, want one less than %s", quota3, quota)
	}
}

// TestPictureFollowsText checks the content of a call with chart, which ends with three links, and
// that mcp-go writes the same bytes.
func TestPictureFollowsText(t *testing.T) {
	s := newProduct(t)
	body := call("noaa_get_tide_predictions", `{"station":"8443970","chart":true}`)
	bothEras(t, s, body, func(t *testing.T, got reply, modern bool) {
		var result struct {
			Content []struct {
				Type, Text, Data, MimeType string
				Annotations                struct{ Audience []string }
			}
		}
		if err := json.Unmarshal(got.Result, &result); err != nil || len(result.Content) != 5 {
			t.Fatalf("%v: %.300s", err, got.body)
		}
		text, picture := result.Content[0], result.Content[1]
		if text.Type != "text" || picture.Type != "image" || picture.MimeType != "image/png" ||
			!slices.Equal(picture.Annotations.Audience, []string{"user", "assistant"}) {
			t.Errorf("%s, then %s %s for %v", text.Type, picture.Type, picture.MimeType,
				picture.Annotations.Audience)
		}
		data, err := base64.StdEncoding.DecodeString(picture.Data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.DecodeConfig(bytes.NewReader(data)); err != nil {
			t.Error(err)
		}
		body := body
		if modern {
			body, _ = modernize(t, body)
		}
		b, err := json.Marshal(s.guard.mcp.HandleMessage(t.Context(), []byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		if want := string(b) + "\n"; string(got.body) != want {
			t.Errorf("got %.300s, want %.300s", got.body, want)
		}
	})
}

// TestLongResultKeepsPicture checks that the limit of 25,000 characters counts the structured
// content, not the picture.
func TestLongResultKeepsPicture(t *testing.T) {
	got := post(t, newProduct(t), call("noaa_get_tide_predictions",
		`{"station":"8443970","interval":"1","range":168,"chart":true}`))
	if !bytes.Contains(got.Result, []byte(`"total":10081`)) ||
		!bytes.Contains(got.Result, []byte(`"type":"image"`)) {
		t.Errorf("got %.300s, want a first page and a picture", got.body)
	}
}
