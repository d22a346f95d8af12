package copier_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/bolt"
	"leadline/store/copier"
	"leadline/store/postgres"
	"leadline/store/postgres/postgrestest"
)

// The environment variables of a process that copies and will be killed.
const (
	fromVariable = "LEADLINE_TEST_COPY_FROM"
	toVariable   = "LEADLINE_TEST_COPY_TO"
)

func TestMain(m *testing.M) {
	if from := os.Getenv(fromVariable); from != "" {
		if err := work(context.Background(), from, os.Getenv(toVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(postgrestest.Main(m))
}

// open opens the store in a file or in a database.
func open(ctx context.Context, at string) (s store.Store, err error) {
	if strings.HasPrefix(at, "postgres") {
		return postgres.Open(ctx, postgres.Options{URL: at, Migrate: true, Timeout: time.Minute})
	}
	return bolt.Open(at, bolt.Options{})
}

// work copies a store and prints a line after each transaction. It uses force: an instance that was
// killed counts as live for some seconds.
func work(ctx context.Context, from, to string) error {
	source, err := open(ctx, from)
	if err != nil {
		return err
	}
	target, err := open(ctx, to)
	if err != nil {
		return err
	}
	c := config(source, target)
	c.Force = true
	c.Progress = func(kind string, n int) { fmt.Println(kind, n) }
	if _, err := copier.Copy(ctx, c); err != nil {
		return err
	}
	if err := target.Close(); err != nil {
		return err
	}
	return source.Close()
}

// killed runs work in a process and kills it after n transactions; 0 lets it end.
func killed(t *testing.T, from, to string, n int) {
	t.Helper()
	p := exec.CommandContext(t.Context(), os.Args[0])
	p.Env = append(os.Environ(), fromVariable+"="+from, toVariable+"="+to)
	var stderr strings.Builder
	p.Stderr = &stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	seen := 0
	for lines.Scan() {
		if seen++; seen == n {
			if err := p.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.Wait(); (err == nil) != (n == 0) {
		t.Fatalf("the copy, killed after %d transactions: %v\n%s", n, err, stderr.String())
	}
}

// tally returns the sums of the store in a place.
func tally(t *testing.T, at string) map[string]store.Sum {
	t.Helper()
	s, err := open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if source, err := copier.Unfinished(t.Context(), s); source != "" || err != nil {
		t.Errorf("Unfinished() = %q, %v", source, err)
	}
	sums, err := s.(store.Porter).Tally(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// TestEngines copies from a file to a database and back, with LEADLINE_TRIALS also to another
// database. Each copy is killed. The last one has the same records as the first store.
func TestEngines(t *testing.T) {
	accounts, kills := 1_000, min(10, 1+trials.Kills()/4) // with two keys each
	switch {
	case trials.Kills() > 10:
		accounts = 50_000
	case trials.Thorough():
		accounts = 2_000
	}
	database := postgrestest.Schema(t)
	first := filepath.Join(t.TempDir(), "first.db")
	source := filledAt(t, first, accounts)
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
	places := []string{first, database, filepath.Join(t.TempDir(), "back.db")}
	if trials.Thorough() {
		places = append(places, postgrestest.Schema(t))
	}
	want := tally(t, places[0])
	total := 0
	for _, sum := range want {
		total += sum.Count
	}
	for i, from := range places[:len(places)-1] {
		to := places[i+1]
		for range kills {
			killed(t, from, to, 1+total/1000/(kills+1))
		}
		watch := trials.Start()
		killed(t, from, to, 0)
		t.Logf("copy %d of %d records, the last of %d starts: %v", i, total, kills+1, watch.Elapsed())
		if got := tally(t, to); !maps.Equal(got, want) {
			t.Fatalf("copy %d has %v\nwant %v", i, got, want)
		}
	}
}
