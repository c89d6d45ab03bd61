package evaluate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/relevance"
)

// Report is the result of an evaluation.
type Report struct {
	Judgements        string      `json:"judgements"`
	JudgementsVersion string      `json:"judgementsVersion"`
	Index             string      `json:"index"`
	Generation        string      `json:"generation"`
	K                 int         `json:"k"`
	RecallK           int         `json:"recallK"`
	Measures          Measures    `json:"measures"`
	Against           *Against    `json:"against,omitempty"`
	Comparison        *Comparison `json:"comparison,omitempty"`
	Bounds            Verdict     `json:"bounds"`
	Queries           []Query     `json:"queries"`
}

// Against is the second side of a report.
type Against struct {
	Generation string   `json:"generation"`
	Measures   Measures `json:"measures"`
}

// Measures are weighted means over the queries of a set. Ranking measures are
// absent if no query has grades.
type Measures struct {
	Queries         int      `json:"queries"`
	Graded          int      `json:"graded"` // queries with grades or a known key
	NDCG            *float64 `json:"ndcg,omitempty"`
	MRR             *float64 `json:"mrr,omitempty"`
	Precision       *float64 `json:"precision,omitempty"`
	Recall          *float64 `json:"recall,omitempty"`
	Judged          *float64 `json:"judged,omitempty"` // share of the first hits that have a grade
	Expectations    int      `json:"expectations"`
	ExpectationsMet int      `json:"expectationsMet"`
	ZeroResults     float64  `json:"zeroResults"` // share of the queries without results
	Failed          int      `json:"failed"`      // rejected searches
	P50Ms           float64  `json:"p50Ms"`
	P99Ms           float64  `json:"p99Ms"`
}

// Comparison compares the first side with the second.
type Comparison struct {
	NDCG   Difference `json:"ndcg"`
	MRR    Difference `json:"mrr"`
	Wins   int        `json:"wins"` // queries with a better nDCG or more expectations met
	Losses int        `json:"losses"`
	Ties   int        `json:"ties"`
}

// Difference is the first side minus the second in one measure, with the
// two-sided p-value of the paired randomization test.
type Difference struct {
	Difference    float64 `json:"difference"`
	P             float64 `json:"p"`
	IsSignificant bool    `json:"significant"` // p below .05
}

// Verdict reports whether the bounds of a set hold.
type Verdict struct {
	Held     bool     `json:"held"`
	Failures []string `json:"failures,omitempty"`
}

// Query is one query of a report.
type Query struct {
	ID     string         `json:"id,omitempty"`
	Text   string         `json:"text,omitempty"`
	Search jsontext.Value `json:"search,omitempty"`
	Weight float64        `json:"weight"`
	Found
	Against *Found `json:"against,omitempty"`
	Outcome string `json:"outcome,omitempty"` // win, loss or tie of the first side
}

// Found is the result of one side for a query.
type Found struct {
	NDCG           *float64       `json:"ndcg,omitempty"`
	ReciprocalRank *float64       `json:"reciprocalRank,omitempty"`
	Precision      *float64       `json:"precision,omitempty"`
	Recall         *float64       `json:"recall,omitempty"`
	Judged         *float64       `json:"judged,omitempty"`
	Total          int64          `json:"total"`
	Ranks          map[string]int `json:"ranks"` // of the keys named by the query, from 1
	Expected       int            `json:"expected,omitzero"`
	Unmet          []string       `json:"unmet,omitempty"`
	Error          string         `json:"error,omitempty"`
	TookMs         float64        `json:"tookMs"`
	Hits           []string       `json:"hits,omitempty"` // if requested

	ranking []string
}

func quoted(text string) []byte {
	raw, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // strings in a set are valid
	}
	return raw
}

func describe(q *judgement.Query) Query {
	return Query{ID: q.ID, Text: q.Text, Search: jsontext.Value(q.Search), Weight: q.Weight}
}

// Shown returns a name of the query for display.
func (q *Query) Shown() string {
	switch {
	case q.Text != "":
		return q.Text
	case q.ID != "":
		return q.ID
	}
	return string(q.Search)
}

// judge decides which side is better: by nDCG, then by expectations.
func (q *Query) judge() {
	if q.Against == nil {
		return
	}
	difference := q.value(q.NDCG) - q.value(q.Against.NDCG)
	if difference == 0 {
		difference = float64(len(q.Against.Unmet) - len(q.Found.Unmet))
	}
	switch {
	case difference > 0:
		q.Outcome = "win"
	case difference < 0:
		q.Outcome = "loss"
	default:
		q.Outcome = "tie"
	}
}

