package main

import (
	"bytes"
	"fmt"
	"os"
)

// check compares the file with data, and what the directory answers with
// every value of rows.
func check(rows []row, data []byte, file string) error {
	have, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, data) {
		return fmt.Errorf("%s is not what the package makes; run go run ./internal/stations/gen", file)
	}
	return nil
}
