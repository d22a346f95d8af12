package session

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/store"
)

// formLife limits how long a form with an id can be sent after it was shown. It is our choice:
// people leave a page open for a working day.
const formLife = 12 * time.Hour

// How often an account may send forms with an id. Each leaves a row in the store for formLife, also
// if it is refused. Both are our choice: people send a few of them a day.
const formEvery, formBurst = 10 * time.Second, 30

// formTicket is the kind of the tickets that record which forms were sent.
const formTicket = "form"

// The errors of UseForm.
var (
	ErrFormSent = errors.New("the form was sent before")
	ErrFormOld  = errors.New("the form is too old")
)

// NewFormID returns an id for a form that creates a secret, to be sent in the field "form". Such
// a form must not work twice: browsers send it again when a person reloads the response.
func (s *Sessions) NewFormID() string {
	return strconv.FormatInt(s.c.Now().Unix(), 36) + "." + credential.NewSecret("")
}

// UseForm records that the form with an id was sent by the person of an account. It returns
// ErrFormSent if that was recorded before, ErrFormOld if the form was shown long ago or has no id,
// coast.RateLimited if the account has sent too many, or an error of the store. A forged id harms
// only its sender, so ids are not signed.
func (s *Sessions) UseForm(r *http.Request, account string) error {
	id := r.PostFormValue("form")
	text, _, _ := strings.Cut(id, ".")
	seconds, err := strconv.ParseInt(text, 36, 64)
	shown, now := time.Unix(seconds, 0), s.c.Now()
	if err != nil || shown.After(now) || now.Sub(shown) >= formLife {
		return ErrFormOld
	}
	if wait, ok := s.forms.Take(account); !ok {
		e := coast.Errorf(coast.RateLimited, "These forms were sent too often. Wait %d seconds.",
			Seconds(wait))
		e.RetryAfterSeconds = Seconds(wait)
		return e
	}
	err = s.c.Store.AddTicket(r.Context(), store.Ticket{
		Hash: credential.HashSecret(account + " " + id), Kind: formTicket, Expires: shown.Add(formLife),
	})
	if errors.Is(err, store.ErrExists) {
		return ErrFormSent
	}
	return err
}
