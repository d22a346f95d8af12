package upstream

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// The file is a line that names its form, a gob stream of records, hottest
// first, and the SHA-256 of all that. It is written beside its name and then
// renamed: whatever happens meanwhile, the old file or the new one is there.
// It holds answers as they came, so a new build reads them with its own eyes.
const fileHeader = "leadline answers 1\n"

// record is one kept answer in the file.
type record struct {
	URL, Accept    string
	Status         int
	Type           string
	Body           []byte
	Date           time.Time
	LastModified   time.Time
	ETag, Modified string
	ReceivedAt     time.Time
	Keep           time.Duration
}

func newRecord(k key, a *entry) record {
	r := a.response
	return record{k.url, k.accept, r.Status, r.Type, r.Body, r.Date, r.LastModified, a.etag, a.modified, a.receivedAt, a.expiry}
}

func (r *record) entry() (key, *entry) {
	return key{r.URL, r.Accept}, &entry{
		response:   Response{r.Status, r.Type, r.Body, r.Date.UTC(), r.LastModified.UTC()},
		receivedAt: r.ReceivedAt.UTC(), expiry: r.Keep, etag: r.ETag, modified: r.Modified,
	}
}

// Save writes what is kept to the client's file, where it has one and anything
// has changed. After an error the file is as it was.
func (c *Client) Save() error {
	c.saving.Lock()
	defer c.saving.Unlock()
	changes := c.changes.Load()
	if c.config.File == "" || changes == c.saved {
		return nil
	}
	if err := coast.ReplaceFile(c.config.File, c.write); err != nil {
		return fmt.Errorf("saving the answers of %s: %w", c.config.Provider, err)
	}
	c.saved = changes
	return nil
}

func (c *Client) saveOrWarn() {
	c.logSave(c.Save())
}

// write writes the file's content. Answers past their Keep are left out, and
// the coldest where there is too much.
func (c *Client) write(w io.Writer) error {
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	b.WriteString(fileHeader) // its error comes back from Flush
	out := gob.NewEncoder(b)
	left := c.config.MaxCache
	for _, r := range c.records(c.config.Now()) {
		if left -= len(r.Body); left < 0 {
			break
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	if err := b.Flush(); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// records collects what is worth keeping; the bodies are shared.
func (c *Client) records(now time.Time) []record {
	var list []record
	for e := range c.cache.Hottest() {
		if e.Value.age(now) < e.Value.expiry {
			list = append(list, newRecord(e.Key, e.Value))
		}
	}
	return list
}

// load takes in what the file kept.
func (c *Client) load() {
	if c.config.File == "" {
		return
	}
	records, err := c.readFile()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.config.Log.Warn("kept answers are discarded", "file", c.config.File, "error", err)
	}
	now := c.config.Now()
	for i := range records {
		if k, a := records[i].entry(); a.age(now) < a.expiry {
			c.cache.Set(k, a)
		}
	}
}

func (c *Client) readFile() ([]record, error) {
	f, err := os.Open(c.config.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readRecords(f, info.Size(), int64(c.config.MaxCache))
}

var errNotCache = errors.New("not a file of kept answers of this version")

// readRecords reads a file's content, once its sum is known to be right. A file
// far larger than what is ever written is not read.
func readRecords(f io.ReaderAt, size, limit int64) ([]record, error) {
	end := size - sha256.Size
	if end < int64(len(fileHeader)) || size > 2*limit+1<<20 {
		return nil, errNotCache
	}
	if err := checkSum(f, end); err != nil {
		return nil, err
	}
	in := gob.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(f, int64(len(fileHeader)), end-int64(len(fileHeader))), 64<<10))
	var list []record
	for {
		var r record
		switch err := in.Decode(&r); err {
		case nil:
			list = append(list, r)
		case io.EOF:
			return list, nil
		default:
			return nil, fmt.Errorf("reading record %d: %w", len(list), err)
		}
	}
}

func checkSum(f io.ReaderAt, end int64) error {
	head := make([]byte, len(fileHeader))
	if _, err := f.ReadAt(head, 0); err != nil {
		return err
	}
	if string(head) != fileHeader {
		return errNotCache
	}
	want := make([]byte, sha256.Size)
	if _, err := f.ReadAt(want, end); err != nil && err != io.EOF {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, end)); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return errors.New("checksum is wrong: the file was damaged")
	}
	return nil
}

// Cached returns the addresses of what is kept that begin with prefix, in
// order. What they answer may be past its Keep: Peek, with the Accept that it
// was asked with, tells.
func (c *Client) Cached(prefix string) []string {
	var list []string
	for k := range c.cache.Keys() {
		if strings.HasPrefix(k.url, prefix) {
			list = append(list, k.url)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// forget drops an answer, unless a newer one has taken its place.
func (c *Client) drop(k key, a *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now, ok := c.cache.GetIfPresent(k); ok && now == a {
		c.cache.Invalidate(k)
	}
}
