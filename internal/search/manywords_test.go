package search

import (
	"fmt"
	"testing"
)

// TestWordsStandForAllOfMany checks that a half-typed or misspelled word stands for
// every word of the index that it may become, however many there are.
func TestWordsStandForAllOfMany(t *testing.T) {
	const documents = 3000
	x := newIndex(t, `{"fields":{"id":{"type":"string","primaryKey":true},
		"t":{"type":"string","matching":{"analyzer":{"preset":"preserve_terms"},"typoTolerance":{"numbers":{}}}}}}`)
	var texts []string
	for i := range documents {
		// Some words are frequent, most occur in one document; two occur in one
		// document, both side by side and apart.
		texts = append(texts, fmt.Sprintf(`{"id":"%d","t":"zoo inter%04d"}`, i, i),
			fmt.Sprintf(`{"id":"f%d","t":"zoo inter%04d inter%04d zoo other words inter%04d"}`, i, i%300, i, i+1),
			fmt.Sprintf(`{"id":"n%d","t":"inter%04d zoo"}`, i, i))
	}
	x.add(t, texts[:len(texts)/2], nil)
	x.add(t, texts[len(texts)/2:], nil)
	for _, c := range []struct {
		text string
		want int64
	}{
		{`"text":"inter"`, 3 * documents},
		{`"text":"intre"`, 3 * documents},
		{`"text":"zoo inter"`, 3 * documents},
		{`"text":"zoo int","match":"phrase"`, 2 * documents},
		{`"text":"\"zoo int","match":"user"`, 2 * documents},
		{`"text":"words int","match":"phrase"`, documents},
		{`"text":"other int","match":"phrase"`, 0},
		{`"text":"other int","match":"phrase","slop":1`, documents},
		{`"text":"zoo zoo int","match":"phrase"`, 0},
	} {
		answer := x.mustSearch(t, `{"limit":1,"total":"exact","query":[{"type":"text","fields":{"t":null},`+c.text+`}]}`)
		if answer.Total.Count != c.want {
			t.Errorf("%s: %d documents, want %d", c.text, answer.Total.Count, c.want)
		}
	}
}
