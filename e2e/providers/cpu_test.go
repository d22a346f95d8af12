//go:build linux

package providers

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"leadline/e2e/product"
)

// modern are the headers and the _meta of a request of protocol revision 2026-07-28.
const (
	modernHeaders = "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n" +
		"Mcp-Name: noaa_get_tide_predictions\r\n"
	modernMeta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
)

// BenchmarkServing measures the CPU time that the program, with a key, uses for two days of
// high and low water at Boston, as a multiple of what net/http uses for the same body. The
// targets are 3.5 for REST and 4.5 for MCP. Both run as separate processes and take turns
// serving, so that other load on the machine affects both; the multiple is the median of
// the turns. A benchmark operation is one turn of each.
func BenchmarkServing(b *testing.B) {
	s := newServing(b)
	const predictions = "GET /api/v1/stations/8443970/predictions"
	for _, c := range []struct{ name, request string }{
		{"REST", predictions + "?begin_date=2026-11-20 HTTP/1.1\r\n\r\n"},
		{"RESTNow", predictions + " HTTP/1.1\r\n\r\n"},
		{"MCP", tideCall("", "")},
		{"ModernMCP", tideCall(modernHeaders, modernMeta)},
	} {
		b.Run(c.name, func(b *testing.B) { s.compare(b, c.name, c.request) })
	}
}

// tideCall returns the request line and the headers of a call, with the body after them.
func tideCall(headers, meta string) string {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noaa_get_tide_predictions",` +
		`"arguments":{"station":"8443970","begin_date":"2026-11-20","range":48}` + meta + `}}`
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s",
		headers, len(body), body)
}

// serving has both programs and the keys of callers.
type serving struct {
	leadline process
	plain    string // path of the binary
	keys     []string
}

// newServing builds both programs and starts leadline on a data folder with accounts. Each
// account may send 65,535 requests a minute, so several take turns.
func newServing(b *testing.B) *serving {
	folder, data := b.TempDir(), b.TempDir()
	build := exec.Command("go", "build", "-o", folder, "../..", "../../scripts/plain")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	plans := filepath.Join(folder, "plans.json")
	if err := os.WriteFile(plans, []byte(
		`{"bench": {"perMinute": 65535, "perMonth": 1000000000000, "features": ["decision_api"]}}`,
	), 0o600); err != nil {
		b.Fatal(err)
	}
	s := &serving{plain: filepath.Join(folder, "plain")}
	for i := range 12 {
		s.keys = append(
			s.keys,
			strings.TrimSpace(product.At(b, data, "keys", "create", "--yes", "--plans", plans,
				"--account", fmt.Sprintf("mate%d@example.org", i), "--plan", "bench")),
		)
	}
	port := filepath.Join(folder, "port")
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	command := exec.Command(
		filepath.Join(folder, "leadline"),
		"--listen",
		"127.0.0.1:0",
		"--offline",
		"--port-file",
		port,
		"--data",
		data,
		"--plans",
		plans,
	)
	command.Stderr = log
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	end(b, command)
	s.leadline = process{command.Process.Pid, "127.0.0.1:" + product.PortIn(b, port, nil)}
	return s
}

// end interrupts a process at the end of the benchmark.
func end(b *testing.B, command *exec.Cmd) {
	b.Cleanup(func() {
		command.Process.Signal(os.Interrupt)
		command.Wait()
	})
}

// compare measures turns of both programs.
func (s *serving) compare(b *testing.B, name, request string) {
	line, headers, _ := strings.Cut(request, "\r\n")
	method, _, _ := strings.Cut(line, " ")
	asked := func(key string) string {
		return line + "\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key + "\r\n" + headers
	}
	ours := s.leadline.dial(b)
	body, err := ours[0].send(asked(s.keys[0]))
	if err != nil {
		b.Fatal(err)
	}
	plain := s.startPlain(b, name, body)
	theirs := plain.dial(b)
	same := strings.Replace(asked(s.keys[0]), line, method+" /"+name+" HTTP/1.1", 1)
	if other, err := theirs[0].send(same); err != nil || !bytes.Equal(other, body) {
		b.Fatal("plain serves another body", err)
	}
	const turn = 1000
	var ratios, costs []float64
	for i := 0; b.Loop(); i++ {
		request := asked(s.keys[i%len(s.keys)])
		us := s.leadline.cost(b, func() { ours.send(b, request, turn) })
		them := plain.cost(b, func() { theirs.send(b, same, turn) })
		ratios, costs = append(ratios, us/them), append(costs, us/turn)
	}
	b.ReportMetric(median(ratios), "x-net/http")
	b.ReportMetric(median(costs), "cpu-µs")
	b.ReportMetric(0, "ns/op") // it would include both programs and the client
}

// startPlain serves a body with the program plain.
func (s *serving) startPlain(b *testing.B, name string, body []byte) process {
	folder := b.TempDir()
	if err := os.WriteFile(filepath.Join(folder, name), body, 0o600); err != nil {
		b.Fatal(err)
	}
	command := exec.Command(s.plain, folder)
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	end(b, command)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return process{command.Process.Pid, strings.TrimSpace(address)}
}

// process is a server that runs as a separate process.
type process struct {
	pid     int
	address string
}

// cost returns the microseconds of CPU that the process uses during f.
func (p process) cost(b *testing.B, f func()) float64 {
	before := p.spent(b)
	f()
	return p.spent(b) - before
}

// spent returns the CPU time of all threads of the process, in microseconds: proc(5),
// schedstat.
func (p process) spent(b *testing.B) (microseconds float64) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.pid))
	if err != nil || len(threads) == 0 {
		b.Fatal("no threads of the process in /proc", err)
	}
	for _, file := range threads {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		run, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(run, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		microseconds += float64(ns) / 1000
	}
	return microseconds
}

// connection is a keep-alive connection of a client.
type connection struct {
	net.Conn
	read *bufio.Reader
}

// load is a set of connections that are used at the same time. With a single one, the
// threads of a server would sleep after each request, and waking them would cost more
// than net/http.
type load [8]connection

func (p process) dial(b *testing.B) (all load) {
	for i := range all {
		c, err := net.Dial("tcp", p.address)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { c.Close() })
		all[i] = connection{c, bufio.NewReader(c)}
	}
	return all
}

// send sends a request and returns the body of its response.
func (c connection) send(request string) ([]byte, error) {
	if _, err := io.WriteString(c, request); err != nil {
		return nil, err
	}
	r, err := http.ReadResponse(c.read, nil)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", r.Status, body)
	}
	return body, err
}

// send sends a request n times on all connections together.
func (all load) send(b *testing.B, request string, n int) {
	var senders errgroup.Group
	for _, c := range all {
		senders.Go(func() error {
			for range n / len(all) {
				if _, err := c.send(request); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := senders.Wait(); err != nil {
		b.Fatal(err)
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
