package cli

import (
	"os"
	"os/exec"
	"runtime"

	"leadline/internal/config"
)

// browse returns a function that opens a file in the browser of the person at the terminal. It is
// nil without a terminal or a desktop, in CI and over SSH, where the desktop is another person's,
// and if --browser is off.
//
// A service of systemd has no terminal. Its variables do not show that: the shells of a desktop may
// inherit them.
func (p *program) browse() func(file string) error {
	if p.config.Browser == config.BrowserOff || !attended(p.streams.In) || !attended(p.streams.Err) {
		return nil
	}
	command := opener(runtime.GOOS, p.config.Getenv)
	if command == nil {
		return nil
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return nil
	}
	return func(file string) error {
		c := exec.Command(path, append(command[1:], file)...)
		detach(c)
		if err := c.Start(); err != nil {
			return err
		}
		go c.Wait() // it may last as long as the browser
		return nil
	}
}

// opener returns the command that opens a file on the desktop of an operating system, or nil if
// there is no desktop.
func opener(system string, getenv func(string) string) []string {
	if getenv("CI") != "" || getenv("SSH_CONNECTION") != "" {
		return nil
	}
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []string{"xdg-open"}
}

// attended reports whether a stream is connected to a terminal, and not to the null device, which
// is a character device too.
func attended(stream any) bool {
	if !terminal(stream) {
		return false
	}
	info, err := stream.(*os.File).Stat()
	if err != nil {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
