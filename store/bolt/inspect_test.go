package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/storetest"
)

// wholeFile returns the content of an intact file. It has trees of more than one page, small nested
// buckets, free pages, and a value that fills several pages.
func wholeFile(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadline.db")
	s := openStore(t, path)
	for n := range 60 {
		err := cmp.Or(s.AddAccount(t.Context(), anAccount(n)), s.AddKey(t.Context(), aKey(n)))
		if err != nil {
			t.Fatal(err)
		}
		month := store.Month(202601 + n%12)
		if _, _, err := s.Reserve(t.Context(), accountID(n), month, 64, 100); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SwapMeta(t.Context(), "long", nil, make([]byte, 3*os.Getpagesize())); err != nil {
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

// withFreelist returns the content of the file with a list of free pages, as bbolt writes it by
// default.
func withFreelist(t testing.TB, content []byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "free.db")
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

// use inspects and opens a file with that content and calls every method, even if a full inspection
// finds damaged records. It must return: damage is an error of the inspection of its pages, before
// which Open does not open it, of Open, of the full inspection, or of a call.
func use(t testing.TB, content []byte) (opened, verified error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadline.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	verified = inspectFile(t, inspectRecords, path)
	if opened = inspectFile(t, inspectPages, path); opened != nil {
		return opened, verified
	}
	s, opened := Open(path, Options{})
	if opened != nil {
		return opened, verified
	}
	s.db.NoSync = true
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
	return nil, verified
}

// wantWhole checks that a file with that content can be used.
func wantWhole(t *testing.T, name string, content []byte) {
	t.Helper()
	if opened, verified := use(t, content); opened != nil || verified != nil {
		t.Errorf("%s: Open() = %v, inspection: %v", name, opened, verified)
	}
}

// wantDamaged checks that a file with that content is neither opened nor accepted as a backup.
func wantDamaged(t *testing.T, name string, content []byte) {
	t.Helper()
	opened, verified := use(t, content)
	if !errors.Is(opened, store.ErrDamaged) || !errors.Is(verified, store.ErrDamaged) {
		t.Errorf("%s: Open() = %v, inspection: %v, want %v", name, opened, verified, store.ErrDamaged)
	}
}

func TestWholeFile(t *testing.T) {
	content := wholeFile(t)
	wantWhole(t, "unchanged", content)
	wantWhole(t, "with a free list", withFreelist(t, content))
}

// TestOpenInspects checks that Open inspects a file in another process before it opens it, and that
// a file which crashes that process is damaged.
func TestOpenInspects(t *testing.T) {
	content := wholeFile(t)
	open := func(name string, spoil func(*craft)) error {
		t.Helper()
		c := newCraft(content)
		spoil(c)
		path := filepath.Join(t.TempDir(), "leadline.db")
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, verified := inspector{inspected.Inspect}.records(t.Context(), path)
		s, opened := Open(path, inspected)
		if opened == nil {
			s.Close()
		}
		if errors.Is(opened, store.ErrDamaged) != errors.Is(verified, store.ErrDamaged) {
			t.Errorf("%s: Open() = %v, inspection: %v", name, opened, verified)
		}
		return opened
	}
	if err := open("unchanged", func(*craft) {}); err != nil {
		t.Errorf("Open() = %v", err)
	}
	for _, some := range []map[string]func(*craft){crafts, hiddenCrafts} {
		names := slices.Sorted(maps.Keys(some))
		for _, name := range names[:2] {
			if err := open(name, some[name]); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%s: Open() = %v, want %v", name, err, store.ErrDamaged)
			}
		}
	}
}

// TestTruncatedFile truncates a file near the borders of its pages.
func TestTruncatedFile(t *testing.T) {
	content := wholeFile(t)
	page := os.Getpagesize()
	for border := 0; border < len(content); border += page {
		for _, n := range []int{border - 1, border, border + 1, border + page/2} {
			if n <= 0 || n >= len(content) {
				continue // an empty file is a new one
			}
			wantDamaged(t, fmt.Sprintf("truncated to %d of %d bytes", n, len(content)), content[:n])
		}
	}
	wantWhole(t, "with extra bytes", append(bytes.Clone(content), make([]byte, 3*page+7)...))
}

func TestGarbage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 64, 80, 4095, 4096, 8192, 16384, 100_000} {
		noise := make([]byte, n)
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		for name, content := range map[string][]byte{
			"noise": noise,
			"zeros": make([]byte, n),
			"text":  bytes.Repeat([]byte("SQLite format 3\x00"), n)[:n],
		} {
			wantDamaged(t, fmt.Sprintf("%d bytes of %s", n, name), content)
		}
	}
}

