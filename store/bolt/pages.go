package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"math"

	"go.etcd.io/bbolt"
)

// bbolt's own check accepts damage because of which a later write panics or overwrites a page in
// use. Before it runs, checkTrees therefore checks what bbolt's writer relies on. A file that bbolt
// has written passes: its writer makes every page in this way (bbolt v1.5.0: node.go, bucket.go,
// internal/common/inode.go).
//
// A page has a header of number (8), kind (2), count of elements (2) and overflow pages (4); then
// elements of 16 bytes; then their keys and values in the same order, without gaps. An element of a
// branch is the position of its key from here (4), the length of the key (4) and a child page (8);
// one of a leaf is flags (4), position (4), length of the key (4) and of the value (4). A bucket
// begins with its root page (8) and a sequence (8); if the root is 0, a leaf follows. A meta page
// has page size at 8, root page at 16, free list at 32, number of pages at 40, transaction at 48
// and the FNV-1a sum of all that at 56. Numbers are in the byte order of the machine.
const (
	headerSize, elementSize, bucketSize, metaSize = 16, 16, 16, 64
	branchKind, leafKind, listKind                = 1, 2, 16

	withoutList     = math.MaxUint64 // in place of the page of the free list
	longList        = math.MaxUint16 // a count: the first number of the list is the count
	smallestPage    = 1 << 10        // ours: bbolt does not check the size
	lastTransaction = 1 << 62        // ours: bbolt adds to the number without a check
)

var number = binary.NativeEndian

// pages are the pages of a file.
type pages struct {
	file io.ReaderAt
	size int    // of a page, in bytes
	used []bool // by number: the page has been found in a tree or in the free list
}

// checkTrees checks all trees of a file of length bytes, and its list of free pages.
func checkTrees(tx *bbolt.Tx, file io.ReaderAt, length int64) error {
	p := &pages{file: file, size: tx.DB().Info().PageSize}
	transaction := uint64(tx.ID())
	m, err := p.meta(transaction)
	if err != nil {
		return err
	}
	size, count := number.Uint32(m[8:]), number.Uint64(m[40:])
	switch {
	case p.size < smallestPage || p.size != int(size):
		return damaged("pages of %d and of %d bytes", p.size, size)
	case count > uint64(length)/uint64(size):
		return damaged("file of %d bytes has less than %d pages of %d bytes", length, count, size)
	case transaction > lastTransaction:
		return damaged("transaction %d", transaction)
	}
	p.used = make([]bool, count)
	if err := p.tree(number.Uint64(m[16:])); err != nil {
		return err
	}
	return p.freeList(number.Uint64(m[32:]))
}

// meta returns the meta page of a transaction.
func (p *pages) meta(transaction uint64) ([]byte, error) {
	for _, at := range []int{0, p.size} {
		m := make([]byte, metaSize)
		if _, err := p.file.ReadAt(m, int64(at+headerSize)); err != nil {
			return nil, damaged("%w", err)
		}
		sum := fnv.New64a()
		sum.Write(m[:56])
		if sum.Sum64() == number.Uint64(m[56:]) && number.Uint64(m[48:]) == transaction {
			return m, nil
		}
	}
	return nil, damaged("no meta page of transaction %d", transaction)
}

// page is the content of a page and its overflow pages, or of a bucket without pages.
type page []byte

func (p page) kind() uint16 { return number.Uint16(p[8:]) }
func (p page) count() int   { return int(number.Uint16(p[10:])) }

// read returns a page that has not been found before.
func (p *pages) read(id uint64) (page, error) {
	if err := p.use(id); err != nil {
		return nil, err
	}
	content := make(page, p.size)
	if _, err := p.file.ReadAt(content, int64(id)*int64(p.size)); err != nil {
		return nil, damaged("%w", err)
	}
	if n := number.Uint64(content); n != id {
		return nil, damaged("page %d has number %d", id, n)
	}
	overflow := uint64(number.Uint32(content[12:]))
	for i := range overflow {
		if err := p.use(id + 1 + i); err != nil {
			return nil, err
		}
	}
	if overflow > 0 {
		content = make(page, int(1+overflow)*p.size)
		if _, err := p.file.ReadAt(content, int64(id)*int64(p.size)); err != nil {
			return nil, damaged("%w", err)
		}
	}
	return content, nil
}

// use marks a page, which must exist and not be used yet.
func (p *pages) use(id uint64) error {
	switch {
	case id < 2 || id >= uint64(len(p.used)):
		return damaged("page %d of %d is used", id, len(p.used))
	case p.used[id]:
		return damaged("page %d is used twice", id)
	}
	p.used[id] = true
	return nil
}

