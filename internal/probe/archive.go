package probe

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// The archive is a zip file with index.json and the bodies of the responses, bodies/001.json and so
// on. It does not have the contact, headers of requests, hosts or addresses of the owner's machine.

// index is the content of index.json.
type index struct {
	Program  string       `json:"program"`
	Version  string       `json:"version"`
	Began    time.Time    `json:"began"`
	Ended    time.Time    `json:"ended"`
	Complete bool         `json:"complete"`
	Planned  int          `json:"planned"`
	Probes   []indexProbe `json:"probes"`
}

type indexProbe struct {
	Name         string         `json:"name"`
	Outcome      Outcome        `json:"outcome"`
	Words        string         `json:"words"`
	Milliseconds int64          `json:"milliseconds"`
	Requests     []indexRequest `json:"requests"`
}

type indexRequest struct {
	Path    string              `json:"path"`
	At      time.Time           `json:"at"`
	Status  int                 `json:"status"` // 0: no response
	Headers map[string][]string `json:"headers,omitempty"`
	Body    string              `json:"body,omitempty"` // file in the archive
	Bytes   int                 `json:"bytes"`          // received; more than the file has if it is cut
	Whole   bool                `json:"whole"`          // received to its end
	Cut     bool                `json:"cut"`            // the file has only the beginning
}

// FileName returns the usual name of the archive of a run that begins at a time.
func FileName(at time.Time) string {
	return "leadline-live-" + at.UTC().Format("20060102T1504Z") + ".zip"
}

// Check returns an error if the archive cannot be created: before the requests, not after them.
func Check(file string) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return notWritten(file, err)
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".leadline-*")
	if err != nil {
		return notWritten(file, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func notWritten(file string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // without the name of a temporary file
	}
	return fmt.Errorf("cannot write the archive %s: %w; --archive FILE writes another", file, err)
}

// WriteFile writes the archive to a new file that only its owner can read.
func (r *Report) WriteFile(file string) error {
	if err := coast.ReplaceFile(file, r.Write); err != nil {
		return notWritten(file, err)
	}
	return nil
}

// Write writes the archive.
func (r *Report) Write(w io.Writer) error {
	z := zip.NewWriter(w)
	list := index{
		Program: "Leadline", Version: r.version, Began: r.began, Ended: r.ended,
		Complete: r.Complete(), Planned: r.Planned, Probes: []indexProbe{},
	}
	secrets := r.secrets()
	count := 0
	for _, one := range r.results {
		p := indexProbe{one.name, one.outcome, one.words, one.took.Milliseconds(), []indexRequest{}}
		for _, x := range one.exchanges {
			q := indexRequest{
				Path: x.path, At: x.at, Status: x.status, Headers: x.header, Bytes: x.size,
				Whole: x.whole, Cut: x.size > len(x.body),
			}
			if len(x.body) > 0 {
				count++
				q.Body = fmt.Sprintf("bodies/%03d%s", count, x.bodyType())
				if err := r.add(z, q.Body, secrets.ReplaceAll(x.body, []byte(removed))); err != nil {
					return err
				}
			}
			p.Requests = append(p.Requests, q)
		}
		list.Probes = append(list.Probes, p)
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	if err := r.add(z, "index.json", secrets.ReplaceAll(text, []byte(removed))); err != nil {
		return err
	}
	return z.Close()
}

func (r *Report) add(z *zip.Writer, name string, content []byte) error {
	f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: r.began})
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return err
}

// removed replaces what must not be in the archive: a provider can repeat it in a response.
const removed = "[removed]"

// secrets returns a pattern of the contact, the addresses in it and the User-Agent, in the forms in
// which URLs, JSON and HTML write them.
func (r *Report) secrets() *regexp.Regexp {
	secrets := append(slices.Clone(r.agents), r.contact)
	for _, word := range strings.FieldsFunc(r.contact, func(c rune) bool {
		return strings.ContainsRune(" <>(),;", c)
	}) {
		if strings.ContainsAny(word, "@/") {
			secrets = append(secrets, word)
		}
	}
	var forms []string
	for _, secret := range secrets {
		quoted, _ := json.Marshal(secret) // strings always encode
		for _, form := range []string{
			secret, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
			strings.Trim(string(quoted), `"`), strings.ReplaceAll(secret, "/", `\/`),
		} {
			forms = append(forms, regexp.QuoteMeta(form))
		}
	}
	return regexp.MustCompile("(?i)" + strings.Join(forms, "|"))
}
