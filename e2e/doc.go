// Package e2e tests the whole program: a server that server.Build returns, or the command line,
// on loopback with the simulated providers. Tests that need one package alone are next to it.
// It also checks what concerns all packages: who imports whom, and that the documents are true.
package e2e
