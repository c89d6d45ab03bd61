// Package format is the table of everything Quire writes for other processes to
// read later: files, objects, and the opaque texts that clients keep.
//
// A package that writes or reads such bytes takes mark and version from its row and
// describes the bytes in the FORMAT.md beside its code. A change of the bytes
// increments the version here; a reader rejects versions that it does not know. The
// table never changes while a process runs.
package format

// Format is one stored form.
type Format struct {
	Name    string
	Version uint32 // the newest; written unless an older one can represent the content
	Oldest  uint32 // the oldest that is still read
	// Mark is at or near the first byte of the stored form; empty if another format
	// encloses it.
	Mark string
	// Holds describes the content.
	Holds string
	// Package is the folder of the package that writes it, with its FORMAT.md.
	Package string
}

// The formats.
var (
	Envelope = Format{"envelope", 1, 1, "QUIREBLK", "sections with checksums: the frame of segment and side files", "internal/blockfile"}
	Segment  = Format{"segment", 5, 5, "SEGMENT", "an immutable set of documents: terms, postings, columns, points, vectors, records", "internal/segment"}
	Side     = Format{"side file", 2, 1, "SIDE", "deletions and refreshed signals of one commit", "internal/snapshot"}
	Record   = Format{"record", 2, 2, "", "one document, in the records of a segment", "internal/document"}
	Manifest = Format{"manifest", 2, 2, "quire-manifest", "the files of one commit", "internal/manifest"}
	Log      = Format{"log", 1, 1, "QUIRELOG", "acknowledged changes past the last commit", "internal/log"}
	Batch    = Format{"batch", 1, 1, "QBAT", "the changes of one append, in a log file or an object of its own", "internal/log"}
	Object   = Format{"object", 1, 1, "", "a conditionally replaced object: registry, keys, settings, jobs", "internal/versioned"}
	Bucket   = Format{"bucket", 2, 1, "", "the layout of everything a deployment keeps", "internal/registry"}
	Notes    = Format{"notes", 1, 1, "", "what a node notes for itself beside the generations: the registry it last saw, how much generations are used", "internal/node"}
	Token    = Format{"freshness token", 1, 1, "", "a state of an index, kept by clients", "internal/freshness"}
	Cursor   = Format{"cursor", 2, 2, "", "a place in an ordered answer, kept by clients", "internal/search"}
	Dump     = Format{"dump", 1, 1, "dump", "the definition, settings and documents of an index at one commit, as lines of JSON", "internal/load"}
	Forms    = Format{"full forms", 1, 1, "quire-forms", "the base forms of inflected words, in the locale data", "internal/analysis/stem"}
)

// All returns every format.
func All() []Format {
	return []Format{Envelope, Segment, Side, Record, Manifest, Log, Batch, Object, Bucket, Notes, Token, Cursor, Dump, Forms}
}
