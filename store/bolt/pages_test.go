package bolt

import (
	"bytes"
	"cmp"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"leadline/store"
	"leadline/store/storetest"
)

// wholeFile is the content of a file with trees of more than one page, small
// buckets within others, free pages, and a value that fills several pages.
func wholeFile(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadline.db")
	s := openStore(t, path)
	for n := range 60 {
		err := cmp.Or(s.AddAccount(t.Context(), anAccount(n)), s.AddKey(t.Context(), aKey(n)))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Reserve(t.Context(), accountID(n), store.Month(202601+n%12), 64, 100); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetMeta(t.Context(), "long", make([]byte, 3*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	for n := range 10 {
		if err := s.RemoveAccount(t.Context(), accountID(n)); err != nil {
			t.Fatal(err)
		}
	}
	var copied bytes.Buffer
	if err := s.Backup(t.Context(), &copied); err != nil {
		t.Fatal(err)
	}
	return copied.Bytes()
}

// listed is the same with a list of free pages, as bbolt writes by itself.
func listed(t testing.TB, content []byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "listed.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// use opens a file with that content and, where that works, does everything
// with it. It must come back: whatever is wrong is an error.
func use(t testing.TB, content []byte) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadline.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	_, verified := Verify(path)
	s, err := Open(path, Options{})
	if err != nil {
		if verified == nil {
			t.Errorf("Open() = %v, and Verify() found nothing", err)
		}
		return err
	}
	defer s.Close()
	for _, m := range storetest.Methods() {
		_ = m.Call(t.Context(), s)
	}
	var all sync.WaitGroup
	for n := range 60 {
		all.Go(func() {
			_, _, _ = s.KeyByHash(t.Context(), aKey(n).Hash)
			_ = s.RemoveAccount(t.Context(), accountID(n))
		})
	}
	all.Wait()
	return verified
}

func TestWholeFile(t *testing.T) {
	content := wholeFile(t)
	for name, content := range map[string][]byte{"as it is": content, "with a list of free pages": listed(t, content)} {
		if err := use(t, content); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCutOff cuts a file off about the borders of its pages.
func TestCutOff(t *testing.T) {
	content := wholeFile(t)
	page := os.Getpagesize()
	for border := 0; border < len(content); border += page {
		for _, n := range []int{border - 1, border, border + 1, border + page/2} {
			if n <= 0 || n >= len(content) {
				continue // none at all is a new file
			}
			if err := use(t, content[:n]); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("cut off after %d of %d bytes: got error %v, want %v", n, len(content), err, store.ErrDamaged)
			}
		}
	}
	if err := use(t, append(bytes.Clone(content), make([]byte, 3*page+7)...)); err != nil {
		t.Errorf("longer than it need be: %v", err)
	}
}

func TestGarbage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 64, 80, 4095, 4096, 8192, 16384, 100_000} {
		noise := make([]byte, n)
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		for name, content := range map[string][]byte{"noise": noise, "zeros": make([]byte, n), "text": bytes.Repeat([]byte("SQLite format 3\x00"), n)[:n]} {
			if err := use(t, content); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%d bytes of %s: got error %v, want %v", n, name, err, store.ErrDamaged)
			}
		}
	}
}

// TestMetaPages holds that one good meta page is enough, and none is not.
func TestMetaPages(t *testing.T) {
	t.Parallel()
	content := wholeFile(t)
	page := os.Getpagesize()
	spoil := func(at ...int) []byte {
		c := bytes.Clone(content)
		for _, i := range at {
			c[i] ^= 0xFF
		}
		return c
	}
	for at := headerSize; at < headerSize+metaSize; at += 3 {
		for name, content := range map[string][]byte{"first": spoil(at), "second": spoil(page + at)} {
			if err := use(t, content); err != nil {
				t.Errorf("byte %d of the %s meta page: %v", at, name, err)
			}
		}
		if err := use(t, spoil(at, page+at)); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("byte %d of both meta pages: got error %v, want %v", at, err, store.ErrDamaged)
		}
	}
}

// TestSpoiledPages writes over every page, and over single bytes. What the
// indexes or JSON do not tell may go unseen; what bbolt would stumble over not.
func TestSpoiledPages(t *testing.T) {
	t.Parallel()
	content := wholeFile(t)
	page := os.Getpagesize()
	random := rand.New(rand.NewPCG(5, 6))
	for _, content := range [][]byte{content, listed(t, content)} {
		for at := 2 * page; at < len(content); at += page {
			zeros, noise := bytes.Clone(content), bytes.Clone(content)
			clear(zeros[at:min(at+page, len(content))])
			for i := at + headerSize; i < min(at+page, len(content)); i++ {
				noise[i] = byte(random.Uint32())
			}
			_ = use(t, zeros)
			_ = use(t, noise)
		}
		for range 100 {
			spoiled := bytes.Clone(content)
			at := 2*page + random.IntN(len(content)/page-2)*page + random.IntN(40) // headers and the first elements
			spoiled[at] ^= 1 << random.IntN(8)
			_ = use(t, spoiled)
		}
	}
}

