package stem

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// tableFiles holds the suffix tables of some languages; the NOTICE.md in that
// directory names their sources.
//
//go:embed tables
var tableFiles embed.FS

// tables are the suffix tables of a language, by name.
type tables map[string]*table

// table maps suffixes to rules.
type table struct {
	rows    map[string]row
	lengths []int     // of the suffixes in bytes, in descending order
	last    [256]bool // last bytes of suffixes
	unless  string    // text restored when no suffix matches
}

// add adds a suffix.
func (t *table) add(suffix string, r row) {
	t.rows[suffix] = r
	if suffix == "" {
		return
	}
	t.last[suffix[len(suffix)-1]] = true
	if !slices.Contains(t.lengths, len(suffix)) {
		t.lengths = append(t.lengths, len(suffix))
		slices.Sort(t.lengths)
		slices.Reverse(t.lengths)
	}
}

// row is the rule of a suffix: the region it must be in and its replacement.
// The replacement "=" keeps the suffix.
type row struct {
	region byte
	to     string
}

// loadTables returns a function that loads the tables of a language once.
func loadTables(language string) func() tables {
	return sync.OnceValue(func() tables {
		text, err := tableFiles.ReadFile("tables/" + language + ".txt")
		if err != nil {
			panic("stem: " + err.Error()) // embedded; a test opens every table
		}
		return parseTables(string(text))
	})
}

func parseTables(text string) tables {
	all := tables{}
	var current *table
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "@"); ok {
			current = &table{rows: map[string]row{}}
			all[name] = current
			continue
		}
		columns := strings.Fields(line)
		if len(columns) != 3 || line[0] == '#' {
			continue
		}
		suffix, to := strings.Trim(columns[0], "_"), strings.Trim(columns[2], "_")
		current.add(suffix, row{region: columns[1][0], to: to})
		if columns[1] == "u" {
			current.unless = to
		}
	}
	return all
}

// suffix returns the row and length of the longest suffix in the table that b
// ends in and that does not reach below limit.
func (t *table) suffix(b []byte, limit int) (row, int, bool) {
	if len(b) == 0 || !t.last[b[len(b)-1]] {
		return row{}, 0, false
	}
	for _, n := range t.lengths {
		if n > len(b)-limit {
			continue
		}
		if r, ok := t.rows[string(b[len(b)-n:])]; ok {
			return r, n, true
		}
	}
	return row{}, 0, false
}

// holds reports whether a string of letters contains r.
func holds(letters string, r rune) bool { return strings.ContainsRune(letters, r) }

// skipTo returns the offset after the first letter at or after from that is in
// the set, or, with in false, is not in it. It reports false if there is none.
func skipTo(b []byte, from int, letters string, in bool) (int, bool) {
	for i := from; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		i += size
		if holds(letters, r) == in {
			return i, true
		}
	}
	return len(b), false
}

// vowelRegions returns the offset after the first consonant that follows a
// vowel and the offset after the next such consonant; the end of the word if
// there is none.
func vowelRegions(b []byte, vowels string) (r1, r2 int) {
	r1, r2 = len(b), len(b)
	at, ok := skipTo(b, 0, vowels, true)
	if !ok {
		return
	}
	if at, ok = skipTo(b, at, vowels, false); !ok {
		return
	}
	r1 = at
	if at, ok = skipTo(b, at, vowels, true); !ok {
		return
	}
	if at, ok = skipTo(b, at, vowels, false); !ok {
		return
	}
	return r1, at
}

// lastRune returns the last letter of b, utf8.RuneError if b is empty.
func lastRune(b []byte) rune {
	r, _ := utf8.DecodeLastRune(b)
	return r
}

// hasSuffix reports whether b ends in s.
func hasSuffix(b []byte, s string) bool {
	return len(b) >= len(s) && string(b[len(b)-len(s):]) == s
}

// hasPrefix reports whether b begins with s.
func hasPrefix(b []byte, s string) bool {
	return len(b) >= len(s) && string(b[:len(s)]) == s
}

// skipLetter returns the offset after the letter at from.
func skipLetter(b []byte, from int) (int, bool) {
	if from >= len(b) {
		return len(b), false
	}
	_, size := utf8.DecodeRune(b[from:])
	return from + size, true
}
