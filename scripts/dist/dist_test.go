package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/macho"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// stamped returns a program with the stamps of a clean build.
func stamped(goos, goarch string, content []byte) *program {
	return &program{os: goos, arch: goarch, content: content, info: &debug.BuildInfo{
		GoVersion: "go1.26.8", Main: debug.Module{Path: "leadline", Version: "v0.2.0"},
		Deps: []*debug.Module{{Path: "github.com/klauspost/compress", Version: "v1.18.0"}},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "dde88f65e1c8a3f0b1c2d3e4f5a6b7c8d9e0f1a2"},
			{Key: "vcs.time", Value: "2026-11-21T15:25:18Z"}, {Key: "vcs.modified", Value: "false"},
		},
	}}
}

// thin returns a Mach-O file without content for a processor.
func thin(cpu macho.Cpu) []byte {
	b := binary.LittleEndian.AppendUint32(nil, macho.Magic64)
	for _, word := range []uint32{uint32(cpu), 0, uint32(macho.TypeExec), 0, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return b
}

// sixPlatforms returns a release with all programs of the bundle.
func sixPlatforms(t *testing.T) *release {
	t.Chdir("../..")
	r := &release{}
	for _, p := range []*program{
		stamped("linux", "amd64", []byte("elf")), stamped("windows", "amd64", []byte("exe")),
		stamped("darwin", "amd64", thin(macho.CpuAmd64)),
		stamped("darwin", "arm64", thin(macho.CpuArm64)),
	} {
		if err := r.add(p); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestStamps(t *testing.T) {
	for name, change := range map[string]func(p *program){
		"not stamped":  func(p *program) { p.info.Main.Version = "(devel)" },
		"that differ":  func(p *program) { p.info.Settings[2].Value = "true" },
		"built from":   func(p *program) { p.info.Settings[0].Value = "0123456" },
		"not stamped ": func(p *program) { p.info.Settings = nil },
	} {
		r := &release{}
		p := stamped("linux", "amd64", nil)
		change(p)
		err := errors.Join(r.add(stamped("linux", "arm64", nil)), r.add(p))
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%v, want an error with %q", err, name)
		}
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "linux_amd64"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable() // tests have no stamps
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(folder, "linux_amd64/leadline")
	if err := os.WriteFile(copied, read(t, self), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := openRelease(folder); err == nil || !strings.Contains(err.Error(), "not stamped") {
		t.Errorf("a program without stamps: %v", err)
	}
}

func TestArchives(t *testing.T) {
	r := sixPlatforms(t)
	pages := t.TempDir()
	for _, name := range []string{"man/leadline.1", "completions/leadline.bash"} {
		file := filepath.Join(pages, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	first, second := t.TempDir(), t.TempDir()
	for _, p := range r.programs {
		for _, out := range []string{first, second} {
			if err := r.writeArchive(p, pages, out); err != nil {
				t.Fatal(err)
			}
		}
		name := r.name(p) + ".tar.gz"
		list := tarNames
		if p.os == "windows" {
			name, list = r.name(p)+".zip", zipNames
		}
		content := read(t, filepath.Join(first, name))
		if !bytes.Equal(content, read(t, filepath.Join(second, name))) {
			t.Errorf("two archives of %s differ", p.platform())
		}
		want := []string{"LICENSE 644", "NOTICE 644", "README.md 644", "completions/leadline.bash 644"}
		want = append(want, p.file()+" 755")
		if p.os == "linux" {
			want = append(want, "leadline.service 644")
		}
		want = append(want, "man/leadline.1 644")
		if got := list(t, r, r.name(p), content); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
}

// tarNames lists the files of a compressed tar and their permissions.
func tarNames(t *testing.T, r *release, folder string, content []byte) (names []string) {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(compressed); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(r.time) || h.Uid != 0 || h.Gid != 0 || h.Uname != "" {
			t.Errorf("%s: %v, user %d", h.Name, h.ModTime, h.Uid)
		}
		names = append(names, listed(t, folder, h.Name, h.FileInfo().Mode()))
	}
}

// zipNames lists the files of a zip and their permissions.
func zipNames(t *testing.T, r *release, folder string, content []byte) (names []string) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		if !f.Modified.Equal(r.time) {
			t.Errorf("%s: %v", f.Name, f.Modified)
		}
		names = append(names, listed(t, folder, f.Name, f.Mode()))
	}
	return names
}

func listed(t *testing.T, folder, name string, mode os.FileMode) string {
	t.Helper()
	name, ok := strings.CutPrefix(name, folder+"/")
	if !ok {
		t.Errorf("%s is not in %s", name, folder)
	}
	if mode == 0o755 {
		return name + " 755"
	}
	return name + " 644"
}

func TestBill(t *testing.T) {
	r := sixPlatforms(t)
	licenses, err := readLicenses("NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.bill(r.programs[0], licenses)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"purl": "pkg:golang/github.com/klauspost/compress@v1.18.0"`,
		`"expression": "BSD-3-Clause AND Apache-2.0 AND MIT"`, `"purl": "pkg:golang/std@1.26.8"`,
		`"timestamp": "2026-11-21T15:25:18Z"`, digest([]byte("elf")),
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the bill lacks %s", want)
		}
	}
	r.programs[0].info.Deps[0].Path = "example.org/unknown"
	if _, err := r.bill(r.programs[0], licenses); err == nil {
		t.Error("a module without a license was accepted")
	}
}

// TestLicenses compares NOTICE with the modules of the program on each operating system.
func TestLicenses(t *testing.T) {
	t.Chdir("../..")
	licenses, err := readLicenses("NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	main, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimSpace(string(main))
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		modules := strings.Fields(string(out))
		if len(modules) < 20 {
			t.Fatalf("%d modules on %s", len(modules), system)
		}
		for _, module := range modules {
			if module != own && licenses[module] == "" {
				t.Errorf("NOTICE lacks %s, which the program contains on %s", module, system)
			}
		}
	}
}

func TestUniversal(t *testing.T) {
	joined, err := universal(thin(macho.CpuAmd64), thin(macho.CpuArm64))
	if err != nil {
		t.Fatal(err)
	}
	fat, err := macho.NewFatFile(bytes.NewReader(joined)) // checks offsets and alignment
	if err != nil {
		t.Fatal(err)
	}
	if len(fat.Arches) != 2 || fat.Arches[0].Cpu != macho.CpuAmd64 ||
		fat.Arches[1].Cpu != macho.CpuArm64 || fat.Arches[1].Offset%(1<<14) != 0 {
		t.Errorf("%+v", fat.Arches)
	}
	if _, err := universal([]byte("elf")); err == nil {
		t.Error("a program for another system was accepted")
	}
}

func TestBundle(t *testing.T) {
	r := sixPlatforms(t)
	file := filepath.Join(t.TempDir(), bundleName)
	if missing, err := r.writeBundle(file); err != nil || missing != "" {
		t.Fatal(missing, err)
	}
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var manifest struct {
		Version string
		Icon    string
		Server  struct {
			MCPConfig struct {
				Command   string
				Overrides map[string]struct{ Command string } `json:"platform_overrides"`
			} `json:"mcp_config"`
		}
	}
	modes := map[string]os.FileMode{}
	for _, f := range archive.File {
		modes[f.Name] = f.Mode()
		if f.Name == "manifest.json" {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if err := json.NewDecoder(in).Decode(&manifest); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, ok := modes[manifest.Icon]; !ok {
		t.Errorf("the bundle lacks its icon, %q", manifest.Icon)
	}
	commands := []string{manifest.Server.MCPConfig.Command}
	for _, o := range manifest.Server.MCPConfig.Overrides {
		commands = append(commands, o.Command)
	}
	for _, command := range commands {
		if modes[path.Base(command)] != 0o755 {
			t.Errorf("%s is not an executable file of the bundle: %v", command, modes)
		}
	}
	if manifest.Version != "0.2.0" || len(commands) != 3 {
		t.Errorf("%+v", manifest)
	}
	r.programs = r.programs[:2]
	if missing, err := r.writeBundle(file); err != nil || missing != "darwin/amd64" {
		t.Errorf("%q %v, want darwin/amd64", missing, err)
	}
}

func TestRegistry(t *testing.T) {
	t.Chdir("../..")
	template := read(t, registryFile)
	sum := digest(nil)
	entry, err := fillRegistry(template, "0.2.0", sum, "Coast/leadline", "https://tides.example.org/")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"io.github.coast/leadline"`, `"https://tides.example.org/mcp"`, `"` + sum + `"`,
		"https://github.com/Coast/leadline/releases/download/v0.2.0/leadline.mcpb",
		"ghcr.io/coast/leadline:0.2.0",
	} {
		if !strings.Contains(string(entry), want) {
			t.Errorf("server.json lacks %s", want)
		}
	}
	local, err := fillRegistry(template, "0.2.0", sum, "coast/leadline", "")
	if err != nil || strings.Contains(string(local), "remotes") {
		t.Errorf("without a server: %v\n%s", err, local)
	}
	long := bytes.Replace(template, []byte("Tides, "), bytes.Repeat([]byte("Tides, "), 20), 1)
	if _, err := fillRegistry(long, "0.2.0", sum, "coast/leadline", ""); err == nil {
		t.Error("a description of more than 100 characters is valid")
	}
	if _, err := fillRegistry(template, "0.2.0", "none", "coast/leadline", ""); err == nil {
		t.Error("a checksum that is none is valid")
	}
	for _, bad := range []string{"leadline", "/leadline", `a"/b`, "a/b/c"} {
		if _, err := fillRegistry(template, "0.2.0", sum, bad, ""); err == nil {
			t.Errorf("%s is valid", bad)
		}
	}
}

// TestChecksums checks the checksums as a user does, and that they find a damaged archive.
func TestChecksums(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "leadline_0.2.0_linux_amd64.tar.gz")
	content := bytes.Repeat([]byte("tide"), 1000)
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, the file of the first is in the folder
		if err := writeChecksums(folder); err != nil {
			t.Fatal(err)
		}
	}
	check := func() error {
		c := exec.Command("sha256sum", "--check", "--strict", checksums)
		c.Dir = folder
		return c.Run()
	}
	if err := check(); err != nil {
		t.Errorf("sha256sum: %v", err)
	}
	content[2000] ^= 1
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := check(); err == nil {
		t.Error("sha256sum accepted a damaged archive")
	}
}
