// Package pages tests what people read, through a whole server on loopback with the simulated
// providers: pages, those of accounts included, calendars, pictures and the documents. It also
// checks who imports whom.
package pages

import (
	"os"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/trials"
)

func TestMain(m *testing.M) { os.Exit(product.Main(m, trials.Sets{})) }
