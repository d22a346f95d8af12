package bolt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"

	"leadline/store"
)

// bbolt maps a file and trusts what it says: a page that is not what its place
// wants is a panic in a goroutine that nobody can catch, and one past the end
// of the file ends the process. So a file's pages are read first, and walked as
// bbolt will walk them. That takes about as long as bbolt's own start.
//
// The form (bbolt, internal/common, page.go and meta.go): pages of one size,
// each with a header of 16 bytes: its number (8), kind (2), count of elements
// (2), how many pages follow that belong to it (4). Numbers are in the byte
// order of the machine. Pages 0 and 1 are meta pages; the newest that is valid
// counts, for the other one may have been cut off.
const (
	headerSize  = 16
	elementSize = 16
	bucketSize  = 16 // root page (8), sequence (8)

	branchKind   = 0x01
	leafKind     = 0x02
	freelistKind = 0x10

	bucketFlag = 0x01 // of a leaf's element: its value is a bucket
)

// number reads numbers as bbolt writes them.
var number = binary.NativeEndian

// meta is what a meta page says after its header: magic (4), version (4), page
// size (4), flags (4), root page (8), sequence (8), free list (8), number of
// pages (8), transaction (8), and the FNV-1a sum of all that (8).
type meta struct {
	pageSize    int64
	root        uint64
	freelist    uint64
	pages       uint64 // in use are those below
	transaction uint64
}

const (
	metaSize   = 64
	metaMagic  = 0xED0CDAED
	metaFormat = 2
	noFreelist = ^uint64(0)

	minPage, maxPage = 1 << 10, 1 << 24 // what bbolt looks for
)

func damaged(format string, of ...any) error {
	return fmt.Errorf("%w: %w", store.ErrDamaged, fmt.Errorf(format, of...))
}

// inspect fails with store.ErrDamaged where bbolt could stumble over a file.
func inspect(file io.ReaderAt, size int64) error {
	m, err := newestMeta(file, size)
	if err != nil {
		return err
	}
	if have := uint64(size / m.pageSize); have < m.pages {
		return damaged("it breaks off after %d of %d pages", have, m.pages)
	}
	w := &walk{file: file, meta: m, seen: make([]bool, m.pages)}
	if _, err := w.tree(m.root, nil, nil); err != nil {
		return err
	}
	return w.freelist()
}

// newestMeta finds the meta page that counts, as bbolt does.
func newestMeta(file io.ReaderAt, size int64) (meta, error) {
	first, reason := readMeta(file, 0)
	page := first.pageSize
	for try := int64(minPage); reason != nil && page == 0 && try <= maxPage; try *= 2 {
		if second, err := readMeta(file, try); err == nil {
			page = second.pageSize // it tells where it should stand itself
		}
	}
	if page < minPage || page > maxPage || page&(page-1) != 0 {
		return meta{}, damaged("its first page: %w", cmp.Or(reason, fmt.Errorf("pages of %d bytes", page)))
	}
	second, err := readMeta(file, page)
	switch {
	case size < 2*page:
		return meta{}, damaged("it breaks off in its first pages")
	case reason != nil && err != nil:
		return meta{}, damaged("its first page: %w", reason)
	case err == nil && second.pageSize != page:
		return meta{}, damaged("pages of %d and of %d bytes", page, second.pageSize)
	case reason != nil || err == nil && second.transaction > first.transaction:
		return second, nil
	}
	return first, nil
}

// readMeta reads a meta page. It fails where bbolt would not take it for one.
func readMeta(file io.ReaderAt, at int64) (meta, error) {
	page := make([]byte, headerSize+metaSize)
	if _, err := file.ReadAt(page, at); err == io.EOF {
		return meta{}, errors.New("it ends here")
	} else if err != nil {
		return meta{}, err
	}
	b := page[headerSize:]
	sum := fnv.New64a()
	sum.Write(b[:56])
	switch {
	case number.Uint32(b) != metaMagic:
		return meta{}, errors.New("it does not begin as a store does")
	case number.Uint32(b[4:]) != metaFormat:
		return meta{}, fmt.Errorf("it has the form %d, not %d", number.Uint32(b[4:]), metaFormat)
	case number.Uint64(b[56:]) != sum.Sum64():
		return meta{}, errors.New("its sum is wrong")
	}
	return meta{
		pageSize:    int64(number.Uint32(b[8:])),
		root:        number.Uint64(b[16:]),
		freelist:    number.Uint64(b[32:]),
		pages:       number.Uint64(b[40:]),
		transaction: number.Uint64(b[48:]),
	}, nil
}

// walk goes through all pages that can be reached.
type walk struct {
	file io.ReaderAt
	meta meta
	seen []bool // by page number
}

// page is a page with those that belong to it.
type page struct {
	id    uint64
	kind  uint16
	count int
	data  []byte // header and all
}

// element is a key with what it leads to.
type element struct {
	key    []byte
	value  []byte // of a leaf
	child  uint64 // of a branch
	bucket bool
}

