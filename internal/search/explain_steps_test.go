package search

import (
	"fmt"
	"math"
	"strings"

	"github.com/quiresearch/quire/query"
)

// checkSteps checks the scores of the steps of an explanation against their
// descriptions. filters holds the number of filters of the clause at a path.
func checkSteps(step *query.Step, filters map[string]int) error {
	var parts parts
	shown := map[string]bool{}
	for i := range step.Children {
		child := &step.Children[i]
		if err := checkSteps(child, filters); err != nil {
			return err
		}
		parts.add(child)
		if own, ok := strings.CutPrefix(child.Clause, step.Clause+".filter["); ok && step.Clause != "" {
			shown[own] = true
			if step.Matched && !child.Matched && child.ClauseType != "boost" {
				return fmt.Errorf("%s %q matches, its filter %s does not", step.Clause, step.Description, child.Clause)
			}
		}
	}
	if step.ClauseType == "knn" || step.ClauseType == "fuse" {
		if len(shown) != filters[step.Clause] {
			return fmt.Errorf("%s %q shows %d of %d filters", step.Clause, step.Description, len(shown), filters[step.Clause])
		}
	}
	if step.Score != 0 && (strings.HasPrefix(step.Clause, "filters[") || strings.Contains(step.Clause, ".filter[")) {
		return fmt.Errorf("%s %q narrows and scores %v", step.Clause, step.Description, step.Score)
	}
	if !step.Matched {
		if step.Score != 0 {
			return fmt.Errorf("%s %q does not match and scores %v", step.Clause, step.Description, step.Score)
		}
		if strings.HasPrefix(step.Description, "a value of") && parts.matched > 0 {
			return fmt.Errorf("%s %q does not match, but a value does", step.Clause, step.Description)
		}
		return nil
	}
	if want, ok := parts.make(step.Description); ok && !(math.Abs(want-step.Score) <= 1e-6*(1+math.Abs(want))) {
		return fmt.Errorf("%s %q scores %v, its parts make %v", step.Clause, step.Description, step.Score, want)
	}
	return nil
}

// parts aggregates the scores of the steps below a step.
type parts struct {
	children, matched   int
	sum, best, lowest   float64
	product, signals    float64
	withoutTheirSignals float64
}

func (p *parts) add(child *query.Step) {
	if p.children == 0 {
		p.product, p.signals, p.lowest = 1, 1, math.Inf(1)
	}
	p.children++
	p.sum, p.product, p.best, p.lowest = p.sum+child.Score, p.product*child.Score, max(p.best, child.Score), min(p.lowest, child.Score)
	if child.Description == "product of the ranking signals" {
		p.signals = child.Score
	} else {
		p.withoutTheirSignals += child.Score
	}
	if child.Matched {
		p.matched++
	}
}

// make returns the score that the description implies for the parts, and false if
// it implies none.
func (p *parts) make(description string) (float64, bool) {
	starts := func(with string) bool { return strings.HasPrefix(description, with) }
	var weight, constant float64
	var ranking, rank int
	switch {
	case strings.Contains(description, ", shown: "):
		return 0, false
	case description == "relevance of the query multiplied by the signals":
		return p.withoutTheirSignals * p.signals, true
	case starts("1 multiplied by the signals"):
		return p.signals, p.withoutTheirSignals == 0
	case starts("sum of"), description == "relevance of the query":
		return p.sum, true
	case starts("1 and what"):
		return 1 + p.sum, true
	case starts("product of"):
		return p.product, true
	case starts("the best of"):
		return p.best, true
	case starts("the lowest of"):
		return p.lowest, true
	case starts("average of"):
		return p.sum / float64(p.matched), true
	}
	if n, _ := fmt.Sscanf(description, "weight %g times", &weight); n == 1 {
		return weight * p.sum, true
	}
	if n, _ := fmt.Sscanf(description, "constant %g", &constant); n == 1 {
		return constant, true
	}
	var saturation, presence, share, of, whole float64
	if n, _ := fmt.Sscanf(description, "quality: (saturation %g + %g for being there + %g times the share %g in its value) / %g", &saturation, &presence, &share, &of, &whole); n == 5 {
		if math.Abs(saturation-p.sum) > 1e-6 {
			return math.NaN(), true
		}
		return (p.sum + presence + share*of) / whole, true
	}
	if n, _ := fmt.Sscanf(description, "saturation: weighted occurrences %g / (%g + %g times the mean weight %g)", &weight, &of, &constant, &whole); n == 4 {
		return p.sum / (p.sum + constant*whole), true
	}
	for _, known := range []string{"is in the index", "is not in the index"} {
		if n, _ := fmt.Sscanf(description, "a reading of a word that "+known+": %g + %g times the quality", &constant, &weight); n == 2 {
			return constant + weight*p.sum, true
		}
	}
	if _, boost, ok := strings.Cut(description, ": boost and weight "); ok {
		n, _ := fmt.Sscanf(boost, "%g, times the rarity, divided by 1 + %g", &weight, &constant)
		return weight * p.sum / (1 + constant), n == 2
	}
	if n, _ := fmt.Sscanf(description, "occurrences %g, times the weight %g, divided by %g", &of, &weight, &whole); n == 3 {
		return of * weight / whole, true
	}
	if n, _ := fmt.Sscanf(description, "ranking %d: rank %d, %g / (%g", &ranking, &rank, &weight, &constant); n == 4 {
		return weight / (constant + float64(rank)), true
	}
	return 0, false
}

// countFilters adds the number of filters of each clause, by path.
func countFilters(clauses any, at string, counts map[string]int) {
	all, _ := clauses.([]any)
	for i, one := range all {
		clause, here := one.(object), fmt.Sprintf("%s[%d]", at, i)
		filters, _ := clause["filter"].([]any)
		counts[here] = len(filters)
		countFilters(clause["clauses"], here+".clauses", counts)
		countFilters(clause["filter"], here+".filter", counts)
		rankings, _ := clause["rankings"].([]any)
		for j, r := range rankings {
			countFilters(r.(object)["clauses"], fmt.Sprintf("%s.rankings[%d].clauses", here, j), counts)
		}
	}
}
