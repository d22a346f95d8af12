package product

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/decide"
)

// SendAs sends a body with a key, unless that is "".
func SendAs(key, url, body string) (status int, answer []byte, err error) {
	q, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	q.Header.Set("Content-Type", "application/json")
	if key != "" {
		q.Header.Set("Authorization", "Bearer "+key)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, nil, err
	}
	defer r.Body.Close()
	answer, err = io.ReadAll(r.Body)
	return r.StatusCode, answer, err
}

// Soon returns a request for half an hour after noon at Boston, where all facts
// apply.
func Soon(a decide.Activity) string {
	return fmt.Sprintf(
		`{"stationId":"8443970","activity":%q,"localDate":"2026-11-20","localTime":"12:30"}`, a)
}

// ZoneOf returns the time zone of a station.
func (p *Product) ZoneOf(t *testing.T, id string) *time.Location {
	t.Helper()
	st, _ := p.Tools().Stations.Station(id)
	zone, err := time.LoadLocation(st.Zone)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Caller calls the decision operations with a credential.
type Caller struct{ Base, Key string }

// Pro returns a caller with a key of a plan that has decisions.
func (p *Product) Pro(t *testing.T) Caller {
	t.Helper()
	return Caller{p.URL, NewKey(t, p.Storage(), access.Pro)}
}

// Want calls an operation and checks the status.
func (c Caller) Want(t *testing.T, want int, operation, body string) []byte {
	t.Helper()
	got, answer, err := SendAs(c.Key, c.Base+"/api/v1/decisions/"+operation, body)
	if err != nil || got != want {
		t.Errorf("%s %.300s: %v, %d %.600s, want %d", operation, body, err, got, answer, want)
	}
	return answer
}

// Windows returns a body of best-window with n times, a quarter of an hour apart,
// from nine tomorrow.
func Windows(activity string, n int) string {
	var times []string
	for i := range n {
		times = append(times, fmt.Sprintf(`{"localDate":"2026-11-21","localTime":"%02d:%02d"}`,
			9+i/4, i%4*15))
	}
	return fmt.Sprintf(`{"stationId":"8443970","activity":%q,"candidates":[%s]}`,
		activity, strings.Join(times, ","))
}

// WantAbsent reports texts that contain a part of a secret.
func WantAbsent(t *testing.T, secret string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		for i := range len(secret) - 12 {
			if at := strings.Index(text, secret[i:i+12]); at >= 0 {
				t.Errorf("%s contains a secret: …%.300s", name, text[max(0, at-200):])
				break
			}
		}
	}
}
