// Command plain serves the files of a folder, by name, from memory with net/http alone.
// BenchmarkServing compares the CPU time of leadline with that of plain. The address is
// printed.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

func main() {
	bodies := map[string][]byte{}
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*"))
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		bodies["/"+filepath.Base(file)] = body
	}
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	log.Fatal(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		body := bodies[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	})))
}