// TestMetaPages checks that one valid meta page is necessary and sufficient.
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
	step := 3
	if !trials.Thorough() {
		step = 7
	}
	for at := headerSize; at < headerSize+metaSize; at += step {
		wantWhole(t, fmt.Sprintf("byte %d of the first meta page", at), spoil(at))
		wantWhole(t, fmt.Sprintf("byte %d of the second meta page", at), spoil(page+at))
		wantDamaged(t, fmt.Sprintf("byte %d of both meta pages", at), spoil(at, page+at))
	}
}

// TestSpoiledPages overwrites every page, and single bytes. Damage that neither an index nor JSON
// reveals may remain undetected, but none may crash or hang a process that uses the file.
func TestSpoiledPages(t *testing.T) {
	t.Parallel()
	content := wholeFile(t)
	page := os.Getpagesize()
	random := rand.New(rand.NewPCG(5, 6))
	every, bits := 1, 100
	if !trials.Thorough() {
		every, bits = 5, 20
	}
	for n, content := range [][]byte{content, withFreelist(t, content)} {
		for at := (2 + n) * page; at < len(content); at += every * page {
			zeros, noise := bytes.Clone(content), bytes.Clone(content)
			clear(zeros[at:min(at+page, len(content))])
			for i := at + headerSize; i < min(at+page, len(content)); i++ {
				noise[i] = byte(random.Uint32())
			}
			use(t, zeros)
			use(t, noise)
		}
		for range bits {
			spoiled := bytes.Clone(content)
			first := (2 + random.IntN(len(content)/page-2)) * page
			spoiled[first+random.IntN(40)] ^= 1 << random.IntN(8) // headers and the first elements
			use(t, spoiled)
		}
	}
}

// craft is the content of a file in which one detail is damaged.
type craft struct {
	content        []byte
	root, freelist uint64 // pages
	pages          uint64 // number of pages in use
}

func newCraft(content []byte) *craft {
	content = bytes.Clone(content)
	meta := content[headerSize:]
	other := content[os.Getpagesize()+headerSize:]
	if number.Uint64(other[48:]) > number.Uint64(meta[48:]) {
		meta = other
	}
	return &craft{
		content,
		number.Uint64(meta[16:]),
		number.Uint64(meta[32:]),
		number.Uint64(meta[40:]),
	}
}

// page returns a page with its overflow pages. The slice shares memory with the content.
func (c *craft) page(id uint64) page {
	p := c.content[id*uint64(os.Getpagesize()):]
	return page(p[:(1+number.Uint32(p[12:]))*uint32(os.Getpagesize())])
}

// spare returns the number of a page without overflow pages that no tree uses.
func (c *craft) spare() uint64 {
	used := make([]bool, c.pages)
	for _, id := range append(c.tree(c.root), 0, 1) {
		for i := range len(c.page(id)) / os.Getpagesize() {
			used[id+uint64(i)] = true
		}
	}
	return uint64(slices.Index(used, false))
}

// element returns the page from its element i on.
func element(page []byte, i int) []byte { return page[headerSize+i*elementSize:] }

func childPage(page []byte, i int) uint64 { return number.Uint64(element(page, i)[8:]) }

func keyOf(page page, i int) []byte {
	e := element(page, i)
	if page.kind() == branchKind {
		return e[number.Uint32(e):][:number.Uint32(e[4:])]
	}
	return e[number.Uint32(e[4:]):][:number.Uint32(e[8:])]
}

// tree lists the pages of a tree and of the buckets in it.
func (c *craft) tree(id uint64) []uint64 {
	list, p := []uint64{id}, c.page(id)
	for i := range p.count() {
		switch e := element(p, i); {
		case p.kind() == branchKind:
			list = append(list, c.tree(childPage(p, i))...)
		case number.Uint32(e) == 1: // a bucket
			root := number.Uint64(e[number.Uint32(e[4:])+number.Uint32(e[8:]):])
			if root != 0 {
				list = append(list, c.tree(root)...)
			}
		}
	}
	return list
}

