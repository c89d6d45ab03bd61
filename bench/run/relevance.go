package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/relevance"
)

// rankings are the keys of the best hits, keyed by query ID.
type rankings map[string][]string

// values are the measures of a ranking for one query.
type values struct{ ndcg, mrr, recall float64 }

// measured are the values of all queries, keyed by ID.
type measured map[string]values

const (
	hitsAsked = 100
	draws     = 20_000
)

// measure computes the values of rankings, for engines that do not do it
// themselves.
func (s judgedSet) measure(found rankings) measured {
	all := measured{}
	for _, q := range s.queries {
		r := found[q.ID]
		all[q.ID] = values{relevance.NDCG(r, q.grades, 10), relevance.ReciprocalRank(r, q.grades, 10), relevance.Recall(r, q.grades, hitsAsked)}
	}
	return all
}

// shape is a definition for searching the documents of a set.
type shape struct {
	name       string
	definition string
	isOneText  bool
}

// shapes returns the three definitions to measure rankings with. Usages are
// written as the roles expand, because one of them differs.
func (s judgedSet) shapes() []shape {
	locales, decompound := "", ""
	if s.language != "en" {
		locales = fmt.Sprintf(`,"locales":{"defaultLocale":%q,"locales":[%q]}`, s.language, s.language)
	}
	if slices.Contains([]string{"de", "fi", "sv"}, s.language) {
		decompound = `,"decompound":"none"` // needs data that few nodes have
	}
	roles := func(lengths string) string {
		fields := `"id":{"type":"string","role":"id"}`
		for _, name := range s.titles {
			fields += fmt.Sprintf(`,%q:{"type":"string","role":"title"%s,"matching":{"weight":3,"exact":{},"typoTolerance":{},"lengthNormalization":"strong","highlight":{}%s}}`,
				name, locales, decompound)
		}
		for _, name := range s.prose {
			fields += fmt.Sprintf(`,%q:{"type":"string","role":"description"%s,"matching":{"typoTolerance":{},"lengthNormalization":%q,"highlight":{}%s}}`, name, locales, lengths, decompound)
		}
		return `{"fields":{` + fields + `}}`
	}
	one := `{"fields":{"id":{"type":"string","role":"id"},"body":{"type":"string"` + locales +
		`,"matching":{"analyzer":{"custom":{"filters":[{"normalize":{}},{"stopwords":{}},{"stemming":{}}]}}}}}}`
	return []shape{
		{name: "roles", definition: roles("none")},
		{name: "moderate", definition: roles("moderate")},
		{name: "one text", definition: one, isOneText: true},
	}
}

// mode says how the words of a text are searched.
type mode struct {
	name   string
	clause map[string]any
}

var modes = []mode{
	{"any", map[string]any{"match": "any"}},
	{"all", map[string]any{"match": "all", "relax": "words"}},
	{"user", map[string]any{"match": "user", "relax": "words"}},
}

