package upstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
	"leadline/internal/trials"
)

var days = Class{Fresh: 24 * time.Hour, Expiry: 30 * 24 * time.Hour}

// logged returns a log and its text.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}

// filled returns a client with n entries that are saved to a file.
func filled(t *testing.T, file string, n int) *Client {
	t.Helper()
	p, _ := loopback(t)
	c := newClient(t, Config{File: file, Rate: 1000})
	for i := range n {
		r := Request{URL: fmt.Sprint(p.url, "/", i), Class: days}
		if _, err := getNumber(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cache")
	p, s := loopback(t)
	p.set(with("ETag", `"x"`, with("Last-Modified", "Thu, 20 Nov 2025 11:54:00 GMT", number)))
	first := newClient(t, Config{File: file})
	r := p.request("/n", days)
	was, err := getNumber(t.Context(), first, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Save(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("file %v, %v, want mode 0600", info, err)
	}
	s.Close()
	second := newClient(t, Config{File: file})
	v, err := getNumber(t.Context(), second, r)
	if err != nil || v != was {
		t.Errorf("after a restart: %+v, %v, want %+v", v, err, was)
	}
	if got := second.Cached(p.url); !slices.Equal(got, []string{r.URL}) {
		t.Errorf("Cached = %v, want %v", got, r.URL)
	}
	a, _ := second.cache.GetIfPresent(r.key())
	b, _ := first.cache.GetIfPresent(r.key())
	if a.etag != `"x"` || a.modified == "" || a.expiry != days.Expiry ||
		a.response.LastModified != b.response.LastModified {
		t.Errorf("restored %+v, want %+v", a.response, b.response)
	}
	text := func(r Response) (string, error) { return "", fmt.Errorf("a reader of a newer build") }
	if _, ok := Peek(second, r, text); ok {
		t.Error("Peek returns an entry that its reader rejects")
	}
	if got := second.Cached(""); len(got) != 0 {
		t.Errorf("kept %v, want none", got)
	}
}

func TestCached(t *testing.T) {
	c := newClient(t, Config{})
	for _, url := range []string{"http://b/2", "http://a/1", "http://b/1"} {
		for _, accept := range []string{"", "text/plain"} {
			c.cache.Set(key{url, accept}, &entry{})
		}
	}
	want := []string{"http://b/1", "http://b/2"}
	if got := c.Cached("http://b/"); !slices.Equal(got, want) {
		t.Errorf("Cached = %v, want %v", got, want)
	}
}

// TestExpiredIsNotSaved checks that neither expired entries nor those from the future survive a
// restart.
func TestExpiredIsNotSaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cache")
	ages := map[string]time.Duration{"young": time.Minute, "old": 2 * time.Hour, "future": -time.Hour}
	put := func(c *Client) {
		for name, age := range ages {
			c.cache.Set(key{url: name}, &entry{receivedAt: noon.Add(-age), expiry: time.Hour})
		}
		c.changes.Add(1)
	}
	c := newClient(t, Config{File: file, Now: fixed})
	put(c)
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	again := newClient(t, Config{File: file, Now: fixed})
	if got := again.Cached(""); !slices.Equal(got, []string{"young"}) {
		t.Errorf("restored %v, want the young entry", got)
	}
}

// TestDamaged checks that a damaged, truncated or foreign file is ignored with one warning.
func TestDamaged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cache")
	filled(t, file, 2)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, content []byte, length int64) {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, length); err != nil {
			t.Fatal(err)
		}
		log, text := logged()
		c := newClient(t, Config{File: file, Log: log})
		warnings := strings.Count(text.String(), "level=WARN")
		if len(c.Cached("")) != 0 || warnings != 1 {
			t.Errorf("%s: %d entries, %d warnings, want 0 and 1", name, len(c.Cached("")), warnings)
		}
	}
	as := func(name string, content []byte) { try(name, content, int64(len(content))) }
	step := max(1000/trials.Cases(), 1) // every tenth byte, every one with LEADLINE_TRIALS=check
	for i := 0; i < len(whole); i += step {
		damaged := slices.Clone(whole)
		damaged[i] ^= 1 << (i / step % 8)
		as(fmt.Sprint("bit flipped at ", i), damaged)
		as(fmt.Sprint("cut at ", i), whole[:i])
	}
	as("cut by one", whole[:len(whole)-1])
	as("longer", append(slices.Clone(whole), 0))
	as("picture", []byte("\x89PNG\r\n\x1a\n"+strings.Repeat("x", 100)))
	as("nonsense with a checksum", sealed([]byte(fileHeader+"nonsense")))
	as("other version", sealed([]byte("leadline answers 2\nand more")))
	try("huge", nil, 140<<20)
}

func sealed(content []byte) []byte {
	sum := sha256.Sum256(content)
	return append(content, sum[:]...)
}

