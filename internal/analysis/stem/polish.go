package stem

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
	"sync"
	"unicode/utf8"
)

// polish is Stempel: a table trained by Andrzej Białecki on a Polish
// dictionary, in the format of the Egothor project. A walk through the table
// from the end of a word yields commands that convert the word to its stem.
type polish struct{ table func() *patchTable }

// loadPolish returns a function that loads the table once.
func loadPolish() func() *patchTable {
	return sync.OnceValue(func() *patchTable {
		packed, err := tableFiles.ReadFile("tables/pl.tbl.gz")
		if err != nil {
			panic("stem: " + err.Error()) // embedded; a test opens every table
		}
		unpacked, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			panic("stem: " + err.Error())
		}
		data, err := io.ReadAll(unpacked)
		if err != nil {
			panic("stem: " + err.Error())
		}
		table, err := readPatchTable(data)
		if err != nil {
			panic("stem: " + err.Error())
		}
		return table
	})
}

func (p polish) AppendStem(scratch *Scratch, dst, word []byte) []byte {
	runes := scratch.runes[:0]
	for _, r := range string(word) {
		runes = append(runes, r)
	}
	scratch.runes = runes
	if len(runes) <= 3 {
		return append(dst, word...)
	}
	stem := applyPatch(runes, p.table().patch(runes))
	if len(stem) == 0 {
		return append(dst, word...)
	}
	for _, r := range stem {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// patchTable is a chain of tries, each continuing where the previous one
// stopped.
type patchTable struct{ tries []patchTrie }

type patchTrie struct {
	root     int32
	commands [][]rune
	rows     []int32 // start of each row in cells, with one extra entry at the end
	cells    []patchCell
}

// patchCell is the edge of a letter: a command and the next row, -1 if there is
// none.
type patchCell struct {
	letter  rune
	command int32
	next    int32
}

// errTable reports a damaged table of patches.
var errTable = errors.New("table of patches is damaged")

// readPatchTable parses the format of Egothor: a method, then for its kind M a
// direction, a step, and a list of tries. All numbers are big-endian.
func readPatchTable(data []byte) (*patchTable, error) {
	r := patchReader{data: data}
	r.text() // the method, -0ME2
	r.bytes(1)
	r.number()
	table := &patchTable{}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		table.tries = append(table.tries, r.trie())
	}
	return table, r.err
}

type patchReader struct {
	data []byte
	err  error
}

func (r *patchReader) bytes(n int) []byte {
	if n < 0 || n > len(r.data) || r.err != nil {
		r.err = errTable
		return make([]byte, max(min(n, 8), 0))
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *patchReader) number() int32 { return int32(binary.BigEndian.Uint32(r.bytes(4))) }

// count reads the number of elements that take at least one byte each.
func (r *patchReader) count() int {
	n := int(r.number())
	if n < 0 || n > len(r.data) {
		r.err = fmt.Errorf("%w: %d entries in %d bytes", errTable, n, len(r.data))
		return 0
	}
	return n
}

func (r *patchReader) text() string {
	return string(r.bytes(int(binary.BigEndian.Uint16(r.bytes(2)))))
}

func (r *patchReader) trie() patchTrie {
	r.bytes(1) // the direction: words are read from the end
	t := patchTrie{root: r.number()}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		t.commands = append(t.commands, []rune(r.text()))
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		t.rows = append(t.rows, int32(len(t.cells)))
		begin := len(t.cells)
		for cells := r.count(); cells > 0 && r.err == nil; cells-- {
			c := patchCell{letter: rune(binary.BigEndian.Uint16(r.bytes(2)))}
			c.command = r.number()
			r.number() // frequency in training
			c.next = r.number()
			r.number() // letters that a reduced table skips; none here
			t.cells = append(t.cells, c)
		}
		row := t.cells[begin:]
		sort.Slice(row, func(i, j int) bool { return row[i].letter < row[j].letter })
	}
	t.rows = append(t.rows, int32(len(t.cells)))
	return t
}

// cell returns the cell of a letter in a row.
func (t *patchTrie) cell(row int32, letter rune) (patchCell, bool) {
	if row < 0 || int(row) >= len(t.rows)-1 {
		return patchCell{}, false
	}
	cells := t.cells[t.rows[row]:t.rows[row+1]]
	i := sort.Search(len(cells), func(i int) bool { return cells[i].letter >= letter })
	if i == len(cells) || cells[i].letter != letter {
		return patchCell{}, false
	}
	return cells[i], true
}

// last walks from the end of the word and returns the last command on the path.
func (t *patchTrie) last(word []rune) []rune {
	var command []rune
	row := t.root
	for i := len(word) - 1; i >= 0; i-- {
		c, ok := t.cell(row, word[i])
		if !ok {
			break
		}
		if c.command >= 0 && int(c.command) < len(t.commands) {
			command = t.commands[c.command]
		}
		if c.next < 0 {
			break
		}
		row = c.next
	}
	return command
}

// patch collects the commands of all tries for a word.
func (t *patchTable) patch(word []rune) []rune {
	var all, before []rune
	rest, shown := word, word
	follows := ' '
	for i := range t.tries {
		command := t.tries[i].last(shown)
		if len(command) < 2 || (follows == '-' || follows == 'D') && follows == command[0] {
			break
		}
		follows = command[len(command)-2]
		if command[0] == '-' {
			skip := patchLength(before) + patchLength(command)
			if skip > len(rest) {
				break
			}
			rest = rest[:len(rest)-skip]
		}
		all = append(all, command...)
		before = command
		if len(rest) > 0 {
			shown = rest
		}
	}
	return all
}

// patchLength returns the number of letters that commands cover.
func patchLength(commands []rune) int {
	n := 0
	for i := 0; i+1 < len(commands); i += 2 {
		switch commands[i] {
		case '-', 'D':
			n += int(commands[i+1]-'a') + 1
		case 'R':
			n++
		}
	}
	return n
}

// applyPatch executes commands from the end of word: - skips letters, D deletes
// some, R replaces one, I inserts one.
func applyPatch(word, commands []rune) []rune {
	at := len(word) - 1
	for i := 0; i+1 < len(commands); i += 2 {
		argument := commands[i+1]
		n := int(argument-'a') + 1
		switch commands[i] {
		case '-':
			at -= n - 1
		case 'R':
			if at < 0 || at >= len(word) {
				return word
			}
			word[at] = argument
		case 'D':
			from := at - (n - 1)
			if from < 0 || at >= len(word) {
				return word
			}
			word = append(word[:from], word[at+1:]...)
			at = from
		case 'I':
			at++
			if at < 0 || at > len(word) {
				return word
			}
			word = append(word, 0)
			copy(word[at+1:], word[at:])
			word[at] = argument
		}
		at--
	}
	return word
}
