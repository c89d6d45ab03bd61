package segmenter

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// trie is a set of words over characters, each with a cost. The edges of all
// nodes are in one open-addressing table, so that walking a text costs one
// probe per character.
type trie struct {
	keys   []uint64 // node<<32 | character, plus one; 0 means free
	next   []uint32
	mask   uint64
	values []uint16 // per node: cost+1 of the word that ends there, 0 if none
}

func newTrie(steps int) *trie {
	size := 1024
	for size < steps*2 {
		size *= 2
	}
	return &trie{keys: make([]uint64, size), next: make([]uint32, size), mask: uint64(size - 1), values: make([]uint16, 1, steps)}
}

func slot(key uint64) uint64 {
	key *= 0x9E3779B97F4A7C15
	return key ^ key>>29
}

// step follows a character from a node; it returns 0 if there is no such edge.
func (t *trie) step(node uint32, r rune) uint32 {
	key := uint64(node)<<32 | uint64(uint32(r)) + 1
	for at := slot(key) & t.mask; ; at = (at + 1) & t.mask {
		switch t.keys[at] {
		case key:
			return t.next[at]
		case 0:
			return 0
		}
	}
}

func (t *trie) add(word string, cost uint16) {
	node := uint32(0)
	for _, r := range word {
		to := t.step(node, r)
		if to == 0 {
			to = uint32(len(t.values))
			t.values = append(t.values, 0)
			key := uint64(node)<<32 | uint64(uint32(r)) + 1
			at := slot(key) & t.mask
			for t.keys[at] != 0 {
				at = (at + 1) & t.mask
			}
			t.keys[at], t.next[at] = key, to
		}
		node = to
	}
	t.values[node] = cost + 1
}

// cost returns the cost of the word that ends at a node.
func (t *trie) cost(node uint32) (int, bool) {
	v := t.values[node]
	return int(v) - 1, v != 0
}

// has reports whether the characters are a word.
func (t *trie) has(word []rune) bool {
	node := uint32(0)
	for _, r := range word {
		if node = t.step(node, r); node == 0 {
			return false
		}
	}
	_, ok := t.cost(node)
	return ok
}

// loadTrie reads a packed list with one word per line, optionally followed by a
// tab and a cost.
func loadTrie(name string, packed []byte) (*trie, error) {
	text, err := unpack(name, packed)
	if err != nil {
		return nil, err
	}
	t := newTrie(utf8.RuneCountInString(text) / 2)
	for line := range strings.SplitSeq(text, "\n") {
		word, number, ok := strings.Cut(line, "\t")
		cost := 0
		if ok {
			if cost, err = strconv.Atoi(number); err != nil {
				return nil, fmt.Errorf("word list %s: %w", name, err)
			}
		}
		if word != "" {
			t.add(word, uint16(min(max(cost, 0), 60_000)))
		}
	}
	return t, nil
}

func unpack(name string, packed []byte) (string, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return "", err
	}
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	if err != nil {
		return "", fmt.Errorf("word list %s: %w", name, err)
	}
	return string(text), nil
}
