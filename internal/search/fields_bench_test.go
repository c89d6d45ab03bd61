package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkFields compares texts over a title and a body with the same texts over
// one field that holds both, on 100,000 documents of Zipf-distributed words: any
// and all of two to eight words, with a typo, and with the last word as a prefix.
// Nothing is cached between searches.
func BenchmarkFields(b *testing.B) {
	const one = `{"fields":{"id":{"type":"string","primaryKey":true},"body":{"type":"string","matching":{"typoTolerance":{},"lengthNormalization":"moderate"}}}}`
	const two = `{"fields":{"id":{"type":"string","primaryKey":true},"title":{"type":"string","role":"title"},
		"body":{"type":"string","matching":{"typoTolerance":{},"lengthNormalization":"moderate"}}}}`
	indexes := []struct {
		name string
		*index
	}{{"one", newIndex(b, one)}, {"two", newIndex(b, two)}}
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 8, 30_000)
	words := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf("word%05d", zipf.Uint64()*7919%99_991)
		}
		return strings.Join(all, " ")
	}
	flat, apart := make([]string, 100_000), make([]string, 100_000)
	for i := range flat {
		title, body := words(2+r.IntN(8)), words(10+r.IntN(80))
		flat[i] = fmt.Sprintf(`{"id":"%d","body":%q}`, i, title+" "+body)
		apart[i] = fmt.Sprintf(`{"id":"%d","title":%q,"body":%q}`, i, title, body)
	}
	indexes[0].add(b, flat, nil)
	indexes[1].add(b, apart, nil)
	for _, n := range []int{2, 4, 8} {
		texts := make([]string, 50)
		for i := range texts {
			texts[i] = words(n)
		}
		for _, kind := range []struct{ name, match, rest string }{
			{"any", "any", `"typos":"off","prefix":"off"`}, {"all", "all", `"typos":"off","prefix":"off","relax":"off"`},
			{"typo", "any", `"prefix":"off"`}, {"typed", "any", `"prefix":"last_token"`},
		} {
			for _, x := range indexes {
				b.Run(fmt.Sprintf("words=%d/%s/fields=%s", n, kind.name, x.name), func(b *testing.B) {
					for i := range b.N {
						text := texts[i%len(texts)]
						if kind.name == "typo" {
							text = text[:6] + text[7:] // drop a letter of the first word
						}
						x.mustSearch(b, fmt.Sprintf(`{"fields":[],"query":[{"type":"text","text":%q,"match":%q,%s}]}`, text, kind.match, kind.rest))
					}
				})
			}
		}
	}
}