func (*Query) value(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// sum computes everything that aggregates over queries.
func (r *Report) sum(set *judgement.Set) {
	first := func(q *Query) *Found { return &q.Found }
	second := func(q *Query) *Found { return q.Against }
	r.Measures = r.measure(first)
	if r.Against != nil {
		r.Against.Measures = r.measure(second)
		r.Comparison = r.compare()
	}
	r.Bounds = r.verdict(set.Bounds)
}

func (r *Report) measure(side func(*Query) *Found) Measures {
	m := Measures{Queries: len(r.Queries)}
	var weights, zero, allWeights float64
	var sums [5]float64
	var took []float64
	for i := range r.Queries {
		q := &r.Queries[i]
		f := side(q)
		took = append(took, f.TookMs)
		m.Expectations += f.Expected
		m.ExpectationsMet += f.Expected - len(f.Unmet)
		allWeights += q.Weight
		if f.Total == 0 {
			zero += q.Weight
		}
		if f.Error != "" {
			m.Failed++
		}
		if f.NDCG == nil {
			continue
		}
		m.Graded++
		weights += q.Weight
		for at, value := range []*float64{f.NDCG, f.ReciprocalRank, f.Precision, f.Recall, f.Judged} {
			sums[at] += q.Weight * *value
		}
	}
	if m.Graded > 0 {
		for at, to := range []**float64{&m.NDCG, &m.MRR, &m.Precision, &m.Recall, &m.Judged} {
			*to = pointer(sums[at] / weights)
		}
	}
	if m.Queries > 0 {
		m.ZeroResults = zero / allWeights
		slices.Sort(took)
		m.P50Ms, m.P99Ms = percentile(took, 0.5), percentile(took, 0.99)
	}
	return m
}

// percentile returns a percentile of sorted values by the nearest-rank method.
func percentile(sorted []float64, share float64) float64 {
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}

func (r *Report) compare() *Comparison {
	var c Comparison
	var weights float64
	var ndcg, mrr [2][]float64
	for i := range r.Queries {
		q := &r.Queries[i]
		switch q.Outcome {
		case "win":
			c.Wins++
		case "loss":
			c.Losses++
		default:
			c.Ties++
		}
		if q.NDCG == nil {
			continue
		}
		weights += q.Weight
		for at, f := range []*Found{&q.Found, q.Against} {
			ndcg[at] = append(ndcg[at], q.Weight**f.NDCG)
			mrr[at] = append(mrr[at], q.Weight**f.ReciprocalRank)
		}
	}
	c.NDCG, c.MRR = difference(ndcg, weights), difference(mrr, weights)
	return &c
}

// difference tests weighted values and normalizes their mean difference by the
// weights.
func difference(values [2][]float64, weights float64) Difference {
	tested := relevance.Compare(values[0], values[1], draws)
	d := Difference{P: tested.P, IsSignificant: tested.P < 0.05}
	if weights > 0 {
		d.Difference = tested.Difference * float64(len(values[0])) / weights
	}
	return d
}

func (r *Report) verdict(b judgement.Bounds) Verdict {
	var failures []string
	fail := func(format string, arguments ...any) { failures = append(failures, fmt.Sprintf(format, arguments...)) }
	m := r.Measures
	if b.MinNDCG != nil && m.NDCG != nil && *m.NDCG < *b.MinNDCG {
		fail("nDCG is %.4f, below %.4f", *m.NDCG, *b.MinNDCG)
	}
	if b.MaxLoss != nil && r.Comparison != nil && -r.Comparison.NDCG.Difference > *b.MaxLoss {
		fail("nDCG falls by %.4f, more than %.4f", -r.Comparison.NDCG.Difference, *b.MaxLoss)
	}
	if b.Expectations && m.ExpectationsMet < m.Expectations {
		fail("%d of %d expectations are not met", m.Expectations-m.ExpectationsMet, m.Expectations)
	}
	if m.Failed > 0 && (b.MinNDCG != nil || b.MaxLoss != nil || b.Expectations) {
		fail("%d searches are refused", m.Failed)
	}
	return Verdict{Held: len(failures) == 0, Failures: failures}
}

// Worst returns the texts of the n queries on which the first side does worst:
// by its loss against the second side, otherwise by nDCG and unmet
// expectations.
func (r *Report) Worst(n int) []string {
	type bad struct {
		text string
		loss float64
	}
	var all []bad
	for i := range r.Queries {
		q := &r.Queries[i]
		loss := float64(len(q.Found.Unmet))
		if q.NDCG != nil {
			loss += 1 - *q.NDCG
			if q.Against != nil {
				loss = float64(len(q.Found.Unmet)) + *q.Against.NDCG - *q.NDCG
			}
		}
		if q.Error != "" {
			loss++
		}
		if loss > 0 {
			all = append(all, bad{q.Shown(), q.Weight * loss})
		}
	}
	slices.SortStableFunc(all, func(a, b bad) int { return cmpDown(a.loss, b.loss) })
	var texts []string
	for _, one := range all[:min(n, len(all))] {
		texts = append(texts, shorten(one.text))
	}
	return texts
}

func cmpDown(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

func shorten(text string) string {
	const longest = 80
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	return string(runes[:longest]) + "…"
}

// Summary returns the failures in one line.
func (v Verdict) Summary() string { return strings.Join(v.Failures, "; ") }
