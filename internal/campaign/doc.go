// Package campaign holds tests that run the program as its own process, load it
// over HTTP and kill it, stop it, fill its disk or damage files under it.
//
// Clients own their keys and remember what every answer promised. After each stop
// the checker walks all files; after each start everything that was acknowledged
// must be there, and nothing that was never sent.
//
// The tests are short by default. The flags of the test binary make them long; make
// kill, make soak and make reindex set them.
package campaign
