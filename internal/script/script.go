// Package script runs the interface scripts under spec/, HTTP in, HTTP out,
// against a node in this process. Package steps documents the syntax of
// scripts.
//
// The test of the package replaces expected answers when run with -rewrite.
package script
