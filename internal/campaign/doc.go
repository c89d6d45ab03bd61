// Package campaign holds tests that run the program as a process of its own,
// load it over HTTP and take it away: killed, stopped, out of disk, with files
// that were damaged under it.
//
// Clients own their keys and remember what every answer promised. After each
// stop the checker walks all files; after each start everything that was
// acknowledged must be there, and nothing that was never sent.
//
// The tests run in a short form by default. The flags of the test binary make
// them long; make kill, make soak and make reindex set them.
package campaign
