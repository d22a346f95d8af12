package account

import (
	"html"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/login/logintest"
	"leadline/internal/page"
)

// frame returns the frame of the pages of a person whose address is an attack.
func frame(path string) page.AccountFrame {
	return page.Site{Accounts: true}.Account(path, logintest.Attack, "ours")
}

// at is a time on the pages.
var at = moment(time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC))

// refused is a refused request with an attack in every text.
var refused = refusedRow{
	At: at, Surface: "REST", Operation: logintest.Attack, Status: 400, Code: logintest.Attack,
	Message: logintest.Attack, By: logintest.Attack, ID: logintest.Attack,
}

// everyPage returns each page in each of its states, with an attack string in every text that
// people, receivers or the store supply.
func everyPage() map[string]func(http.ResponseWriter) {
	pages := map[string]func(http.ResponseWriter){
		"overview": func(w http.ResponseWriter) {
			overviewView.Write(w, 200, overviewPage{
				AccountFrame: frame(page.AccountPath), Plan: access.Plan{Tier: logintest.Attack},
				Troubles: []trouble{{quoted(logintest.Attack), "/account/webhooks/we_1", "See"}},
				First:    &firstSteps{FormID: logintest.Attack}, Base: "https://" + logintest.Attack,
				Refused: []refusedRow{refused}, All: 6,
			})
		},
		"usage": func(w http.ResponseWriter) {
			usageView.Write(w, 200, usagePage{
				AccountFrame: frame(page.AccountPath + "/usage"), Notice: logintest.Attack,
			})
		},
		"requests": func(w http.ResponseWriter) {
			requestsView.Write(w, 200, requestsPage{
				frame(page.AccountPath + "/requests"), []refusedRow{refused},
			})
		},
	}
	for _, add := range []func(map[string]func(http.ResponseWriter)){
		addKeyPages, addWebhookPages, addDeliveryPages, addWatchPages,
	} {
		add(pages)
	}
	return pages
}

func addKeyPages(pages map[string]func(http.ResponseWriter)) {
	const attack = logintest.Attack
	key := keyRow{
		ID: attack, Name: attack, Shown: attack, Scopes: []credential.Scope{attack}, Created: at,
		Ends: at,
		Used: at,
	}
	pages["keys"] = func(w http.ResponseWriter) {
		keysView.Write(w, 200, keysPage{
			AccountFrame: frame("/account/keys"), Keys: []keyRow{key}, Ended: []keyRow{key},
			Scopes: scopesAbout, Ends: keyLives, Name: attack, FormID: attack, Fault: attack,
			Made: &madeKey{Name: attack, Secret: attack, Command: attack},
		})
	}
	pages["replace a key"] = func(w http.ResponseWriter) {
		replaceView.Write(w, 200, replacePage{frame("/account/keys/1/replace"), key, graces, attack})
	}
	pages["revoke a key"] = func(w http.ResponseWriter) {
		revokeView.Write(w, 200, revokePage{frame("/account/keys/1/revoke"), key})
	}
}

// attackedEndpoint returns an endpoint with attacks.
func attackedEndpoint(receives bool) endpointFacts {
	const attack = logintest.Attack
	return endpointFacts{
		endpointRow: endpointRow{
			ID: attack, Name: attack, URL: attack, Kinds: []string{attack, attack},
			State: mark{attack, attack, attack}, Last: at, Outcome: attack, Pending: 2,
		},
		Description: attack, Hint: attack, Both: at, Created: at, Enabled: at, Failing: at, Held: at,
		Receives: receives, IsEnabled: receives,
	}
}

// attackedForm returns the refused form of an endpoint with attacks.
func attackedForm() endpointForm {
	const attack = logintest.Attack
	return endpointForm{attack, attack, []kindChoice{{attack, attack, true}}, true}
}

func addWebhookPages(pages map[string]func(http.ResponseWriter)) {
	const attack = logintest.Attack
	secret := &madeSecret{attack, attack, attack, false, "", true}
	rotated := &madeSecret{attack, attack, attack, true, at, true}
	rows := []endpointRow{attackedEndpoint(true).endpointRow}
	list := func(p webhooksPage) func(http.ResponseWriter) {
		p.AccountFrame = frame(webhooksPath)
		return func(w http.ResponseWriter) { webhooksView.Write(w, 200, p) }
	}
	one := func(p webhookPage) func(http.ResponseWriter) {
		p.AccountFrame, p.Form = frame(webhooksPath+"/1"), attackedForm()
		return func(w http.ResponseWriter) { webhookView.Write(w, 200, p) }
	}
	deliveries := deliveryList{
		[]deliveryRow{attackedDelivery()}, attack, []page.Link{{Name: attack, Path: attack}}, attack,
	}
	pages["no webhooks"] = list(webhooksPage{Form: endpointForm{Kinds: attackedForm().Kinds}})
	pages["webhooks"] = list(webhooksPage{Endpoints: rows, Form: attackedForm(), FormID: attack,
		Fault: attack, Made: secret})
	pages["all webhooks"] = list(webhooksPage{Endpoints: rows, Full: true, Fault: attack,
		Plan: access.Plan{Tier: attack, Endpoints: 1}})
	pages["webhooks off"] = list(webhooksPage{Endpoints: rows, Off: true, Fault: attack})
	pages["webhook"] = one(webhookPage{Endpoint: attackedEndpoint(true), Deliveries: deliveries,
		Since: attack, Fault: attack, Made: rotated})
	pages["disabled webhook"] = one(webhookPage{Endpoint: attackedEndpoint(false), Fault: attack,
		Deliveries: deliveryList{State: attack}, Off: true})
	pages["rotate"] = func(w http.ResponseWriter) {
		rotateView.Write(w, 200, rotatePage{frame(webhooksPath + "/1/rotate"), rows[0], keeps, attack})
	}
	pages["delete a webhook"] = func(w http.ResponseWriter) {
		deleteWebhookView.Write(w, 200, deleteWebhookPage{frame(webhooksPath + "/1/delete"), rows[0]})
	}
}

