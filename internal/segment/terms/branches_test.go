package terms

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// childrenOf returns where the children of the strings of [lo, hi), which share
// depth bytes, begin, followed by hi.
func childrenOf(words []string, lo, hi, depth int) (starts []int, letters []rune) {
	for i := lo; i < hi; i++ {
		if len(words[i]) == depth {
			continue
		}
		r, _ := utf8.DecodeRuneInString(words[i][depth:])
		if len(letters) == 0 || letters[len(letters)-1] != r {
			starts, letters = append(starts, i), append(letters, r)
		}
	}
	return append(starts, hi), letters
}

func TestBranchesAreTheChildrenOfLargeNodes(t *testing.T) {
	for _, alphabet := range []string{"abcdefgh", "aé日\x00xyb"} {
		words := randomWords(rand.New(rand.NewPCG(7, 7)), 20_000, alphabet, 14)
		f := buildField(t, words, Options{})
		skips := newSkips(f.prefixes)
		b := newBranches(&f.list, &skips)
		kept, deepest := 0, 0
		var check func(lo, hi, depth int, node uint32)
		check = func(lo, hi, depth int, node uint32) {
			starts, letters := childrenOf(words, lo, hi, depth)
			isLarge := hi-lo >= branchedTerms && depth <= branchedDepth && (len(letters)-1)*branchedShare < hi-lo
			if isLarge != (node != 0) {
				t.Fatalf("%d strings that share %d bytes: number %d", hi-lo, depth, node)
			}
			if node == 0 {
				return
			}
			kept, deepest = kept+1, max(deepest, depth)
			for i, letter := range letters {
				from, to, below, ok := b.find(node, letter)
				if !ok || from != starts[i] || to != starts[i+1] {
					t.Fatalf("child %q of %d–%d: %d–%d %v, want %d–%d", letter, lo, hi, from, to, ok, starts[i], starts[i+1])
				}
				check(from, to, depth+utf8.RuneLen(letter), below)
			}
			if _, _, _, ok := b.find(node, 'z'); ok {
				t.Fatal("a letter that no string has was found")
			}
		}
		check(0, len(words), 0, 1)
		if len(b)*branchBytes > len(words) {
			t.Fatalf("%d children of %d strings are kept", len(b), len(words))
		}
		if kept < 30 || deepest < 2 {
			t.Fatalf("%d nodes of alphabet %q, the deepest shares %d bytes", kept, alphabet, deepest)
		}
	}
}

func TestManyChildrenOfFewTermsAreNotKept(t *testing.T) {
	var words []string
	for r := rune(0x4e00); r < 0x4e00+5000; r++ {
		words = append(words, string(r), string(r)+"a")
	}
	for _, last := range []string{"", "\xff" + strings.Repeat("a", 3)} {
		list := words
		if last != "" {
			list = append(list, last)
		}
		f := buildField(t, list, Options{})
		skips := newSkips(f.prefixes)
		if b := newBranches(&f.list, &skips); len(b) > 0 {
			t.Fatalf("%d children of %d terms are kept", len(b), len(list))
		}
		found, _ := f.Fuzzy(nil, []byte("\u4e05b"), FuzzyOptions{Distance: 1, PrefixLength: 1})
		if len(found) != 2 {
			t.Fatalf("%d terms found, want 2", len(found))
		}
	}
}