// bucket returns the value of a bucket in the root bucket.
func (c *craft) bucket(name []byte) []byte {
	pages := []uint64{c.root}
	for len(pages) > 0 {
		p := c.page(pages[0])
		pages = pages[1:]
		for i := range p.count() {
			switch key := keyOf(p, i); {
			case p.kind() == branchKind:
				pages = append(pages, childPage(p, i))
			case bytes.Equal(key, name):
				e := element(p, i)
				return e[number.Uint32(e[4:])+uint32(len(key)):][:number.Uint32(e[12:])]
			}
		}
	}
	panic("no bucket " + string(name))
}

// keys returns the branch page of the keys bucket and its first leaf.
func (c *craft) keys() (branch, leaf page) {
	branch = c.page(number.Uint64(c.bucket(keys)))
	return branch, c.page(childPage(branch, 0))
}

// putBranch makes p a branch with these elements.
func putBranch(p page, list ...item) {
	number.PutUint16(p[8:], branchKind)
	number.PutUint16(p[10:], uint16(len(list)))
	at := headerSize + len(list)*elementSize
	for i, e := range list {
		b := element(p, i)
		number.PutUint32(b, uint32(at-headerSize-i*elementSize))
		number.PutUint32(b[4:], uint32(len(e.key)))
		number.PutUint64(b[8:], e.child)
		at += copy(p[at:], e.key)
	}
}

// emptyLeaf makes a free page an empty leaf.
func (c *craft) emptyLeaf() (id uint64) {
	id = c.spare()
	p := c.page(id)
	clear(p)
	number.PutUint64(p, id)
	number.PutUint16(p[8:], leafKind)
	return id
}

// metas calls change with the content of each meta page and corrects the checksums.
func (c *craft) metas(change func(page int, meta []byte)) {
	for i := range 2 {
		change(i, c.content[i*os.Getpagesize()+headerSize:][:metaSize])
	}
	withSums(c.content)
}

// crafts cause damage that bbolt's check reports or panics on.
var crafts = map[string]func(*craft){
	"a small bucket with a wrong count": func(c *craft) {
		number.PutUint16(c.bucket(incidents)[bucketSize+10:], 1)
	},
	"a small bucket that is not a leaf": func(c *craft) {
		number.PutUint16(c.bucket(engine)[bucketSize+8:], branchKind)
	},
	"a bucket in a meta page": func(c *craft) { number.PutUint64(c.bucket(keys), 1) },
	"a bucket past the end":   func(c *craft) { number.PutUint64(c.bucket(keys), c.pages) },
	"two buckets in one page": func(c *craft) { copy(c.bucket(keys)[:8], c.bucket(keysByID)[:8]) },
	"a leaf with two parents": func(c *craft) {
		p, _ := c.keys()
		copy(element(p, 1)[8:16], element(p, 0)[8:])
	},
	"a branch that leads to itself": func(c *craft) {
		p, _ := c.keys()
		copy(element(p, 0)[8:16], p)
	},
	"an empty branch": func(c *craft) {
		p, _ := c.keys()
		number.PutUint16(p[10:], 0)
	},
	"two keys out of order": func(c *craft) {
		_, leaf := c.keys()
		keyOf(leaf, 1)[0] = 0
		keyOf(leaf, 0)[0] = 1
	},
	"a key twice": func(c *craft) {
		_, leaf := c.keys()
		copy(keyOf(leaf, 1), keyOf(leaf, 0))
	},
	"a key that belongs to the next leaf": func(c *craft) {
		_, leaf := c.keys()
		keyOf(leaf, leaf.count()-1)[0] = 0xFF
	},
	"a key that belongs to the leaf before": func(c *craft) {
		p, _ := c.keys()
		keyOf(c.page(childPage(p, 1)), 0)[0] = 0
	},
	"a page with more overflow pages than exist": func(c *craft) {
		_, leaf := c.keys()
		number.PutUint32(leaf[12:], 1<<31)
	},
	"a last page with 2^31 overflow pages": func(c *craft) {
		last := c.page(slices.Max(c.tree(c.root)))
		number.PutUint32(last[12:], 1<<31)
	},
	"a page that overlaps the next": func(c *craft) {
		p, _ := c.keys()
		for i := range p.count() {
			number.PutUint32(c.page(childPage(p, i))[12:], uint32(c.pages-1-childPage(p, i)))
		}
	},
	"a value that reaches past the file": func(c *craft) {
		_, leaf := c.keys()
		number.PutUint32(element(leaf, 0)[12:], 1<<24)
	},
}