// judgedSets loads the selected sets that exist in the data directory.
func judgedSets(o options) ([]judgedSet, error) {
	names := []string{"cranfield", "cisi", "packages"}
	reads := map[string]func() (judgedSet, error){
		"cranfield": func() (judgedSet, error) { return readJudged(o, "cranfield") },
		"cisi":      func() (judgedSet, error) { return readJudged(o, "cisi") },
		"packages":  func() (judgedSet, error) { return readPackages(o) },
	}
	for _, l := range languages {
		names = append(names, l.name)
		reads[l.name] = func() (judgedSet, error) { return readLanguage(o, l) }
	}
	var sets []judgedSet
	for _, name := range names {
		if len(o.classes) > 0 && !slices.Contains(o.classes, name) {
			continue
		}
		s, err := reads[name]()
		if errors.Is(err, os.ErrNotExist) {
			fmt.Fprintln(os.Stderr, "bench:", err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// judge prints the ranking quality on the judged sets, Quire over HTTP compared
// with Lucene. A quick run uses cached results of Lucene.
func judge(o options, quick bool) error {
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	sets, err := judgedSets(o)
	if err != nil {
		return err
	}
	if !o.built {
		if err := build("quire-http"); err != nil {
			return err
		}
	}
	if !quick {
		if err := o.installOracle(); err != nil {
			return fmt.Errorf("install ir-measures: %w", err)
		}
	}
	peer := &lucene{quick: quick}
	defer peer.close()
	s, err := startServer(o)
	if err != nil {
		return err
	}
	defer s.stop()
	t := &qualityTable{}
	for _, set := range sets {
		if err := set.compare(o, s, peer, t); err != nil {
			return fmt.Errorf("%s: %w", set.name, err)
		}
	}
	text := t.render()
	if !quick {
		text += "\nEvery value of Quire is what the service measured of itself; each agrees with ir-measures to 1e-9.\n"
	}
	fmt.Println(text)
	if quick {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(o.out, ".md")+"-relevance.md", []byte(text), 0o644)
}

// compare measures Lucene and every shape and mode on a set.
func (s judgedSet) compare(o options, server *server, peer *lucene, t *qualityTable) error {
	began := time.Now()
	asOne, asFields := filepath.Join(o.work, s.name+"-text.ndjson"), filepath.Join(o.work, s.name+"-fields.ndjson")
	if err := errors.Join(s.write(asOne, true), s.write(asFields, false)); err != nil {
		return err
	}
	t.begin(s)
	if bm25, err := peer.rankings(o, s, asOne, "text"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: without Lucene:", err)
	} else {
		box, err := peer.rankings(o, s, asOne, "box")
		if err != nil {
			return err
		}
		t.add(baseline, s.measure(bm25))
		t.add("Lucene BM25, fuzzy, prefix", s.measure(box))
	}
	shapes := s.shapes()
	if peer.quick && s.queries[0].Class != "" {
		shapes = shapes[:2] // one text has no typos; it is measured on the graded sets
	}
	for i, sh := range shapes {
		file := asFields
		if sh.isOneText {
			file = asOne
		}
		index := fmt.Sprintf("judged%d", i)
		if err := server.load(index, sh.definition, file); err != nil {
			return fmt.Errorf("%s: %w", sh.name, err)
		}
		for _, m := range modes {
			found, hits, err := s.evaluate(server, index, m)
			if err == nil && !peer.quick {
				err = o.oracle(s, hits, found)
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", sh.name, m.name, err)
			}
			t.add(sh.name+", "+m.name, found)
		}
		if err := server.remove(index); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %.1f s\n", s.name, time.Since(began).Seconds())
	return nil
}

// evaluate stores the queries as a judgement set and lets the service evaluate
// itself with it, as its users do.
func (s judgedSet) evaluate(server *server, index string, m mode) (measured, rankings, error) {
	type judged struct {
		ID     string             `json:"id"`
		Search any                `json:"search"`
		Grades map[string]float64 `json:"grades"`
	}
	var set struct {
		Queries []judged `json:"queries"`
	}
	for _, q := range s.queries {
		clause := map[string]any{"type": "text", "text": q.Text}
		for name, value := range m.clause {
			clause[name] = value
		}
		set.Queries = append(set.Queries, judged{q.ID, map[string]any{"locale": s.language, "query": []any{clause}}, q.grades})
	}
	path := "/v1alpha1/admin/indexes/" + index
	if err := server.sendJSON(http.MethodPut, path+"/judgements/"+m.name, set, nil); err != nil {
		return nil, nil, err
	}
	var report struct {
		State    string
		Measures struct{ Failed int }
		Queries  []struct {
			ID                           string
			NDCG, ReciprocalRank, Recall float64
			Hits                         []string
		}
	}
	if err := server.sendJSON(http.MethodPost, path+"/actions/evaluate", map[string]any{"judgements": m.name, "hits": true}, &report); err != nil {
		return nil, nil, err
	}
	if report.State != "done" || report.Measures.Failed > 0 || len(report.Queries) != len(s.queries) {
		return nil, nil, fmt.Errorf("the evaluation is %s with %d queries, %d refused", report.State, len(report.Queries), report.Measures.Failed)
	}
	found, hits := measured{}, rankings{}
	for _, q := range report.Queries {
		found[q.ID], hits[q.ID] = values{q.NDCG, q.ReciprocalRank, q.Recall}, q.Hits
	}
	return found, hits, nil
}

// qualityTable collects the results of rankings.
type qualityTable struct {
	parts []qualityPart
}

// baseline is the ranking that the others are compared with.
const baseline = "Lucene BM25"

type qualityPart struct {
	set  judgedSet
	rows []qualityRow
}

type qualityRow struct {
	name  string
	found measured
}

func (t *qualityTable) begin(s judgedSet) {
	s.documents = nil
	t.parts = append(t.parts, qualityPart{set: s})
}

func (t *qualityTable) add(name string, found measured) {
	p := &t.parts[len(t.parts)-1]
	p.rows = append(p.rows, qualityRow{name, found})
}

// bm25 returns the result of the baseline, or nil if it was not measured.
func (p qualityPart) bm25() measured {
	if len(p.rows) > 0 && p.rows[0].name == baseline {
		return p.rows[0].found
	}
	return nil
}

func ndcgOf(v values) float64   { return v.ndcg }
func mrrOf(v values) float64    { return v.mrr }
func recallOf(v values) float64 { return v.recall }

// per returns a measure for every query of a class.
func per(queries []judgedQuery, found measured, of func(values) float64) []float64 {
	all := make([]float64, len(queries))
	for i, q := range queries {
		all[i] = of(found[q.ID])
	}
	return all
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

func (t *qualityTable) render() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Ranking quality, %s\n\nCommit %s. nDCG@10 has the gain 2^grade − 1; known items, typos, prefixes, questions and inflected words are MRR@10. The difference is to Lucene's BM25 with the analysis of the language over one text; p is of the two-sided paired randomization test with %d draws, * marks p < .05; then the queries that are better and worse. `all` and `user` relax words.\n",
		time.Now().Format("2006-01-02"), commit(), draws)
	for _, p := range t.parts {
		if p.set.queries[0].Class == "" {
			p.graded(&b)
		}
	}
	var items []qualityPart
	for _, p := range t.parts {
		if p.set.queries[0].Class != "" {
			items = append(items, p)
		}
	}
	if len(items) > 0 {
		knownItems(&b, items)
	}
	return b.String()
}

// graded writes the table of a set with grades.
func (p qualityPart) graded(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s, %d queries\n\n| ranking | nDCG@10 | MRR@10 | recall@100 | difference of nDCG@10 |\n|---|---|---|---|---|\n", p.set.name, len(p.set.queries))
	for _, r := range p.rows {
		fmt.Fprintf(b, "| %s | %.4f | %.4f | %.4f | %s |\n", r.name, mean(per(p.set.queries, r.found, ndcgOf)), mean(per(p.set.queries, r.found, mrrOf)),
			mean(per(p.set.queries, r.found, recallOf)), p.difference(r, p.set.queries, ndcgOf))
	}
}

func (p qualityPart) difference(r qualityRow, queries []judgedQuery, of func(values) float64) string {
	if p.bm25() == nil || r.name == baseline {
		return ""
	}
	c := relevance.Compare(per(queries, r.found, of), per(queries, p.bm25(), of), draws)
	mark := ""
	if c.P < 0.05 {
		mark = "*"
	}
	return fmt.Sprintf("%+.4f p %.4f%s %d/%d", c.Difference, c.P, mark, c.Better, c.Worse)
}

// knownItems writes one table per class for all sets, with one ranking per row.
func knownItems(b *strings.Builder, parts []qualityPart) {
	for _, class := range parts[0].set.classes() {
		if !slices.ContainsFunc(parts, func(p qualityPart) bool { return len(p.set.ofClass(class)) > 0 }) {
			continue
		}
		fmt.Fprintf(b, "\n## %s, MRR@10\n\n| ranking |", class)
		for _, p := range parts {
			fmt.Fprintf(b, " %s |", p.set.name)
		}
		b.WriteString(" mean of languages | difference of the packages |\n|---|" + strings.Repeat("---|", len(parts)+2) + "\n| queries |")
		for _, p := range parts {
			fmt.Fprintf(b, " %d |", len(p.set.ofClass(class)))
		}
		b.WriteString(" | |\n")
		for i := range parts[0].rows {
			classRow(b, parts, class, i)
		}
	}
}

func classRow(b *strings.Builder, parts []qualityPart, class string, row int) {
	fmt.Fprintf(b, "| %s |", parts[0].rows[row].name)
	difference := ""
	var ofLanguages []float64
	for _, p := range parts {
		queries := p.set.ofClass(class)
		if len(queries) == 0 {
			b.WriteString(" – |")
			continue
		}
		values := per(queries, p.rows[row].found, mrrOf)
		mark := ""
		if p.bm25() != nil && relevance.Compare(values, per(queries, p.bm25(), mrrOf), draws/10).P < 0.05 {
			mark = "*"
		}
		fmt.Fprintf(b, " %.3f%s |", mean(values), mark)
		if p.set.name == "packages" {
			difference = p.difference(p.rows[row], queries, mrrOf)
		} else {
			ofLanguages = append(ofLanguages, mean(values))
		}
	}
	fmt.Fprintf(b, " %.3f | %s |\n", mean(ofLanguages), difference)
}
