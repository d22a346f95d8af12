package main

import (
	"bytes"
	"cmp"
	"debug/macho"
	"encoding/binary"
	"os"
	"slices"
	"strings"
)

// bundleName is the file of the desktop bundle. Its name has no version, so that links to the
// newest release do not change.
const bundleName = "leadline.mcpb"

// manifestFile is the manifest of the bundle, without the version.
const manifestFile = "dist/manifest.json"

// bundlePrograms are the platforms of the bundle and the files of their programs. Clients know
// the operating system, not the processor, so macOS has one program for both.
var bundlePrograms = []struct{ file, platforms string }{
	{"leadline", "darwin/amd64 darwin/arm64"},
	{"leadline-linux", "linux/amd64"},
	{"leadline.exe", "windows/amd64"},
}

// writeBundle writes the desktop bundle: a zip with the manifest and the programs. If a program is
// missing, it writes nothing and returns its platform.
func (r *release) writeBundle(file string) (missing string, err error) {
	manifest, err := os.ReadFile(manifestFile)
	if err != nil {
		return "", err
	}
	var entries []entry
	for name, file := range map[string]string{"LICENSE": "LICENSE", "icon.png": "dist/icon.png"} {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		entries = append(entries, entry{name, content, false})
	}
	for _, part := range bundlePrograms {
		var parts [][]byte
		for platform := range strings.FieldsSeq(part.platforms) {
			p := r.program(platform)
			if p == nil {
				return platform, nil
			}
			parts = append(parts, p.content)
		}
		content := parts[0]
		if len(parts) > 1 {
			if content, err = universal(parts...); err != nil {
				return "", err
			}
		}
		entries = append(entries, entry{part.file, content, true})
	}
	filled := strings.ReplaceAll(string(manifest), "VERSION", r.version)
	entries = append(entries, entry{"manifest.json", []byte(filled), false})
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	var b bytes.Buffer
	if err := writeZip(&b, entries, r.time); err != nil {
		return "", err
	}
	return "", os.WriteFile(file, b.Bytes(), 0o644)
}

// slicePower is the alignment of the programs in a universal file, as a power of two: the pages of
// arm64 have 16 KiB.
const slicePower = 14

// universal joins programs for macOS into one file for all their processors: a header in big
// endian, then the programs as they are.
func universal(programs ...[]byte) ([]byte, error) {
	header := []uint32{macho.MagicFat, uint32(len(programs))}
	align := func(n int) int { return (n + 1<<slicePower - 1) >> slicePower << slicePower }
	at := align(4 * (2 + 5*len(programs)))
	var body []byte
	for _, p := range programs {
		file, err := macho.NewFile(bytes.NewReader(p))
		if err != nil {
			return nil, err
		}
		body = append(body, make([]byte, align(at+len(body))-at-len(body))...)
		header = append(header, uint32(file.Cpu), file.SubCpu, uint32(at+len(body)), uint32(len(p)),
			slicePower)
		body = append(body, p...)
	}
	out := bytes.NewBuffer(make([]byte, 0, at+len(body)))
	for _, word := range header {
		out.Write(binary.BigEndian.AppendUint32(nil, word))
	}
	out.Write(make([]byte, at-out.Len()))
	out.Write(body)
	return out.Bytes(), nil
}