// hiddenCrafts cause damage that bbolt's check does not find.
var hiddenCrafts = map[string]func(*craft){
	"a branch with an overwritten element": func(c *craft) {
		p, _ := c.keys()
		copy(element(p, 0), []byte{1, 0, 0, 0, 16, 0, 0, 0})
	},
	"a key of a branch below the first key of its child": func(c *craft) {
		p, _ := c.keys()
		clear(keyOf(p, 0))
	},
	"a branch with one child": func(c *craft) {
		p, _ := c.keys()
		list, _ := page(bytes.Clone(p)).items()
		putBranch(p, list[0])
	},
	"children of different heights": func(c *craft) {
		p, _ := c.keys()
		list, _ := page(bytes.Clone(p)).items()
		lower := c.emptyLeaf()
		putBranch(c.page(lower), list[1], list[2])
		list[2] = item{key: list[1].key, child: lower}
		putBranch(p, slices.Delete(list, 1, 2)...)
	},
	"values that overlap": func(c *craft) {
		_, leaf := c.keys()
		size := element(leaf, 0)[12:]
		number.PutUint32(size, number.Uint32(size)+100)
	},
	"unknown flags of an element": func(c *craft) {
		_, leaf := c.keys()
		number.PutUint32(element(leaf, 0), 2)
	},
	"a small bucket with a page number": func(c *craft) {
		_, leaf := c.keys()
		copy(c.bucket(engine)[bucketSize:], leaf[:8])
	},
	"a bucket with a page and a leaf": func(c *craft) {
		number.PutUint64(c.bucket(incidents), c.emptyLeaf())
	},
	"a bucket in a small bucket": func(c *craft) {
		p := c.page(number.Uint64(c.bucket(quota)))
		for p.kind() == branchKind {
			p = c.page(childPage(p, 0))
		}
		months, _ := p.items()
		small := page(months[0].value[bucketSize:])
		number.PutUint16(small[10:], 1)
		for i, n := range []uint32{1, elementSize, 1, bucketSize} { // flags, position, lengths
			number.PutUint32(element(small, 0)[4*i:], n)
		}
		number.PutUint64(element(small, 1)[1:], c.emptyLeaf())
	},
	"two sizes of pages": func(c *craft) {
		c.metas(func(page int, meta []byte) {
			if page == 1 {
				number.PutUint32(meta[8:], uint32(2*os.Getpagesize()))
				number.PutUint64(meta[48:], 1<<32) // the newest
			}
		})
	},
	"a last transaction": func(c *craft) {
		c.metas(func(page int, meta []byte) {
			number.PutUint64(meta[48:], math.MaxUint64-uint64(page))
		})
	},
}

// listFree adds a page to the list of free pages.
func (c *craft) listFree(id uint64) {
	p := c.page(c.freelist)
	number.PutUint64(p[headerSize+8*p.count():], id)
	number.PutUint16(p[10:], uint16(p.count()+1))
}

// hiddenListCrafts damage the list of free pages in ways that bbolt's check does not find.
var hiddenListCrafts = map[string]func(*craft){
	"another free page past the end": func(c *craft) { c.listFree(c.pages) },
	"a free meta page":               func(c *craft) { c.listFree(1) },
	"a free page of the list":        func(c *craft) { c.listFree(c.freelist) },
	"a free page of a long value": func(c *craft) {
		c.listFree(number.Uint64(c.bucket(facts)) + 1)
	},
}

// listCrafts damage the list of free pages.
var listCrafts = map[string]func(*craft){
	"a bucket in the list of free pages": func(c *craft) {
		number.PutUint64(c.bucket(keys), c.freelist)
	},
	"a bucket in a free page": func(c *craft) {
		copy(c.bucket(keys)[:8], c.page(c.freelist)[headerSize:])
	},
	"a free page past the end": func(c *craft) {
		number.PutUint64(c.page(c.freelist)[headerSize:], c.pages)
	},
	"a free page twice": func(c *craft) {
		p := c.page(c.freelist)
		copy(p[headerSize+8:][:8], p[headerSize:])
	},
	"more free pages than the list contains": func(c *craft) {
		number.PutUint16(c.page(c.freelist)[10:], 0xFFFE)
	},
}

