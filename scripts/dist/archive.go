package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name       string
	content    []byte
	executable bool
}

func (e entry) mode() fs.FileMode {
	if e.executable {
		return 0o755
	}
	return 0o644
}

// writeArchive writes the archive of a program: a zip for Windows, else a compressed tar.
func (r *release) writeArchive(p *program, pages, out string) error {
	entries, err := r.entries(p, pages)
	if err != nil {
		return err
	}
	name, write := r.name(p)+".tar.gz", writeTar
	if p.os == "windows" {
		name, write = r.name(p)+".zip", writeZip
	}
	file, err := os.Create(filepath.Join(out, name))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := write(file, entries, r.time); err != nil {
		return err
	}
	return file.Close()
}

// entries returns the files of the archive of a program, sorted by name.
func (r *release) entries(p *program, pages string) ([]entry, error) {
	files := map[string]string{"LICENSE": "LICENSE", "NOTICE": "NOTICE", "README.md": "README.md"}
	if p.os == "linux" {
		files["leadline.service"] = "dist/leadline.service"
	}
	err := filepath.WalkDir(pages, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(pages, file)
		files[filepath.ToSlash(name)] = file
		return err
	})
	if err != nil {
		return nil, err
	}
	entries := []entry{{p.file(), p.content, true}}
	for name, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: name, content: content})
	}
	for i := range entries {
		entries[i].name = path.Join(r.name(p), entries[i].name)
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return entries, nil
}

// writeTar writes a compressed tar of entries that belong to user 0.
func writeTar(w io.Writer, entries []entry, modified time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, e := range entries {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.content)), Mode: int64(e.mode()),
			ModTime: modified, Format: tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		if _, err := archive.Write(e.content); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

// writeZip writes a zip of entries.
func writeZip(w io.Writer, entries []entry, modified time.Time) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: modified}
		h.SetMode(e.mode())
		to, err := archive.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(e.content); err != nil {
			return err
		}
	}
	return archive.Close()
}
