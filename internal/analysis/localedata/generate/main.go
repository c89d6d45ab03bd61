// Command generate writes the embedded word frequencies: one file per language,
// from lists with a word, a tab and its rank per line, in the format of
// scripts/word-ranks.
//
//	scripts/word-ranks ranks
//	go run ./internal/analysis/localedata/generate ranks internal/analysis/localedata/builtin
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/analysis/decompound"
)

// maxRank is the rank of the rarest words kept: one in a million.
const maxRank = 600

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: generate FROM TO")
		os.Exit(2)
	}
	lists, err := filepath.Glob(filepath.Join(os.Args[1], "*.txt"))
	if err == nil && len(lists) == 0 {
		err = fmt.Errorf("%s holds no lists", os.Args[1])
	}
	for _, list := range lists {
		tag := strings.TrimSuffix(filepath.Base(list), ".txt")
		if err == nil {
			err = convert(list, filepath.Join(os.Args[2], tag+".fst"))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func convert(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	ranks := make(map[string]int)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		word, text, _ := strings.Cut(lines.Text(), "\t")
		rank, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		if rank <= maxRank {
			ranks[word] = rank
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	n, err := decompound.WriteRanks(out, ranks)
	if err == nil {
		err = out.Close()
	}
	fmt.Println(to, n, "words")
	return err
}
