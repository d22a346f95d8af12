//go:build linux

package providers

import (
	"bufio"
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
// third-party packages and none of ours (the floor); what leadline predict uses more; and what a
// server with a new store uses until its first response, as a multiple of leadline version, with
// its resident memory at that point. All take turns, so that other load affects all.
func BenchmarkStart(b *testing.B) {
	folder := b.TempDir()
	binary, floor := filepath.Join(folder, "leadline"), filepath.Join(folder, "floor")
	build(b, "-o", binary, "../..")
	buildFloor(b, folder, floor)
	var floors, versions, predictions, answers, times, sizes []float64
	for b.Loop() {
		floors = append(floors, once(b, floor))
		versions = append(versions, once(b, binary, "version"))
		predictions = append(predictions, once(b, binary, "predict", "8443970"))
		a := firstAnswer(b, binary)
		answers, times = append(answers, a.cpu), append(times, a.took)
		sizes = append(sizes, a.resident)
	}
	version := median(versions)
	b.ReportMetric(median(floors), "floor-ms")
	b.ReportMetric(version, "version-ms")
	b.ReportMetric(version/median(floors), "version-x-floor")
	b.ReportMetric(median(predictions)-version, "predict-more-ms")
	b.ReportMetric(median(answers)/version, "answer-x-version")
	b.ReportMetric(median(answers), "answer-cpu-ms")
	b.ReportMetric(median(times), "answer-ms")
	b.ReportMetric(median(sizes), "MB-resident")
	b.ReportMetric(0, "ns/op") // it would include all of them
}

// build runs go build.
func build(b *testing.B, args ...string) {
	b.Helper()
	out, err := exec.Command("go", append([]string{"build"}, args...)...).CombinedOutput()
	if err != nil {
		b.Fatalf("go build: %v: %s", err, out)
	}
}

// buildFloor builds a program that imports the third-party packages of leadline. Its source takes
// the place of main.go, so that the versions are those of the module.
func buildFloor(b *testing.B, folder, binary string) {
	list := exec.Command("go", "list", "-deps",
		"-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "../..")
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

// once runs a program to its end and returns its CPU time in milliseconds.
func once(b *testing.B, program string, args ...string) float64 {
	b.Helper()
	command := exec.Command(program, args...)
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%s %v: %v: %s", program, args, err, out)
	}
	return milliseconds(command.ProcessState.UserTime() + command.ProcessState.SystemTime())
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// answered describes a server at its first response: the milliseconds since it was started, those
// of CPU, and the largest resident memory in MB.
type answered struct{ took, cpu, resident float64 }

// firstAnswer starts a server and requests a prediction.
func firstAnswer(b *testing.B, binary string) (a answered) {
	watch := trials.Start()
	server := exec.Command(binary, "--data", b.TempDir(), "--listen", "127.0.0.1:0")
	output, err := server.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		server.Process.Signal(os.Interrupt)
		server.Wait()
	}()
	address := ""
	for lines := bufio.NewScanner(output); address == "" && lines.Scan(); {
		if line, ok := strings.CutPrefix(lines.Text(), "  pages "); ok {
			address = strings.TrimSpace(line)
		}
	}
	response, err := http.Get(address + "api/v1/stations/8443970/predictions")
	if err != nil {
		b.Fatal(err)
	}
	response.Body.Close()
	a.took = milliseconds(watch.Elapsed())
	a.cpu = process{pid: server.Process.Pid}.spent(b) / 1000
	if response.StatusCode != http.StatusOK {
		b.Fatal(response.Status)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	_, size, _ := bytes.Cut(status, []byte("VmHWM:")) // in kB: proc(5)
	fmt.Sscan(string(size), &a.resident)
	a.resident /= 1024
	return a
}
