package trials

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"unsafe"
)

// Terminal returns both ends of a new terminal: that of the person, and that of the program. It has
// a number of columns; 0: its width is not known.
func Terminal(t testing.TB, columns uint16) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	var number, unlocked uint32
	control := func(request uintptr, value unsafe.Pointer) {
		_, _, fault := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request,
			uintptr(value))
		if fault != 0 {
			t.Fatal(fault)
		}
	}
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&unlocked))
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&[4]uint16{24, columns}))
	program, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}
