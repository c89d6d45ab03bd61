package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// lucene ranks judged sets with BM25 and the analysis of their language. Its
// results are cached in the user's cache directory under a name derived from
// the documents and queries, because they never change; quick runs use the
// cached results.
type lucene struct {
	quick   bool
	running *engine
	indexed string // set whose index is open
}

func (l *lucene) close() {
	if l.running != nil {
		l.running.close()
	}
}

// rankings runs the queries with an op of the driver: text matches any word,
// box adds fuzzy and prefix queries for each word.
func (l *lucene) rankings(o options, s judgedSet, corpus, op string) (rankings, error) {
	kept, err := s.keptAs(corpus, op)
	if err != nil {
		return nil, err
	}
	var found rankings
	if text, err := os.ReadFile(kept); l.quick && err == nil && json.Unmarshal(text, &found) == nil {
		return found, nil
	}
	if err := l.open(o, s, corpus); err != nil {
		return nil, err
	}
	found = rankings{}
	for _, q := range s.queries {
		var a answer
		command := map[string]any{"do": "query", "query": map[string]any{"op": op, "text": q.Text, "k": hitsAsked}, "repeat": 1}
		if err := l.running.ask(command, &a); err != nil {
			return nil, fmt.Errorf("query %s: %w", q.ID, err)
		}
		found[q.ID] = a.Top
	}
	text, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	return found, errors.Join(os.MkdirAll(filepath.Dir(kept), 0o755), os.WriteFile(kept, text, 0o644))
}

// keptAs returns the name of the file for Lucene's results.
func (s judgedSet) keptAs(corpus, op string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	documents, err := os.ReadFile(corpus)
	if err != nil {
		return "", err
	}
	driver, err := os.ReadFile("bench/lucene/src/main/java/bench/Driver.java")
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, _ = h.Write(documents)
	_, _ = h.Write(driver)
	for _, q := range s.queries {
		fmt.Fprintf(h, "%q %q\n", q.ID, q.Text)
	}
	return filepath.Join(cache, "quire-bench", fmt.Sprintf("%s-%s-%x.json", s.name, op, h.Sum(nil)[:8])), nil
}

func (l *lucene) open(o options, s judgedSet, corpus string) error {
	if l.running == nil {
		err := build("lucene")
		if err == nil {
			l.running, err = start("lucene")
		}
		if err != nil {
			return err
		}
	}
	if l.indexed == s.name {
		return nil
	}
	dir := filepath.Join(o.work, "relevance-lucene")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := l.running.ask(map[string]any{"do": "index", "corpus": corpus, "dir": dir, "threads": 1, "merge": true, "analysis": s.language}, &l.running.built); err != nil {
		return err
	}
	l.indexed = s.name
	return l.running.ask(map[string]any{"do": "open", "dir": dir}, &l.running.opened)
}
