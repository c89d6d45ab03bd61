// Package localedata reads and builds the optional directory of language data
// of a node. Data embedded in the program stand in for data missing from the
// directory: compounds are then split by the frequency of their parts.
//
// The directory contains one folder per locale tag:
//
//	patterns.txt (or .gz)   hyphenation patterns
//	words.fst               words that compounds are made of
//	stemming.fst            full forms with their base forms
//	stopwords.txt (or .gz)  one word per line
//
// A node determines at startup which data exist; the files are read when a
// locale is first used. Text files are UTF-8; empty lines and lines beginning
// with # are skipped.
//
// Add and Build keep no state; the analysis Builder calls the functions that
// Add puts into the options once per locale.
package localedata

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/analysis/decompound"
	"github.com/quiresearch/quire/internal/analysis/stem"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
	"github.com/quiresearch/quire/internal/locale"
)

// Names of the files in the folder of a locale.
const (
	patternsFile  = "patterns.txt"
	wordsFile     = "words.fst"
	stemmingFile  = "stemming.fst"
	stopwordsFile = "stopwords.txt"
)

// maxFile bounds the bytes of one file.
const maxFile = 256 << 20

// Add adds the embedded data to the options, and the data of the directory,
// which take precedence. A directory that does not exist counts as empty.
// Folders that are not locales are ignored.
func Add(options *analysis.Options, directory string) error {
	options.Decompounders = map[string]func() (tokenfilter.Splitter, error){}
	options.Stemmers = map[string]func() (stem.Stemmer, error){}
	options.Stopwords = map[string]func() ([]string, error){}
	addBuiltin(options)
	entries, err := os.ReadDir(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("locale data: %w", err)
	}
	for _, e := range entries {
		tag := e.Name()
		if !e.IsDir() || !locale.Supported(tag) && tag != "is" || locale.Canonical(tag) != tag {
			continue
		}
		dir := filepath.Join(directory, tag)
		if has(dir, wordsFile) && has(dir, patternsFile) && locale.Compounding(tag) {
			options.Decompounders[tag] = func() (tokenfilter.Splitter, error) { return openSplitter(dir) }
		}
		if has(dir, stemmingFile) {
			options.Stemmers[tag] = func() (stem.Stemmer, error) { return openForms(dir) }
		}
		if has(dir, stopwordsFile) {
			options.Stopwords[tag] = func() ([]string, error) { return readLines(dir, stopwordsFile) }
		}
	}
	return nil
}

func has(dir, name string) bool {
	for _, n := range []string{name, name + ".gz"} {
		if info, err := os.Stat(filepath.Join(dir, n)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

func open(dir, name string) (io.ReadCloser, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if f, err = os.Open(filepath.Join(dir, name+".gz")); err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(z, maxFile), f}, nil
}

func openSplitter(dir string) (*decompound.Splitter, error) {
	f, err := open(dir, patternsFile)
	if err != nil {
		return nil, fmt.Errorf("locale data: %w", err)
	}
	defer f.Close()
	patterns, err := decompound.ReadPatterns(f)
	if err != nil {
		return nil, fmt.Errorf("locale data of %s: %w", filepath.Base(dir), err)
	}
	words, err := os.ReadFile(filepath.Join(dir, wordsFile))
	if err != nil {
		return nil, fmt.Errorf("locale data: %w", err)
	}
	splitter, err := decompound.New(patterns, words)
	if err != nil {
		return nil, fmt.Errorf("locale data of %s: %w", filepath.Base(dir), err)
	}
	return splitter, nil
}

func openForms(dir string) (stem.Stemmer, error) {
	data, err := os.ReadFile(filepath.Join(dir, stemmingFile))
	if err != nil {
		return nil, fmt.Errorf("locale data: %w", err)
	}
	list, err := stem.OpenForms(data)
	if err != nil {
		return nil, fmt.Errorf("locale data of %s: %w", filepath.Base(dir), err)
	}
	return list, nil
}

func readLines(dir, name string) ([]string, error) {
	f, err := open(dir, name)
	if err != nil {
		return nil, fmt.Errorf("locale data: %w", err)
	}
	defer f.Close()
	var lines []string
	in := bufio.NewScanner(f)
	for in.Scan() {
		if line := strings.TrimSpace(in.Text()); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines, in.Err()
}