// TestFolder checks that a client works if its file can be neither read nor written.
func TestFolder(t *testing.T) {
	folder := t.TempDir()
	for _, file := range []string{folder, filepath.Join(folder, "missing", "cache")} {
		log, text := logged()
		c := newClient(t, Config{File: file, Log: log, Now: fixed})
		c.cache.Set(key{url: "n"}, &entry{receivedAt: noon, expiry: time.Hour})
		c.changes.Add(1)
		if err := c.Save(); err == nil {
			t.Errorf("Save to %s: no error", file)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c.Run(ctx)
		if !strings.Contains(text.String(), "cache is not saved") {
			t.Errorf("log %q, want a warning", text)
		}
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestFullDisk checks that a full disk is an error and does not change the old file.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	file := filepath.Join(t.TempDir(), "cache")
	c := filled(t, file, 3)
	if err := c.write(full); err == nil {
		t.Error("write to a full disk: no error")
	}
	before, _ := os.ReadFile(file)
	if err := coast.ReplaceFile(file, func(io.Writer) error { return c.write(full) }); err == nil {
		t.Error("replace on a full disk: no error")
	}
	after, _ := os.ReadFile(file)
	if !bytes.Equal(before, after) || len(after) == 0 {
		t.Errorf("the file has %d bytes, want the old %d", len(after), len(before))
	}
	if left, _ := filepath.Glob(file + ".*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestSaveWhenChanged checks that Save writes only if the cache has changed.
func TestSaveWhenChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cache")
	c := filled(t, file, 1)
	os.Remove(file)
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("written without a change")
	}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cache")
	inBubble(t, Config{File: file}, func(t *testing.T, p *provider, c *Client) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			c.Run(ctx)
			close(done)
		}()
		entries := func() int { return len(newClient(t, Config{File: file}).Cached("")) }
		for i := range 3 {
			if _, err := getNumber(t.Context(), c, p.request(fmt.Sprint("/", i), days)); err != nil {
				t.Fatal(err)
			}
			if i < 2 {
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				if got := entries(); got != i+1 {
					t.Errorf("after %d periods the file has %d entries", i+1, got)
				}
			}
		}
		cancel()
		<-done
		if got := entries(); got != 3 {
			t.Errorf("at the end the file has %d entries, want 3", got)
		}
	})
}

// TestWeight checks that memory and file are limited, and that the most used entry stays.
func TestWeight(t *testing.T) {
	const limit = 1 << 20
	file := filepath.Join(t.TempDir(), "cache")
	p, _ := loopback(t)
	p.set(func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 20<<10)) })
	c := newClient(t, Config{File: file, MaxCache: limit, Rate: 10000, Burst: 10000})
	length := func(r Response) (int, error) { return len(r.Body), nil }
	for i := range 200 {
		for _, path := range []string{"/hot", fmt.Sprint("/", i)} {
			if _, err := Get(t.Context(), c, p.request(path, days), length); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.cache.CleanUp()
	if got := c.cache.WeightedSize(); got > limit {
		t.Errorf("entries weigh %d, want at most %d", got, limit)
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() > limit || info.Size() < limit/4 {
		t.Errorf("file %v, %v, want up to %d bytes", info.Size(), err, limit)
	}
	again := newClient(t, Config{File: file, MaxCache: limit})
	if _, ok := Peek(again, p.request("/hot", days), length); !ok {
		t.Error("the most used entry is gone")
	}
	smaller := newClient(t, Config{File: file, MaxCache: limit / 4})
	if smaller.cache.WeightedSize() > limit/4 {
		t.Errorf("with a smaller limit the weight is %d", smaller.cache.WeightedSize())
	}
}

// saver is the environment variable of the process that saves until TestKilled kills it.
const saver = "LEADLINE_TEST_SAVER"

func TestSaver(t *testing.T) {
	file := os.Getenv(saver)
	if file == "" {
		return // only a part of TestKilled
	}
	c := newClient(t, Config{File: file, Now: fixed})
	fmt.Println("begins")
	for i := 0; ; i++ {
		for n := range 50 {
			a := &entry{response: Response{Status: 200, Body: bytes.Repeat([]byte{byte(i)}, 10<<10)},
				receivedAt: noon, expiry: time.Hour}
			c.cache.Set(key{url: fmt.Sprint(n)}, a)
		}
		c.changes.Add(1)
		if err := c.Save(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKilled checks that the file is complete after its writer is killed at a random time.
func TestKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cache")
	for round := range trials.Kills() {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSaver$")
		cmd.Env = append(os.Environ(), saver+"="+file)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out.Read(make([]byte, 1)) // it begins
		trials.WaitFor(t, "a file", func() bool {
			_, err := os.Stat(file)
			return err == nil
		})
		time.Sleep(rand.N(60 * time.Millisecond))
		cmd.Process.Kill()
		cmd.Wait()
		log, text := logged()
		c := newClient(t, Config{File: file, Log: log, Now: fixed})
		if got := len(c.Cached("")); got != 50 || text.Len() > 0 {
			t.Fatalf("round %d: %d entries, log %q, want 50 and none", round, got, text)
		}
		bodies := map[byte]bool{}
		for _, url := range c.Cached("") {
			a, _ := c.cache.GetIfPresent(key{url: url})
			bodies[a.response.Body[0]] = true
		}
		if len(bodies) != 1 {
			t.Errorf("round %d: entries of %d saves in one file", round, len(bodies))
		}
	}
}

// FuzzRecords reads arbitrary content, with a wrong and with a correct checksum.
func FuzzRecords(f *testing.F) {
	var b bytes.Buffer
	gob.NewEncoder(&b).Encode(record{URL: "http://a/1", Body: []byte("42"), Keep: time.Hour})
	f.Add(b.Bytes())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, file := range [][]byte{content, sealed(append([]byte(fileHeader), content...))} {
			list, err := readRecords(bytes.NewReader(file), int64(len(file)), 1<<20)
			if err != nil && list != nil {
				t.Errorf("%d records and %v", len(list), err)
			}
		}
	})
}