// craft is a file that is taken apart in order to break one thing.
type craft struct {
	t       *testing.T
	content []byte
	meta    meta
}

// page reads a page of a tree, or the list of free pages.
func (c *craft) page(id uint64) page {
	c.t.Helper()
	w := &walk{file: bytes.NewReader(c.content), meta: c.meta, seen: make([]bool, c.meta.pages)}
	p, err := w.take(id)
	if err != nil {
		c.t.Fatal(err)
	}
	return p
}

func (c *craft) elements(p page) []element {
	c.t.Helper()
	list, err := p.elements()
	if err != nil {
		c.t.Fatal(err)
	}
	return list
}

// at is where a part of a page stands in the file.
func (c *craft) at(p page, part []byte) []byte {
	return c.content[int64(p.id)*c.meta.pageSize+int64(cap(p.data)-cap(part)):]
}

// bucket is the value of a bucket of the root.
func (c *craft) bucket(name []byte) []byte {
	c.t.Helper()
	pages := []page{c.page(c.meta.root)}
	for len(pages) > 0 {
		p := pages[0]
		pages = pages[1:]
		for _, e := range c.elements(p) {
			switch {
			case p.kind == branchKind:
				pages = append(pages, c.page(e.child))
			case bytes.Equal(e.key, name):
				return c.at(p, e.value)
			}
		}
	}
	c.t.Fatalf("there is no %s", name)
	return nil
}

// keys are the branch of the bucket of keys and its first leaf.
func (c *craft) keys() (branch, leaf page) {
	c.t.Helper()
	branch = c.page(number.Uint64(c.bucket(keys)))
	return branch, c.page(c.elements(branch)[0].child)
}

// crafts break what only bbolt's panic would tell, or an index.
var crafts = map[string]func(*craft){
	"a small bucket that does not hold what it says": func(c *craft) { number.PutUint16(c.bucket(incidents)[bucketSize+10:], 1) },
	"a small bucket that is no leaf":                 func(c *craft) { number.PutUint16(c.bucket(engine)[bucketSize+8:], branchKind) },
	"a bucket in a meta page":                        func(c *craft) { number.PutUint64(c.bucket(keys), 1) },
	"a bucket past the end":                          func(c *craft) { number.PutUint64(c.bucket(keys), c.meta.pages) },
	"two buckets in one page":                        func(c *craft) { copy(c.bucket(keys)[:8], c.bucket(keysByID)[:8]) },
	"a leaf that two branches lead to": func(c *craft) {
		p, _ := c.keys()
		copy(c.at(p, p.data[headerSize+elementSize+8:])[:8], p.data[headerSize+8:])
	},
	"a branch that leads to itself": func(c *craft) {
		p, _ := c.keys()
		number.PutUint64(c.at(p, p.data[headerSize+8:]), p.id)
	},
	"a branch of nothing": func(c *craft) {
		p, _ := c.keys()
		number.PutUint16(c.at(p, p.data[10:]), 0)
	},
	"a key before the one before it": func(c *craft) {
		_, leaf := c.keys()
		c.at(leaf, c.elements(leaf)[1].key)[0] = 0
		c.at(leaf, c.elements(leaf)[0].key)[0] = 1
	},
	"a key twice": func(c *craft) {
		_, leaf := c.keys()
		copy(c.at(leaf, c.elements(leaf)[1].key), c.elements(leaf)[0].key)
	},
	"a key that belongs to the next leaf": func(c *craft) {
		_, leaf := c.keys()
		list := c.elements(leaf)
		c.at(leaf, list[len(list)-1].key)[0] = 0xFF
	},
	"a key that belongs to the leaf before": func(c *craft) {
		p, _ := c.keys()
		next := c.page(c.elements(p)[1].child)
		c.at(next, c.elements(next)[0].key)[0] = 0
	},
	"a page with more behind it than there is": func(c *craft) {
		_, leaf := c.keys()
		number.PutUint32(c.at(leaf, leaf.data[12:]), 1<<31)
	},
	"a page of which the next is a part": func(c *craft) {
		p, _ := c.keys()
		for _, e := range c.elements(p) {
			number.PutUint32(c.at(c.page(e.child), c.page(e.child).data[12:]), uint32(c.meta.pages-1-e.child))
		}
	},
}

