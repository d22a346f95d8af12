package postgres

import (
	"os"
	"testing"

	"leadline/store/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }
