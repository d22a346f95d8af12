package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"

	"leadline/internal/access"
	"leadline/internal/config"
	"leadline/internal/session"
	"leadline/oauth"
	"leadline/store"
)

// oidcProvider is the OpenID provider that people sign in with, nil where none is
// set.
func oidcProvider(c *config.Config) (*oauth.ProviderConfig, error) {
	switch further := c.OIDCClientID + c.OIDCClientSecretFile + c.OIDCPlanClaim; {
	case c.OIDCIssuer == "" && further == "":
		return nil, nil
	case c.OIDCIssuer == "" || c.OIDCClientID == "":
		return nil, errors.New("a provider takes both -oidc-issuer and -oidc-client-id")
	case !session.SafeBase(c.OIDCIssuer):
		return nil, fmt.Errorf("-oidc-issuer must be an https address, such as https://id.example.org, not %q", c.OIDCIssuer)
	}
	p := &oauth.ProviderConfig{Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, PlanClaim: c.OIDCPlanClaim}
	if c.OIDCClientSecretFile == "" {
		return p, nil
	}
	text, err := os.ReadFile(c.OIDCClientSecretFile)
	if err != nil {
		return nil, fmt.Errorf("reading -oidc-client-secret-file: %w", err)
	}
	if p.ClientSecret = strings.TrimSpace(string(text)); p.ClientSecret == "" {
		return nil, fmt.Errorf("-oidc-client-secret-file: %s is empty", c.OIDCClientSecretFile)
	}
	return p, nil
}

// likelyBase is what browsers will see of a server that is started with the
// settings.
func likelyBase(c *config.Config) (string, error) {
	scheme := "http"
	if c.TLSCert+c.ACMEDomain != "" {
		scheme = "https"
	}
	at, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return "", fmt.Errorf("-listen %s: %w", c.Listen, err)
	}
	if at.Port == 0 && c.BaseURL == "" {
		return "", fmt.Errorf("-listen %s leaves open at which port the server will be: -base-url says where the link is to lead, or give the command while the server runs", c.Listen)
	}
	if at.IP == nil { // :8080
		at.IP = net.IPv4zero
	}
	return baseURL(c.BaseURL, scheme, at, slog.New(slog.DiscardHandler)), nil
}

// links are for people who sign in at the server: at the one that runs, else
// at the one that the settings tell of. What is assumed told is told.
func (d *desk) links(told io.Writer) (l oauth.Links, err error) {
	base := d.base
	if base == "" {
		if base, err = likelyBase(d.config); err != nil {
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

// welcome gives who starts a server without accounts a link to make the first,
// which is no matter for the log.
func (d *desk) welcome(ctx context.Context, log *slog.Logger, told io.Writer) error {
	if !session.SafeBase(d.base) {
		log.Warn("nobody can sign in, nor connect at /pro/mcp without a key: -base-url is neither https nor this computer", "base", d.base)
		return nil
	}
	accounts, err := d.store.Accounts(ctx)
	if err == nil && len(accounts) > 0 {
		return d.hint(ctx, accounts, told)
	}
	if err != nil || d.config.Signup == oauth.Closed {
		return err
	}
	l, err := d.links(told)
	if err != nil {
		return err
	}
	link, err := l.Owner(ctx)
	if err == nil {
		fmt.Fprintf(told, "there is no account yet; the first is yours, and is made at %s (%s)\n", link, goodOnce)
	}
	return err
}

// hint tells how people come to sign in where there are accounts, all made by
// the command line, and nobody can.
func (d *desk) hint(ctx context.Context, accounts []store.Account, told io.Writer) error {
	if d.config.OIDCIssuer != "" {
		return nil
	}
	for _, a := range accounts {
		if _, err := d.store.Password(ctx, a.ID); !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	fmt.Fprintf(told, "no account can sign in yet: leadline accounts reset %s prints a link that lets its person in\n", accounts[0].Email)
	return nil
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
