package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/evaluate"
	"github.com/quiresearch/quire/internal/remote"
)

type evaluateCommand struct {
	nodeFlags
	Index      string `arg:"" help:"The index, or one of its generations as INDEX@GENERATION."`
	Set        string `arg:"" help:"The judgement set."`
	Judgements string `placeholder:"FILE" type:"existingfile" help:"First store this file as the set: JSON, NDJSON, CSV with the columns text, key and grade, or TREC qrels."`
	Queries    string `placeholder:"FILE" type:"existingfile" help:"Query texts for TREC qrels, one per line: id, tab and text, or JSON with id and text."`
	Settings   string `placeholder:"FILE" type:"existingfile" help:"Search with the settings in this file instead of the stored ones."`
	Against    string `placeholder:"GENERATION" help:"Compare with this generation; live is the live one."`
	Compare    bool   `help:"Compare with the live generation and the stored settings."`
	Worst      int    `default:"10" help:"Number of worst queries to show."`
	JSON       bool   `help:"Print the evaluation as JSON."`
}

// evaluationAnswer is the response of the node for an evaluation.
type evaluationAnswer struct {
	evaluate.Report
	ID           string  `json:"id"`
	State        string  `json:"state"`
	Error        *string `json:"error"`
	Searches     int     `json:"searches"`
	SearchesDone int     `json:"searchesDone"`
}

// errBounds ends a command whose evaluation violates the bounds of the set.
var errBounds = errors.New("the bounds of the judgement set are not met")

