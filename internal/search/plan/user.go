package plan

import (
	"strings"

	"github.com/quiresearch/quire/query"
)

// user compiles typed text by the grammar of query.UserParts (section 7.8).
func (c *Compiler) user(targets []target, o options, origin Origin) (Node, error) {
	parts := query.UserParts(beginningOf(o.Text.Text))
	matching := make([]target, 0, len(targets))
	for _, t := range targets {
		if !t.isAutocomplete() {
			matching = append(matching, t)
		}
	}
	var loose []string
	var positive, excluded []Node
	wanted := 0
	for i, part := range parts {
		last := i == len(parts)-1
		each := o
		each.Text.Text = part.Text
		switch part.Kind {
		case query.LooseWord:
			loose = append(loose, part.Text)
			wanted++
		case query.QuotedPhrase:
			wanted++
			if len(matching) == 0 {
				loose = append(loose, part.Text)
				continue
			}
			each.plain = !(last && part.Unclosed)
			n, err := c.phraseOver(matching, each, origin)
			if err != nil {
				return nil, err
			}
			positive = append(positive, n)
		default:
			each.plain = true
			each.Match = query.MatchAll
			n, err := c.excludedPart(targets, matching, each, part.Kind, origin)
			if err != nil {
				return nil, err
			}
			excluded = append(excluded, n)
		}
	}
	if len(loose) > 0 {
		n, err := c.looseWords(targets, o, parts, loose, origin)
		if err != nil {
			return nil, err
		}
		positive = append([]Node{n}, positive...)
	}
	return joinParts(positive, excluded, wanted, o.Join, origin), nil
}

func (c *Compiler) looseWords(targets []target, o options, parts []query.TextPart, loose []string, origin Origin) (Node, error) {
	words := o
	words.Text.Text = strings.Join(loose, " ")
	words.Match = query.MatchAll
	if o.Join == query.JoinAny {
		words.Match = query.MatchAny
	}
	if last := parts[len(parts)-1]; last.Kind != query.LooseWord && !(last.Kind == query.QuotedPhrase && last.Unclosed) {
		words.Prefix = query.PrefixOff
	}
	if last := parts[len(parts)-1]; last.Kind == query.QuotedPhrase && last.Unclosed {
		// The half-typed word belongs to the quotation and is not the last loose
		// word.
		if len(loose) > 0 && loose[len(loose)-1] != last.Text {
			words.Prefix = query.PrefixOff
		}
	}
	return c.words(targets, words, origin)
}

func (c *Compiler) excludedPart(targets, matching []target, o options, kind query.PartKind, origin Origin) (Node, error) {
	if kind == query.ExcludedPhrase && len(matching) > 0 {
		return c.phraseOver(matching, o, origin)
	}
	return c.words(targets, o, origin)
}

// joinParts joins the parts of a typed text. A part that analysis dropped requires
// nothing as long as another part requires something.
func joinParts(positive, excluded []Node, wanted int, join query.Join, origin Origin) Node {
	kept := positive[:0]
	for _, n := range positive {
		if _, dropped := n.(*Nothing); !dropped {
			kept = append(kept, n)
		}
	}
	if len(kept) == 0 && (wanted > 0 || len(excluded) == 0) {
		return &Nothing{origin}
	}
	var clauses []Node
	switch {
	case len(kept) == 0:
	case join == query.JoinAny && len(kept) > 1:
		clauses = append(clauses, &Or{Origin: origin, Clauses: kept})
	default:
		clauses = append(clauses, kept...)
	}
	if len(excluded) > 0 {
		clauses = append(clauses, &Not{Origin: origin, Clauses: excluded})
	}
	switch {
	case len(kept) == 0:
		return one(&And{Origin: origin, Clauses: clauses}) // a text always scores
	case len(clauses) == 1:
		return clauses[0]
	}
	return &And{Origin: origin, Clauses: clauses}
}
