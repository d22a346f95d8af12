package server

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"golang.org/x/crypto/acme"
	"golang.org/x/net/dns/dnsmessage"
)

// TestACME requests a certificate from Pebble, Let's Encrypt's test server, which
// checks the domain by a connection to ours; only its DNS is local. After a restart
// the stored certificate is served, without a request.
func TestACME(t *testing.T) {
	listener := onLoopback(t)
	client, roots := startAuthority(t, listener.Addr().(*net.TCPAddr).Port)
	folder := t.TempDir()
	issuer, err := newIssuer(domain, folder)
	if err != nil {
		t.Fatal(err)
	}
	issuer.Client = client
	address := serveTLS(t, listener, modern(issuer.TLSConfig()), 100)
	proto, serial, err := askTLS(t, address, &tls.Config{RootCAs: roots, ServerName: domain})
	if err != nil || proto != "HTTP/2.0" {
		t.Fatalf("%s, %v, want HTTP/2.0 and a certificate signed by the authority", proto, err)
	}
	stored, err := os.Stat(filepath.Join(folder, domain))
	if err != nil || stored.Mode().Perm() != 0o600 {
		t.Errorf("the stored certificate: %v, %v, want mode 0600", stored, err)
	}

	config, _, err := newTLS("", "", domain, folder)
	if err != nil {
		t.Fatal(err)
	}
	address = serveTLS(t, onLoopback(t), config, 100)
	_, again, err := askTLS(t, address, &tls.Config{RootCAs: roots})
	if err != nil || again != serial {
		t.Errorf("after a restart certificate %d, %v, want %d", again, err, serial)
	}
}

// startAuthority starts an authority that finds every domain on port, and returns a
// client for it and its root certificates.
func startAuthority(t *testing.T, port int) (client *acme.Client, roots *x509.CertPool) {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	quiet, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	authority := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {}})
	validator := va.New(quiet, port, port, true, startNames(t), store)
	names := []string{"authority.example.org"}
	front := wfe.New(quiet, store, validator, authority, names, true, false, 1, 1)
	server := httptest.NewTLSServer(front.Handler())
	t.Cleanup(server.Close)
	roots = x509.NewCertPool()
	roots.AddCert(authority.GetRootCert(0).Cert)
	client = &acme.Client{DirectoryURL: server.URL + wfe.DirectoryPath, HTTPClient: server.Client()}
	return client, roots
}

// startNames serves DNS over TCP: every host has the address 127.0.0.1.
func startNames(t *testing.T) (address string) {
	t.Helper()
	listener := onLoopback(t)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answerNames(conn)
		}
	}()
	return listener.Addr().String()
}

// answerNames responds to one query. Each message follows its length (RFC 1035,
// section 4.2.2).
func answerNames(conn net.Conn) {
	defer conn.Close()
	var length uint16
	if binary.Read(conn, binary.BigEndian, &length) != nil {
		return
	}
	raw := make([]byte, length)
	var m dnsmessage.Message
	if _, err := io.ReadFull(conn, raw); err != nil || m.Unpack(raw) != nil {
		return
	}
	m.Header.Response = true
	m.Additionals = nil
	for _, q := range m.Questions {
		if q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			})
		}
	}
	answer, err := m.AppendPack(make([]byte, 2, 512))
	if err != nil {
		return
	}
	binary.BigEndian.PutUint16(answer, uint16(len(answer)-2))
	conn.Write(answer)
}
