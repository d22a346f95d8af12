package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"leadline/internal/cli"
)

// streams carry the input and output of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run executes a command line. It returns the error that the command prints, which does not
// go to the stream of errors.
func run(ctx context.Context, args []string, getenv func(string) string, s streams) error {
	stderr := &withoutError{Writer: s.err}
	code := cli.Run(ctx, args, getenv, cli.Streams{In: s.in, Out: s.out, Err: stderr})
	if (code == 0) != (stderr.failure == nil) {
		return errors.Join(stderr.failure, errors.New("the exit code does not fit"))
	}
	return stderr.failure
}

// withoutError passes on all but the error that ends a command.
type withoutError struct {
	io.Writer
	failure error
}

func (w *withoutError) Write(b []byte) (int, error) {
	if text, ok := strings.CutPrefix(string(b), "leadline: "); ok {
		w.failure = errors.New(strings.TrimSuffix(text, "\n"))
		return len(b), nil
	}
	return w.Writer.Write(b)
}