// item is a key of a branch with its child, or of a leaf with its value.
type item struct {
	key, value []byte
	child      uint64
	bucket     bool
}

var errItems = errors.New("its elements do not fit or have gaps")

// items returns the elements of a branch or leaf. Values must not overlap: bbolt writes each of
// them, which could take far more memory than the file has bytes.
func (p page) items() ([]item, error) {
	list := make([]item, p.count())
	at := headerSize + len(list)*elementSize // of the next key
	if at > len(p) {
		return nil, errItems
	}
	for i := range list {
		here := headerSize + i*elementSize
		e := p[here:]
		flags, position, key, value := uint32(0), number.Uint32(e), number.Uint32(e[4:]), uint32(0)
		if p.kind() == branchKind {
			list[i].child = number.Uint64(e[8:])
		} else {
			flags, position, key, value = position, key, number.Uint32(e[8:]), number.Uint32(e[12:])
		}
		size := int64(key) + int64(value)
		if flags > 1 || int64(position) != int64(at-here) || key == 0 || size > int64(len(p)-at) {
			return nil, errItems
		}
		list[i].bucket = flags == 1
		list[i].key, list[i].value = p[at:][:key], p[at:][key:size]
		at += int(size)
	}
	return list, nil
}

// tree is the tree of a bucket.
type tree struct {
	*pages
	last []byte // the key before
}

func (p *pages) tree(root uint64) error {
	_, _, err := (&tree{pages: p}).walk(root)
	return err
}

// walk checks a page and those below it. It returns the first key and the height. bbolt finds a
// page in its branch by the first key of the page, and it merges neighbors, which must therefore
// exist and have the same height.
func (t *tree) walk(id uint64) (first []byte, height int, err error) {
	p, err := t.read(id)
	if err != nil {
		return nil, 0, err
	}
	list, err := p.items()
	switch {
	case err != nil:
		return nil, 0, damaged("page %d: %w", id, err)
	case p.kind() == leafKind && len(list) == 0:
		return nil, 1, nil // an empty bucket
	case p.kind() == leafKind:
		return list[0].key, 1, t.leaf(list)
	case p.kind() != branchKind || len(list) < 2:
		return nil, 0, damaged("page %d is of kind %d and has %d elements", id, p.kind(), len(list))
	}
	for i, e := range list {
		key, below, err := t.walk(e.child)
		switch {
		case err != nil:
			return nil, 0, err
		case !bytes.Equal(key, e.key):
			return nil, 0, damaged("page %d has key %x for page %d, not %x", id, e.key, e.child, key)
		case i > 0 && below != height:
			return nil, 0, damaged("page %d has children of heights %d and %d", id, height, below)
		}
		height = below
	}
	return list[0].key, height + 1, nil
}

// leaf checks the order of keys, and the buckets in a leaf.
func (t *tree) leaf(list []item) error {
	for _, e := range list {
		if bytes.Compare(e.key, t.last) <= 0 {
			return damaged("key %x follows %x", e.key, t.last)
		}
		t.last = e.key
		if e.bucket {
			if err := t.bucket(e.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// bucket checks a bucket, which is a tree or, without pages, a leaf.
func (p *pages) bucket(value []byte) error {
	if len(value) == bucketSize && number.Uint64(value) != 0 {
		return p.tree(number.Uint64(value))
	}
	if len(value) < bucketSize+headerSize || number.Uint64(value) != 0 {
		return damaged("a bucket of %d bytes", len(value))
	}
	leaf := page(value[bucketSize:])
	if number.Uint64(leaf) != 0 || leaf.kind() != leafKind { // bbolt would free that page
		return damaged("a bucket with page %d of kind %d", number.Uint64(leaf), leaf.kind())
	}
	list, err := leaf.items()
	if err != nil {
		return damaged("a bucket: %w", err)
	}
	for _, e := range list {
		if e.bucket { // bbolt would regard its pages as free
			return damaged("a bucket in a bucket without pages")
		}
	}
	return (&tree{pages: p}).leaf(list)
}

// freeList checks the list of free pages. bbolt writes to these pages, so none may be in use.
func (p *pages) freeList(id uint64) error {
	if id == withoutList {
		return nil
	}
	content, err := p.read(id)
	if err != nil {
		return err
	}
	list, count := content[headerSize:], uint64(content.count())
	if count == longList {
		list, count = list[8:], number.Uint64(list)
	}
	if content.kind() != listKind || count > uint64(len(list)/8) {
		return damaged("page %d of kind %d lists %d free pages", id, content.kind(), count)
	}
	for i := range count {
		if err := p.use(number.Uint64(list[8*i:])); err != nil {
			return err
		}
	}
	return nil
}