// attackedDelivery returns a delivery with attacks.
func attackedDelivery() deliveryRow {
	const attack = logintest.Attack
	return deliveryRow{attack, attack, mark{attack, attack, attack}, at, 2, at, attack}
}

func addDeliveryPages(pages map[string]func(http.ResponseWriter)) {
	const attack = logintest.Attack
	one := func(p deliveryPage) func(http.ResponseWriter) {
		p.AccountFrame, p.Delivery = frame(webhooksPath+"/1/deliveries/2"), attackedDelivery()
		return func(w http.ResponseWriter) { deliveryView.Write(w, 200, p) }
	}
	pages["delivery"] = one(deliveryPage{Endpoint: attackedEndpoint(true), Body: attack, Expires: at,
		Attempts: []attemptView{{at, "1", attack, false, attack, attack}}, Fault: attack})
	pages["delivery to a disabled webhook"] = one(deliveryPage{Endpoint: attackedEndpoint(false),
		Body: attack})
}

func addWatchPages(pages map[string]func(http.ResponseWriter)) {
	const attack = logintest.Attack
	row := watchRow{
		ID: attack, Name: attack, StationID: attack, Station: attack, Activity: attack, Local: attack,
		State: mark{attack, attack, attack}, Announced: attack, Next: at, Used: 1, Max: 2,
	}
	unnamed := row
	unnamed.Station = ""
	form := watchForm{attack, attack, attack, attack, []choice{{attack, attack, true}}, true}
	list := func(p watchesPage) func(http.ResponseWriter) {
		p.AccountFrame = frame(watchesPath)
		return func(w http.ResponseWriter) { watchesView.Write(w, 200, p) }
	}
	pages["no watches"] = list(watchesPage{Form: watchForm{Activities: form.Activities}})
	pages["watches"] = list(watchesPage{Watches: []watchRow{row, unnamed}, Form: form, FormID: attack,
		Fault: attack, Receives: true})
	pages["all watches"] = list(watchesPage{Watches: []watchRow{row}, Full: true, Fault: attack})
	pages["watches off"] = list(watchesPage{Without: attack, Fault: attack})
	pages["watch"] = func(w http.ResponseWriter) {
		watchView.Write(w, 200, watchPage{
			frame(watchesPath + "/1"), row, at, at, at, attack,
			[]reasonView{{attack, attack, attack, true}}, []string{attack, attack},
			[]stepView{{1, at, attack, attack}},
		})
	}
	pages["delete a watch"] = func(w http.ResponseWriter) {
		deleteWatchView.Write(w, 200, deleteWatchPage{frame(watchesPath + "/1/delete"), row})
	}
}

// TestNothingFromOutsideIsMarkup checks that all texts are rendered as text on every page.
func TestNothingFromOutsideIsMarkup(t *testing.T) { logintest.CheckText(t, everyPage()) }

func TestHeaders(t *testing.T) { logintest.CheckHeaders(t, everyPage()) }

func TestForms(t *testing.T) { logintest.CheckForms(t, everyPage()) }

// TestLinks checks that no address was replaced because html/template does not trust it, and
// that pages have no style and no handler of their own, which the policy would block.
func TestLinks(t *testing.T) {
	for name, write := range everyPage() {
		s := logintest.Show(t, write)
		if strings.Contains(s.Body, "ZgotmplZ") {
			t.Errorf("%s: an address is replaced in\n%s", name, s.Body)
		}
		for _, e := range s.Elements {
			if _, styled := logintest.Attribute(e, "style"); styled {
				t.Errorf("%s: %s has a style", name, e.Name.Local)
			}
		}
	}
}

// TestVerifyCode checks that the code on the pages is that of the guide, which is tested.
func TestVerifyCode(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := pageFiles.ReadFile("pages/verify.html")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(html.UnescapeString(string(text)), "<pre><code>")[1:]
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of code, want 3", len(blocks))
	}
	for i, block := range blocks[1:] { // that of JavaScript is a part of a server
		code, _, _ := strings.Cut(block, "</code></pre>")
		if !strings.Contains(string(guide), code) {
			t.Errorf("the guide lacks block %d:\n%s", i+1, code)
		}
	}
}
