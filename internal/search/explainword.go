package search

import (
	"fmt"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/query"
)

// The explanation of a word goes from its score down to the occurrences in each
// field: reading, rarity, quality, saturation, weighted occurrences. Each step
// holds the number from which the step above is computed.

// readingStep explains one reading of a word.
func readingStep(r *match.Reading, word string) query.Step {
	step := query.Step{Matched: true, Score: r.Score(), Description: "product of weight, rarity and quality: " + describeReading(r, word)}
	if r.Occurrences() == 0 {
		step.Description = describeReading(r, word) + ": found only where the weight is 0"
		return step
	}
	quality := qualityStep(r)
	if r.Band != nil {
		of := "of a word that is in the index"
		if !r.IsKnown {
			of = "of a word that is not in the index"
		}
		quality = query.Step{
			Matched: true, Score: r.Counts.Of(r.Quality()), Children: []query.Step{quality},
			Description: fmt.Sprintf("a reading %s: %g + %g times the quality", of, r.Counts.Least, r.Counts.Span),
		}
	}
	step.Children = []query.Step{
		{Matched: true, Score: r.Mean, Description: "mean weight of a word over the fields that are searched"},
		{Matched: true, Score: r.IDF, Description: describeRarity(r)},
		quality,
	}
	return step
}

func describeReading(r *match.Reading, word string) string {
	if r.Band == nil {
		return fmt.Sprintf("%q as typed", word)
	}
	return describeNear(word, r.Band.Start, r.Band.Edits)
}

// describeNear describes which words count as near a word.
func describeNear(word string, isStart bool, edits int) string {
	unit := "edits"
	if edits == 1 {
		unit = "edit"
	}
	switch {
	case isStart && edits > 0:
		return fmt.Sprintf("words that start within %d %s of %q", edits, unit, word)
	case isStart:
		return fmt.Sprintf("words that start with %q", word)
	}
	return fmt.Sprintf("words within %d %s of %q", edits, unit, word)
}

func describeRarity(r *match.Reading) string {
	switch {
	case r.Holders == 0:
		return "rarity (idf) of the word as typed"
	case r.Band != nil:
		return fmt.Sprintf("rarity (idf): in the field where most do, about %d of %d documents hold such a word; at most that of a nearer reading", r.Holders, r.Documents)
	}
	return fmt.Sprintf("rarity (idf): in the field where most do, %d of %d documents hold the word", r.Holders, r.Documents)
}

// pairSteps explains what two words that stand near each other add.
func pairSteps(r *match.PairReading) []query.Step {
	of := match.Reading{Mean: r.Mean, Fields: r.Fields}
	return []query.Step{
		{Matched: true, Score: score.PairWeight, Description: "what a pair counts beside its words"},
		{Matched: true, Score: r.Mean, Description: "mean weight of a word over the fields that are searched"},
		{Matched: true, Score: r.IDF, Description: "rarity (idf) of the more frequent of the two words"},
		saturationStep(&of),
	}
}

// phraseSteps explains a phrase like a word of one field.
func phraseSteps(r *match.Reading) []query.Step {
	return []query.Step{
		{Matched: true, Score: r.Mean, Description: "weight of the field"},
		{Matched: true, Score: r.IDF, Description: "rarities (idf) of the words, added; 1 for a word that is half typed"},
		qualityStep(r),
	}
}

// wholeStep explains the rarity of a value that is the whole text.
func wholeStep(r *match.Rarity) query.Step {
	return query.Step{
		Matched: true, Score: r.IDF,
		Description: fmt.Sprintf("rarity (idf): %d of %d documents hold the value", r.Holders, r.Documents),
	}
}

func qualityStep(r *match.Reading) query.Step {
	if r.IsFlat {
		return query.Step{Matched: true, Score: r.Quality(), Description: "quality of every document, as there are so many of this reading"}
	}
	presence, share := score.Presence(r.Words), score.Share(r.Words)
	return query.Step{
		Matched: true, Score: r.Quality(),
		Description: fmt.Sprintf("quality: (saturation %.7g + %.7g for being there + %.7g times the share %.7g in its value) / %.7g",
			r.Saturation(), presence, share, r.Share, 1+presence+share),
		Children: []query.Step{saturationStep(r)},
	}
}

func saturationStep(r *match.Reading) query.Step {
	return query.Step{
		Matched: true, Score: r.Saturation(),
		Description: fmt.Sprintf("saturation: weighted occurrences %.7g / (%.7g + %g times the mean weight %.7g)", r.Occurrences(), r.Occurrences(), score.K1, r.Mean),
		Children:    []query.Step{occurrencesStep(r)},
	}
}

func occurrencesStep(r *match.Reading) query.Step {
	step := query.Step{Matched: true, Score: r.Occurrences(), Description: "sum of the weighted occurrences in the fields"}
	for i := range r.Fields {
		f := &r.Fields[i]
		origin := f.Field.From()
		step.Children = append(step.Children, query.Step{
			Matched: true, Score: f.Weighted, Description: describeField(f),
			Field: origin.Field, Usage: origin.Usage, Locale: origin.Locale,
		})
	}
	return step
}

// describeField describes the contribution of occurrences in one field.
func describeField(f *match.FieldReading) string {
	norm := score.Norm(f.Field.Length, f.Length, f.Average)
	found := "1, as another reading"
	if f.Terms != nil {
		var parts []string
		for _, t := range f.Terms {
			part := fmt.Sprintf("%.7g", t.Frequency) // of a phrase with gaps, a fraction
			if f.Field.Length == definition.LengthNone && t.Frequency > 1 {
				part = fmt.Sprintf("(1 + %g / %.7g)", t.Frequency-1, norm)
			}
			switch {
			case t.IsVariant:
				part += fmt.Sprintf(" as %q, typed without its diacritics or signs, with boost %g", t.Text, t.Boost)
			case t.Boost != 1 && t.Text != "":
				part += fmt.Sprintf(" as synonym %q with boost %g", t.Text, t.Boost)
			}
			parts = append(parts, part)
		}
		found = strings.Join(parts, " + ")
	}
	if f.Field.Length == definition.LengthNone {
		return fmt.Sprintf("occurrences %s, times the weight %g; the length (%g words, average %.4g) divides repetitions alone", found, f.Field.Weight, f.Length, f.Average)
	}
	return fmt.Sprintf("occurrences %s, times the weight %g, divided by %.7g for the length (%g words, average %.4g)", found, f.Field.Weight, norm, f.Length, f.Average)
}
