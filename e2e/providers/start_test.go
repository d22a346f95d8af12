package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/trials"
)

// BenchmarkStart measures what a process costs before its first answer, as the medians of its
// operations: the CPU of leadline version, as a multiple of a program that links the same
// third-party packages and none of ours (the floor); what leadline predict uses more; and the time
// until the first response of a server with a new store, as a multiple of leadline version, with
// the resident memory at that point. All take turns, so that other load affects all.
func BenchmarkStart(b *testing.B) {
	folder := b.TempDir()
	binary, floor := filepath.Join(folder, "leadline"), filepath.Join(folder, "floor")
	build(b, "-o", binary, "../..")
	buildFloor(b, folder, floor)
	var floors, versions, predictions, times, answers, sizes []float64
	for b.Loop() {
		cpu, _ := once(b, floor)
		floors = append(floors, cpu)
		cpu, took := once(b, binary, "version")
		versions, times = append(versions, cpu), append(times, took)
		cpu, _ = once(b, binary, "predict", "8443970")
		predictions = append(predictions, cpu)
		took, size := firstAnswer(b, binary)
		answers, sizes = append(answers, took), append(sizes, size)
	}
	version := median(versions)
	b.ReportMetric(median(floors), "floor-ms")
	b.ReportMetric(version, "version-ms")
	b.ReportMetric(version/median(floors), "version-x-floor")
	b.ReportMetric(median(predictions)-version, "predict-more-ms")
	b.ReportMetric(median(answers), "answer-ms")
	b.ReportMetric(median(answers)/median(times), "answer-x-version")
	b.ReportMetric(median(sizes), "MB-resident")
	b.ReportMetric(0, "ns/op") // it would include all of them
}

// build runs go build.
func build(b *testing.B, args ...string) {
	b.Helper()
	if out, err := exec.Command("go", append([]string{"build"}, args...)...).CombinedOutput(); err != nil {
		b.Fatalf("go build: %v: %s", err, out)
	}
}

// buildFloor builds a program that imports the third-party packages of leadline. Its source takes
// the place of main.go, so that the versions are those of the module.
func buildFloor(b *testing.B, folder, binary string) {
	list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "../..")
	out, err := list.Output()
	if err != nil {
		b.Fatalf("go list: %v", err)
	}
	var source strings.Builder
	source.WriteString("package main\n\nimport (\n")
	for name := range strings.FieldsSeq(string(out)) {
		if name != "leadline" && !strings.HasPrefix(name, "leadline/") &&
			!strings.Contains(name+"/", "/internal/") {
			fmt.Fprintf(&source, "_ %q\n", name)
		}
	}
	source.WriteString(")\n\nfunc main() {}\n")
	main, err := filepath.Abs("../../main.go")
	if err != nil {
		b.Fatal(err)
	}
	file, overlay := filepath.Join(folder, "floor.go"), filepath.Join(folder, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{main: file}})
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string][]byte{file: []byte(source.String()), overlay: replace} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	build(b, "-overlay", overlay, "-o", binary, "../..")
}

// once runs a program to its end and returns its CPU time and how long it took, in milliseconds.
func once(b *testing.B, program string, args ...string) (cpu, took float64) {
	b.Helper()
	watch, command := trials.Start(), exec.Command(program, args...)
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%s %v: %v: %s", program, args, err, out)
	}
	used := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	return milliseconds(used), milliseconds(watch.Elapsed())
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// firstAnswer starts a server and returns the milliseconds until its first response, and its
// resident memory in MB at that point.
func firstAnswer(b *testing.B, binary string) (took, size float64) {
	folder := b.TempDir()
	file := filepath.Join(folder, "port")
	watch := trials.Start()
	server := exec.Command(binary, "--data", filepath.Join(folder, "data"),
		"--listen", "127.0.0.1:0", "--port-file", file)
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
		port, _ = os.ReadFile(file) // until the file exists
	}
	answer, err := http.Get("http://127.0.0.1:" + strings.TrimSpace(string(port)) +
		"/api/v1/stations/8443970/predictions")
	if err != nil {
		b.Fatal(err)
	}
	answer.Body.Close()
	took = milliseconds(watch.Elapsed())
	if answer.StatusCode != http.StatusOK {
		b.Fatal(answer.Status)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.Process.Pid))
	if err != nil {
		b.Skip("no /proc here to read the resident size from")
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fmt.Sscan(string(rest), &size)
	return took, size / 1024
}
