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

// The cache file has a line that names its format, a gob stream of records, most used first, and
// the SHA-256 of all that. It is written under a temporary name and then renamed, so that a crash
// leaves either the old file or the new one. It holds unparsed responses, which a newer build
// parses with its own readers.
const fileHeader = "leadline answers 1\n"

// record is one cache entry in the file.
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
	return record{k.url, k.accept, r.Status, r.Type, r.Body, r.Date, r.LastModified, a.etag,
		a.modified, a.receivedAt, a.expiry}
}

func (r *record) entry() (key, *entry) {
	return key{r.URL, r.Accept}, &entry{
		response:   Response{r.Status, r.Type, r.Body, r.Date.UTC(), r.LastModified.UTC()},
		receivedAt: r.ReceivedAt.UTC(), expiry: r.Keep, etag: r.ETag, modified: r.Modified,
	}
}

// Save writes the cache file if one is configured and the cache has changed. After an error the
// file is unchanged.
func (c *Client) Save() error {
	c.saving.Lock()
	defer c.saving.Unlock()
	changes := c.changes.Load()
	if c.config.File == "" || changes == c.saved {
		return nil
	}
	if err := coast.ReplaceFile(c.config.File, c.write); err != nil {
		return fmt.Errorf("save the cache of %s: %w", c.config.Provider, err)
	}
	c.saved = changes
	return nil
}

func (c *Client) saveOrWarn() {
	c.logSave(c.Save())
}

// write writes the content of the file without expired entries, and without the least used ones if
// there are too many.
func (c *Client) write(w io.Writer) error {
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	b.WriteString(fileHeader) // Flush returns its error
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

// records returns the entries that have not expired; the bodies are shared.
func (c *Client) records(now time.Time) []record {
	var list []record
	for e := range c.cache.Hottest() {
		if e.Value.age(now) < e.Value.expiry {
			list = append(list, newRecord(e.Key, e.Value))
		}
	}
	return list
}

// load reads the cache file.
func (c *Client) load() {
	if c.config.File == "" {
		return
	}
	records, err := c.readFile()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.config.Log.Warn("discarding the cache file", "file", c.config.File, "error", err)
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

var errNotCache = errors.New("not a cache file of this version")

// readRecords verifies the checksum of a file and reads its records. A file that is much larger
// than limit allows is not read.
func readRecords(f io.ReaderAt, size, limit int64) ([]record, error) {
	end := size - sha256.Size
	if end < int64(len(fileHeader)) || size > 2*limit+1<<20 {
		return nil, errNotCache
	}
	if err := checkSum(f, end); err != nil {
		return nil, err
	}
	begin := int64(len(fileHeader))
	in := gob.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(f, begin, end-begin), 64<<10))
	var list []record
	for {
		var r record
		switch err := in.Decode(&r); err {
		case nil:
			list = append(list, r)
		case io.EOF:
			return list, nil
		default:
			return nil, fmt.Errorf("read record %d: %w", len(list), err)
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
		return errors.New("wrong checksum: the file is damaged")
	}
	return nil
}

// Cached returns the URLs of cache entries that begin with prefix, in order. Entries may have
// expired: Peek, with the same Accept, reports that.
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

// drop removes an entry, unless a newer one has replaced it.
func (c *Client) drop(k key, a *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now, ok := c.cache.GetIfPresent(k); ok && now == a {
		c.cache.Invalidate(k)
	}
}