// take reads a page that nothing has led to yet.
func (w *walk) take(id uint64) (page, error) {
	head := make([]byte, w.meta.pageSize)
	if err := w.claim(id); err != nil {
		return page{}, err
	}
	if _, err := w.file.ReadAt(head, int64(id)*w.meta.pageSize); err != nil {
		return page{}, fmt.Errorf("reading page %d: %w", id, err)
	}
	p := page{id: number.Uint64(head), kind: number.Uint16(head[8:]), count: int(number.Uint16(head[10:])), data: head}
	if p.id != id {
		return page{}, damaged("page %d says that it is %d", id, p.id)
	}
	more := uint64(number.Uint32(head[12:]))
	for i := range more {
		if err := w.claim(id + 1 + i); err != nil {
			return page{}, err
		}
	}
	if more > 0 {
		p.data = make([]byte, int64(1+more)*w.meta.pageSize)
		if _, err := w.file.ReadAt(p.data, int64(id)*w.meta.pageSize); err != nil {
			return page{}, fmt.Errorf("reading page %d: %w", id, err)
		}
	}
	return p, nil
}

// claim notes that a page is in use, once.
func (w *walk) claim(id uint64) error {
	switch {
	case id < 2 || id >= w.meta.pages:
		return damaged("page %d is used, of %d", id, w.meta.pages)
	case w.seen[id]:
		return damaged("page %d is used twice", id)
	}
	w.seen[id] = true
	return nil
}

// tree walks a tree whose keys are from low on and below high, where these are
// given. It returns the last key.
func (w *walk) tree(id uint64, low, high []byte) ([]byte, error) {
	p, err := w.take(id)
	if err != nil {
		return nil, err
	}
	elements, err := p.elements()
	if err != nil {
		return nil, err
	}
	last := low
	for i, e := range elements {
		order := bytes.Compare(last, e.key)
		if order > 0 || order == 0 && i > 0 || high != nil && bytes.Compare(e.key, high) >= 0 {
			return nil, damaged("page %d: key %d is out of order", id, i)
		}
		last = e.key
		switch {
		case p.kind == branchKind:
			next := high
			if i+1 < len(elements) {
				next = elements[i+1].key
			}
			last, err = w.tree(e.child, e.key, next)
		case e.bucket:
			err = w.bucket(e.value)
		}
		if err != nil {
			return nil, err
		}
	}
	return last, nil
}

// bucket walks a bucket: a tree of its own or, where it is small, a leaf within
// the value.
func (w *walk) bucket(value []byte) error {
	if len(value) < bucketSize {
		return damaged("a bucket is cut off")
	}
	if root := number.Uint64(value); root != 0 {
		_, err := w.tree(root, nil, nil)
		return err
	}
	value = value[bucketSize:]
	if len(value) < headerSize {
		return damaged("a small bucket is cut off")
	}
	p := page{kind: number.Uint16(value[8:]), count: int(number.Uint16(value[10:])), data: value}
	if p.kind != leafKind {
		return damaged("a small bucket is of kind %#x", p.kind)
	}
	elements, err := p.elements()
	for _, e := range elements {
		if e.bucket {
			return damaged("a small bucket holds another")
		}
	}
	return err
}

// elements reads what a page of a tree holds.
func (p page) elements() ([]element, error) {
	if p.kind != branchKind && p.kind != leafKind || p.kind == branchKind && p.count == 0 {
		return nil, damaged("page %d is of kind %#x with %d elements", p.id, p.kind, p.count)
	}
	if len(p.data) < headerSize+p.count*elementSize {
		return nil, damaged("page %d does not hold its %d elements", p.id, p.count)
	}
	list := make([]element, p.count)
	for i := range list {
		if !list[i].read(p.kind, p.data[headerSize+i*elementSize:]) {
			return nil, damaged("page %d: element %d reaches past its end", p.id, i)
		}
	}
	return list, nil
}

// read reads an element at the beginning of data. Of a branch it is where the
// key stands, from here (4), its length (4), and the page (8); of a leaf flags
// (4), where key and value stand (4), their lengths (4, 4).
func (e *element) read(kind uint16, data []byte) bool {
	at, size, rest := number.Uint32(data), number.Uint32(data[4:]), uint32(0)
	if kind == branchKind {
		e.child = number.Uint64(data[8:])
	} else {
		e.bucket = number.Uint32(data)&bucketFlag != 0
		at, size, rest = number.Uint32(data[4:]), number.Uint32(data[8:]), number.Uint32(data[12:])
	}
	end := uint64(at) + uint64(size)
	if size == 0 || end+uint64(rest) > uint64(len(data)) {
		return false
	}
	e.key, e.value = data[at:end], data[end:end+uint64(rest)]
	return true
}

// freelist holds that the list of free pages, where the file has one, names
// pages that nothing else uses. A count of 65,535 says that the first number is
// the count.
func (w *walk) freelist() error {
	if w.meta.freelist == noFreelist {
		return nil
	}
	p, err := w.take(w.meta.freelist)
	if err != nil {
		return err
	}
	if p.kind != freelistKind {
		return damaged("page %d is of kind %#x, not the list of free pages", p.id, p.kind)
	}
	list, count := p.data[headerSize:], uint64(p.count)
	if count == 0xFFFF {
		count, list = number.Uint64(list), list[8:]
	}
	if count > uint64(len(list)/8) {
		return damaged("the list of free pages does not hold its %d numbers", count)
	}
	for i := range count {
		if err := w.claim(number.Uint64(list[8*i:])); err != nil {
			return err
		}
	}
	return nil
}
