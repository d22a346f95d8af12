package providers

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/trials"
	"leadline/tools"
)

// BenchmarkFirstAnswer starts the program, waits for its first response, and
// reports the time and the resident memory.
func BenchmarkFirstAnswer(b *testing.B) {
	folder := b.TempDir()
	binary := filepath.Join(folder, "leadline")
	if out, err := exec.Command("go", "build", "-o", binary, "../..").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var took time.Duration
	var resident int
	b.ResetTimer()
	for i := range b.N {
		t, kB := firstAnswer(b, binary, filepath.Join(folder, fmt.Sprint(i)))
		took, resident = took+t, max(resident, kB)
	}
	b.ReportMetric(took.Seconds()*1000/float64(b.N), "ms/answer")
	b.ReportMetric(float64(resident)/1024, "MB-resident")
	b.ReportMetric(0, "ns/op") // the measured time includes the end of the process
}

func firstAnswer(b *testing.B, binary, portFile string) (took time.Duration, residentKB int) {
	watch := trials.Start()
	server := exec.Command(binary, "--data", b.TempDir(), "--listen", "127.0.0.1:0",
		"--port-file", portFile)
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		server.Process.Signal(os.Interrupt)
		server.Wait()
	}()
	var port []byte
	for len(port) == 0 {
		if watch.Elapsed() > 10*time.Second {
			b.Fatal("no port after ten seconds")
		}
		port, _ = os.ReadFile(portFile) // until the file exists
	}
	answer, err := http.Get("http://127.0.0.1:" + strings.TrimSpace(string(port)) +
		"/api/v1/stations/8443970/predictions")
	if err != nil {
		b.Fatal(err)
	}
	answer.Body.Close()
	took = watch.Elapsed()
	if answer.StatusCode != http.StatusOK {
		b.Fatal(answer.Status)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.Process.Pid))
	if err != nil {
		b.Skip("no /proc here to read the resident size from")
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fmt.Sscan(string(rest), &residentKB)
	return took, residentKB
}

// BenchmarkTripHealth makes a decision about a boat trip at Boston with cached
// provider responses: current, grid, text and alerts.
func BenchmarkTripHealth(b *testing.B) {
	in := tools.TripHealthInput{
		StationID: "8443970",
		Trip:      tools.Trip{Activity: "boating", LocalDate: product.Days(1), LocalTime: "09:00"},
	}
	benchmarkDecision(b, func(set *tools.Set) error {
		_, err := set.TripHealth(b.Context(), in)
		return err
	})
}

// BenchmarkBestWindow ranks twelve times for the same trip.
func BenchmarkBestWindow(b *testing.B) {
	in := tools.BestWindowInput{StationID: "8443970", Activity: "boating"}
	for hour := range 12 {
		in.Candidates = append(in.Candidates,
			tools.WindowTime{LocalDate: product.Days(1), LocalTime: fmt.Sprintf("%02d:00", 6+hour)})
	}
	benchmarkDecision(b, func(set *tools.Set) error {
		_, err := set.BestWindow(b.Context(), in)
		return err
	})
}

func benchmarkDecision(b *testing.B, decide func(*tools.Set) error) {
	_, root := product.Simulate(b, product.Noon)
	p := product.Setup{Root: root, Now: product.Noon}.Start(b).Join(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := decide(p.Tools()); err != nil {
			b.Fatal(err)
		}
	}
}