// listCrafts break the list of free pages.
var listCrafts = map[string]func(*craft){
	"a bucket in the list of free pages": func(c *craft) { number.PutUint64(c.bucket(keys), c.meta.freelist) },
	"a bucket in a free page":            func(c *craft) { copy(c.bucket(keys)[:8], c.page(c.meta.freelist).data[headerSize:]) },
	"a free page past the end": func(c *craft) {
		p := c.page(c.meta.freelist)
		number.PutUint64(c.at(p, p.data[headerSize:]), c.meta.pages)
	},
	"a free page twice": func(c *craft) {
		p := c.page(c.meta.freelist)
		copy(c.at(p, p.data[headerSize+8:])[:8], p.data[headerSize:])
	},
	"more free pages than the list holds": func(c *craft) {
		p := c.page(c.meta.freelist)
		number.PutUint16(c.at(p, p.data[10:]), 0xFFFE)
	},
}

func TestCrafted(t *testing.T) {
	content := wholeFile(t)
	list := listed(t, content)
	for name, spoil := range crafts {
		breaks(t, content, name, spoil)
		breaks(t, list, name, spoil)
	}
	for name, spoil := range listCrafts {
		breaks(t, list, name, spoil)
	}
}

// breaks holds that what is spoiled is found before bbolt meets it.
func breaks(t *testing.T, content []byte, name string, spoil func(*craft)) {
	t.Helper()
	newest, err := newestMeta(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	c := &craft{t, bytes.Clone(content), newest}
	spoil(c)
	if bytes.Equal(c.content, content) {
		t.Errorf("%s: nothing was changed", name)
	}
	if err := inspect(bytes.NewReader(c.content), int64(len(content))); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("%s: got error %v, want %v", name, err, store.ErrDamaged)
	}
	if err := use(t, c.content); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("%s, opened: got error %v, want %v", name, err, store.ErrDamaged)
	}
}

// mended makes the sums of both meta pages right.
func mended(content []byte) []byte {
	page := os.Getpagesize()
	for _, at := range []int{headerSize, page + headerSize} {
		if at+metaSize <= len(content) {
			sum := fnv.New64a()
			sum.Write(content[at : at+56])
			number.PutUint64(content[at+56:], sum.Sum64())
		}
	}
	return content
}

// TestMendedMeta puts numbers into the meta pages and makes their sums right.
func TestMendedMeta(t *testing.T) {
	content := wholeFile(t)
	page := os.Getpagesize()
	for field, at := range map[string]int{"page size": 8, "root": 16, "free list": 32, "pages": 40} {
		for _, n := range []uint64{0, 1, 2, 3, 7, 1000, 1 << 20, 1 << 40, 1<<63 - 1, 1 << 63, 1<<64 - 2} {
			c := bytes.Clone(content)
			for _, m := range []int{headerSize, page + headerSize} {
				if field == "page size" {
					number.PutUint32(c[m+at:], uint32(n))
				} else {
					number.PutUint64(c[m+at:], n)
				}
			}
			if err := use(t, mended(c)); err == nil && field != "root" {
				t.Errorf("%s %d: got no error", field, n)
			}
		}
	}
}

// FuzzFile writes anything anywhere into a file. It ends the process where
// bbolt stumbles.
func FuzzFile(f *testing.F) {
	contents := [][]byte{wholeFile(f)}
	contents = append(contents, listed(f, contents[0]))
	page := os.Getpagesize()
	f.Add(false, len(contents[0]), 0, []byte{}, true)
	f.Add(true, len(contents[1]), 2*page, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0x02}, false)
	f.Add(false, 5*page, 16, []byte{1}, true)
	for id := 2; id < len(contents[1])/page; id++ {
		f.Add(id%2 == 0, len(contents[1]), id*page+10, []byte{0xFF, 0xFF}, false)
		f.Add(id%2 == 0, len(contents[1]), id*page+headerSize, []byte{1, 0, 0, 0, 16, 0, 0, 0}, false)
	}
	f.Fuzz(func(t *testing.T, list bool, size, at int, with []byte, mend bool) {
		content := contents[0]
		if list {
			content = contents[1]
		}
		content = bytes.Clone(content[:min(max(size, 0), len(content))])
		if at >= 0 && at < len(content) {
			copy(content[at:], with)
		}
		if mend {
			content = mended(content)
		}
		_ = use(t, content)
	})
}
