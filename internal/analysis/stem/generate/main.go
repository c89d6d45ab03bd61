// Command generate packs the Ukrainian full forms of package stem from a
// dictionary published for search engines: ukrainian.dict in the archive
// ua.net.nlp:morfologik-ukrainian-search 4.9.1 of Maven Central (Apache-2.0),
// an automaton of the Morfologik project in CFSA2 format.
//
//	go run ./internal/analysis/stem/generate -uk ukrainian.dict -out internal/analysis/stem/tables/uk.forms.zst
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/internal/analysis/stem"
)

func main() {
	source := flag.String("uk", "", "ukrainian.dict")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if err := pack(*source, *out); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func pack(source, out string) error {
	data, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	entries, err := readAutomaton(data)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	pairs := choose(entries)
	var list bytes.Buffer
	n, err := stem.WriteForms(&list, pairs)
	if err != nil {
		return err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20))
	if err != nil {
		return err
	}
	packed := z.EncodeAll(list.Bytes(), nil)
	fmt.Printf("%d forms, %d bytes, %d packed\n", n, list.Len(), len(packed))
	return os.WriteFile(out, packed, 0o644)
}

// choose selects one base form for every form: the form itself if it is a base
// form, otherwise the one with the most forms, so that the fewest words are
// separated; ties are broken alphabetically. A base form all of whose forms are
// forms of another one, such as a noun that is also an adjective, is replaced
// by that other one.
func choose(entries [][2]string) [][2]string {
	bases := map[string][]string{}
	forms := map[string][]string{}
	for _, e := range entries {
		form, base := stem.Fold(e[0]), stem.Fold(e[1])
		if !slices.Contains(bases[form], base) {
			bases[form] = append(bases[form], base)
			forms[base] = append(forms[base], form)
		}
	}
	better := func(base, than string) bool {
		a, b := len(forms[base]), len(forms[than])
		return a > b || a == b && base < than
	}
	wider := map[string]string{}
	for base, own := range forms {
		for _, other := range bases[base] {
			if other == base || !better(other, base) || wider[base] != "" && !better(other, wider[base]) {
				continue
			}
			if !slices.ContainsFunc(own, func(form string) bool { return !slices.Contains(bases[form], other) }) {
				wider[base] = other
			}
		}
	}
	pairs := make([][2]string, 0, len(bases))
	for form, list := range bases {
		best := ""
		for _, base := range list {
			for wider[base] != "" {
				base = wider[base]
			}
			if best == "" || best != form && (base == form || better(base, best)) {
				best = base
			}
		}
		pairs = append(pairs, [2]string{form, best})
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return pairs
}