// Run evaluates, prints a table and fails if the evaluation violates the bounds
// of the set.
func (c *evaluateCommand) Run(ctx context.Context, s *surroundings) error {
	node, err := c.nodeFlags.node(s)
	if err != nil {
		return err
	}
	body, err := c.request()
	if err != nil {
		return refusedError{err}
	}
	if err := reach(ctx, node); err != nil {
		return err
	}
	if c.Judgements != "" {
		if err := c.store(ctx, node); err != nil {
			return err
		}
	}
	answer, raw, err := c.evaluate(ctx, node, body)
	switch {
	case err != nil:
		return err
	case answer.State != "done":
		return fmt.Errorf("evaluation %s: %s", answer.State, textOf(answer.Error))
	}
	if c.JSON {
		_, err = fmt.Fprintln(s.out, strings.TrimSpace(string(raw)))
	} else {
		err = printEvaluation(s.out, &answer.Report, c.Worst)
	}
	if err == nil && !answer.Bounds.Held {
		err = fmt.Errorf("%w: %s", errBounds, answer.Bounds.Summary())
	}
	return err
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (c *evaluateCommand) request() ([]byte, error) {
	type side struct {
		Generation string         `json:"generation,omitempty"`
		Settings   jsontext.Value `json:"settings,omitempty"`
	}
	body := struct {
		Judgements string         `json:"judgements"`
		Settings   jsontext.Value `json:"settings,omitempty"`
		Against    *side          `json:"against,omitzero"` // {} is a valid side
	}{Judgements: c.Set}
	if c.Settings != "" {
		content, err := os.ReadFile(c.Settings)
		if err != nil {
			return nil, err
		}
		body.Settings = content
	}
	if c.Compare || c.Against != "" {
		body.Against = &side{Generation: c.Against}
		if c.Against == "live" {
			body.Against.Generation = ""
		}
	}
	return json.Marshal(body)
}

// store stores a file as the judgement set.
func (c *evaluateCommand) store(ctx context.Context, node *remote.Node) error {
	body, kind, err := readJudgements(c.Judgements, c.Queries)
	if err != nil {
		return refusedError{fmt.Errorf("%s: %w", c.Judgements, err)}
	}
	index, _, _ := strings.Cut(c.Index, "@")
	return node.Do(ctx, remote.Request{Method: "PUT", Path: remote.IndexPath("admin", index) + "/judgements/" + url.PathEscape(c.Set), ContentType: kind, Body: body}, nil)
}

const pollInterval = 200 * time.Millisecond

// evaluate starts an evaluation and waits for its end.
func (c *evaluateCommand) evaluate(ctx context.Context, node *remote.Node, body []byte) (answer evaluationAnswer, raw []byte, err error) {
	r := remote.Request{Method: "POST", Path: remote.IndexPath("admin", c.Index) + "/actions/evaluate", Body: body, Once: true}
	for {
		if raw, err = node.Raw(ctx, r); err != nil {
			return answer, nil, err
		}
		answer = evaluationAnswer{}
		if err := json.Unmarshal(raw, &answer); err != nil {
			return answer, nil, fmt.Errorf("read the response: %w", err)
		}
		if answer.State != "running" {
			return answer, raw, nil
		}
		r = remote.Request{Method: "GET", Path: remote.IndexPath("admin", answer.Index) + "/evaluations/" + answer.ID}
		select {
		case <-ctx.Done():
			// Do not leave the node working for a caller that gave up.
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			return answer, nil, errors.Join(ctx.Err(), node.Do(last, remote.Request{Method: "POST", Path: r.Path + "/actions/cancel"}, nil))
		case <-time.After(pollInterval):
		}
	}
}

// printEvaluation prints the measures of one or two sides, the worst queries
// and the verdict.
func printEvaluation(out io.Writer, r *evaluate.Report, worst int) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	sides := []evaluate.Measures{r.Measures}
	head := fmt.Sprintf("%s, %s\t%s@%s", r.Judgements, plural(r.Measures.Queries, "query", "queries"), r.Index, r.Generation)
	if r.Against != nil {
		sides = append(sides, r.Against.Measures)
		head += fmt.Sprintf("\t%s@%s\tdifference", r.Index, r.Against.Generation)
	}
	fmt.Fprintln(table, head)
	for _, row := range measureRows(r) {
		line := row.name
		for _, m := range sides {
			line += "\t" + row.value(m)
		}
		if r.Comparison != nil && row.difference != nil {
			line += "\t" + shownDifference(*row.difference)
		}
		fmt.Fprintln(table, line)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if c := r.Comparison; c != nil {
		fmt.Fprintf(out, "%s better, %s worse, %s unchanged\n", plural(c.Wins, "query", "queries"), grouped(c.Losses), grouped(c.Ties))
	}
	if texts := r.Worst(worst); len(texts) > 0 {
		fmt.Fprintf(out, "\nworst queries:\n  %s\n", printable(strings.Join(texts, "\n  ")))
	}
	if r.Bounds.Held {
		_, err := fmt.Fprintln(out, "\nthe bounds are met")
		return err
	}
	return nil
}

type measureRow struct {
	name       string
	value      func(evaluate.Measures) string
	difference *evaluate.Difference
}

func measureRows(r *evaluate.Report) []measureRow {
	share := func(of func(evaluate.Measures) *float64) func(evaluate.Measures) string {
		return func(m evaluate.Measures) string {
			if value := of(m); value != nil {
				return fmt.Sprintf("%.4f", *value)
			}
			return "–"
		}
	}
	c := cmp.Or(r.Comparison, &evaluate.Comparison{})
	return []measureRow{
		{fmt.Sprintf("nDCG@%d", r.K), share(func(m evaluate.Measures) *float64 { return m.NDCG }), &c.NDCG},
		{fmt.Sprintf("MRR@%d", r.K), share(func(m evaluate.Measures) *float64 { return m.MRR }), &c.MRR},
		{fmt.Sprintf("precision@%d", r.K), share(func(m evaluate.Measures) *float64 { return m.Precision }), nil},
		{fmt.Sprintf("recall@%d", r.RecallK), share(func(m evaluate.Measures) *float64 { return m.Recall }), nil},
		{fmt.Sprintf("judged@%d", r.K), share(func(m evaluate.Measures) *float64 { return m.Judged }), nil},
		{"expectations met", func(m evaluate.Measures) string { return fmt.Sprintf("%d of %d", m.ExpectationsMet, m.Expectations) }, nil},
		{"without results", func(m evaluate.Measures) string { return fmt.Sprintf("%.1f%%", 100*m.ZeroResults) }, nil},
		{"failed", func(m evaluate.Measures) string { return fmt.Sprint(m.Failed) }, nil},
		{"p50, p99", func(m evaluate.Measures) string { return fmt.Sprintf("%.1f, %.1f ms", m.P50Ms, m.P99Ms) }, nil},
	}
}

func shownDifference(d evaluate.Difference) string {
	text := fmt.Sprintf("%+.4f, p %.4f", d.Difference, d.P)
	if d.IsSignificant {
		return text
	}
	return text + ", may be chance"
}
