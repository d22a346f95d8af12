//go:build !unix

package cli

import "os"

// columnsOf returns 0: the width is that of COLUMNS.
func columnsOf(*os.File) int { return 0 }
