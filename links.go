package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"leadline/internal/access"
	"leadline/internal/server"
	"leadline/internal/session"
	"leadline/oauth"
	"leadline/store"
)

// links are for people who sign in at the server: at the one that runs, else
// at the one that the settings tell of. What is assumed told is told.
func (d *desk) links(told io.Writer) (l oauth.Links, err error) {
	base := d.base
	if base == "" {
		if base, err = server.LikelyURL(d.config); err != nil {
			return l, err
		}
		if d.config.BaseURL == "" {
			fmt.Fprintf(told, "no server runs on %s: the link assumes that one will at %s; -base-url and -listen say otherwise\n", d.config.Data, base)
		}
	}
	if !session.SafeBase(base) {
		return l, fmt.Errorf("nobody can sign in at %s, where others hear what is sent: -base-url takes an https address, and -tls-cert or -acme-domain serve it", base)
	}
	return oauth.Links{Store: d.store, Base: base, Now: d.now}, nil
}

// goodOnce is what there is to know of a link.
var goodOnce = fmt.Sprintf("good once, for %.0f hours", oauth.LinkLife.Hours())

// handLink prints a link, and nothing else on standard output.
func handLink(s streams, does, link string) error {
	fmt.Fprintf(s.err, "the link %s; it is %s; no mail was sent: hand it over yourself\n", does, goodOnce)
	_, err := fmt.Fprintln(s.out, link)
	return err
}

func inviteAccount(own *flag.FlagSet) errand {
	plan := own.String("plan", string(access.Free), "`PLAN` that the account will be on")
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		email, err := d.invited(ctx, words[0], *plan)
		if err != nil {
			return err
		}
		l, err := d.links(s.err)
		if err != nil {
			return err
		}
		link, err := l.Invite(ctx, email, *plan)
		if err != nil {
			return err
		}
		return handLink(s, fmt.Sprintf("makes an account for %s, on the plan %s", email, *plan), link)
	}
}

// invited is the address that an invitation is for, unless it can have none.
func (d *desk) invited(ctx context.Context, text, plan string) (string, error) {
	if d.config.Signup == oauth.Closed {
		return "", errors.New("-signup is closed, so no invitation is good; leadline accounts add makes an account, and accounts reset a link that lets its person in")
	}
	email, err := address(text)
	if err != nil {
		return "", err
	}
	if err := d.plan(plan); err != nil {
		return "", err
	}
	_, err = d.store.AccountByEmail(ctx, email)
	if errors.Is(err, store.ErrNotFound) {
		return email, nil
	}
	if err == nil {
		err = fmt.Errorf("there is an account %s already; leadline accounts reset makes a link that gives it a password", email)
	}
	return "", err
}

func resetAccount(*flag.FlagSet) errand {
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		a, err := d.account(ctx, words[0])
		if err != nil {
			return err
		}
		l, err := d.links(s.err)
		if err != nil {
			return err
		}
		link, err := l.Reset(ctx, a)
		if err != nil {
			return err
		}
		return handLink(s, fmt.Sprintf("gives %s a new password, which ends its sessions, its connected apps and its ties to a provider", a.Email), link)
	}
}