func TestCrafted(t *testing.T) {
	t.Parallel()
	content := wholeFile(t)
	list := withFreelist(t, content)
	for _, some := range []map[string]func(*craft){crafts, hiddenCrafts} {
		for name, spoil := range some {
			breaks(t, content, name, spoil)
			breaks(t, list, name, spoil)
		}
	}
	for _, some := range []map[string]func(*craft){listCrafts, hiddenListCrafts} {
		for name, spoil := range some {
			breaks(t, list, name, spoil)
		}
	}
}

func breaks(t *testing.T, content []byte, name string, spoil func(*craft)) {
	t.Helper()
	c := newCraft(content)
	spoil(c)
	if bytes.Equal(c.content, content) {
		t.Errorf("%s: the content is unchanged", name)
	}
	wantDamaged(t, name, c.content)
}

// withSums corrects the checksums of both meta pages in place.
func withSums(content []byte) []byte {
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

// TestMetaValues writes numbers into the meta pages, with correct checksums.
func TestMetaValues(t *testing.T) {
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
			opened, verified := use(t, withSums(c))
			if opened == nil && verified == nil && field != "root" {
				t.Errorf("%s %d: got no error", field, n)
			}
		}
	}
}

// FuzzFile writes arbitrary bytes into a file at any position. It fails if bbolt crashes the
// process.
func FuzzFile(f *testing.F) {
	contents := [][]byte{wholeFile(f)}
	contents = append(contents, withFreelist(f, contents[0]))
	page := os.Getpagesize()
	f.Add(false, len(contents[0]), 0, []byte{}, true)
	f.Add(true, len(contents[1]), 2*page, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0x02}, false)
	f.Add(false, 5*page, 16, []byte{1}, true)
	every := 1
	if !trials.Thorough() {
		every = 7 // an odd number: of both contents
	}
	for id := 2; id < len(contents[1])/page; id += every {
		f.Add(id%2 == 0, len(contents[1]), id*page+10, []byte{0xFF, 0xFF}, false)
		f.Add(id%2 == 0, len(contents[1]), id*page+headerSize, []byte{1, 0, 0, 0, 16, 0, 0, 0}, false)
	}
	f.Fuzz(func(t *testing.T, list bool, size, at int, with []byte, sums bool) {
		content := contents[0]
		if list {
			content = contents[1]
		}
		content = bytes.Clone(content[:min(max(size, 0), len(content))])
		if at >= 0 && at < len(content) {
			copy(content[at:], with)
		}
		if sums {
			content = withSums(content)
		}
		use(t, content)
	})
}

// TestInspectUsage checks the errors for a program that is not an inspector, a wrong command line,
// and a process that is killed.
func TestInspectUsage(t *testing.T) {
	t.Parallel()
	path := filled(t).path
	for want, i := range map[string]inspector{
		"executable file not found": {[]string{"leadline-missing-program"}},
		"want a scope":              {[]string{os.Args[0], inspectCommand, "more"}},
		"unexpected end of JSON":    {[]string{"true"}},
		"signal: killed":            {[]string{"sh", "-c", "kill -9 $$"}},
		"panic: bad page":           {[]string{"sh", "-c", "echo panic: bad page >&2; exit 2"}},
	} {
		_, err := i.records(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got error %v, want %s", i.command, err, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := inspector{[]string{"sh", "-c", "exec sleep 100"}}.records(ctx, path)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a process that does not end: got error %v, want %v", err, context.DeadlineExceeded)
	}
}

// TestInspectOrphan checks that the child process ends when its parent has ended.
func TestInspectOrphan(t *testing.T) {
	t.Parallel()
	s := filled(t) // its file is locked, so the child waits
	c := exec.Command(inspected.Inspect[0], inspected.Inspect[1], inspectPages, s.path)
	if err := c.Run(); err == nil {
		t.Error("the child ended with status 0, want an exit before it reports that the file is in use")
	}
}
