package search

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

var rewriteScripts = flag.Bool("rewrite", false, "write what scripts answer into them")

// TestScripts runs the scripts of testdata: commands, each with its input, a line
// of dashes and its output. Documents added together form a segment.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runScript(t, file) })
	}
}

func runScript(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var x *index
	var out strings.Builder
	for i, part := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		if strings.HasPrefix(part, "#") {
			out.WriteString(part + "\n\n")
			continue
		}
		input, want, _ := strings.Cut(part, "\n----")
		want = strings.TrimSpace(want)
		command, body, _ := strings.Cut(input, "\n")
		if command == "definition" {
			x = newIndex(t, body)
		}
		got := x.command(t, command, body)
		if got != want && !*rewriteScripts {
			t.Errorf("%s, part %d: %s\n got  %s\n want %s", file, i, input, got, want)
		}
		out.WriteString(strings.TrimSpace(input+"\n----\n"+got) + "\n\n")
	}
	if *rewriteScripts {
		if err := os.WriteFile(file, []byte(strings.TrimSpace(out.String())+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// command runs one command of a script and returns its output.
func (x *index) command(t *testing.T, command, body string) string {
	words := strings.Fields(command)
	switch words[0] {
	case "definition":
		return ""
	case "settings":
		x.set(t, body)
		return ""
	case "add":
		lines := strings.Split(body, "\n")
		x.add(t, lines, nil)
		return fmt.Sprintf("%d documents", len(lines))
	case "search":
		answer, err := x.search(body)
		if err != nil {
			return showProblems(err)
		}
		return showAnswer(answer.AppendJSON(nil))
	case "suggest":
		request, err := query.DecodeSuggest([]byte(body), query.DefaultLimits())
		if err != nil {
			return showProblems(err)
		}
		answer, err := x.searcher.Suggest(context.Background(), x.snapshot(), request)
		if err != nil {
			return showProblems(err)
		}
		return showAnswer(answer.AppendJSON(nil))
	case "values":
		request, err := query.DecodeFacetValues([]byte(body), query.DefaultLimits())
		if err != nil {
			return showProblems(err)
		}
		answer, err := x.searcher.FacetValues(context.Background(), x.snapshot(), words[1], request)
		if err != nil {
			return showProblems(err)
		}
		return showAnswer(answer.AppendJSON(nil))
	case "explain":
		request, err := query.DecodeExplain([]byte(body), query.DefaultLimits())
		if err != nil {
			return showProblems(err)
		}
		position := 0
		if len(words) > 2 {
			fmt.Sscan(words[2], &position)
		}
		answer, err := x.searcher.Explain(context.Background(), x.snapshot(), request, words[1], position)
		if err != nil {
			return showProblems(err)
		}
		var b strings.Builder
		showStep(&b, &answer.Detail, "")
		return strings.TrimSpace(b.String())
	}
	t.Fatalf("unknown command %q", command)
	return ""
}

func showProblems(err error) string {
	var lines []string
	for _, p := range problem.All(err) {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s", p.Code.Name(), p.Path)))
		if strings.Contains(p.Message(), "{") {
			lines = append(lines, "message: "+p.Message())
		}
	}
	return strings.Join(lines, "\n")
}

// showAnswer formats one hit per line, then the other parts that are not empty.
func showAnswer(body []byte) string {
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(body, &answer); err != nil {
		return err.Error() + ": " + string(body)
	}
	var lines []string
	for _, list := range []string{"hits", "suggestions", "values"} {
		var items []map[string]json.RawMessage
		json.Unmarshal(answer[list], &items)
		for _, item := range items {
			if score, ok := item["score"]; ok {
				var value float64
				json.Unmarshal(score, &value)
				item["score"] = json.RawMessage(fmt.Sprintf("%.3f", value))
			}
			line, _ := json.Marshal(item)
			lines = append(lines, string(line))
		}
	}
	for _, part := range []string{"total", "totalValues", "documents", "facets", "relaxed", "interpreted"} {
		if value, ok := answer[part]; ok {
			lines = append(lines, part+" "+string(value))
		}
	}
	return strings.Join(lines, "\n")
}

func showStep(b *strings.Builder, s *query.Step, indent string) {
	fmt.Fprintf(b, "%s%v %.3f %s", indent, s.Matched, s.Score, s.Description)
	for _, part := range []string{s.Clause, s.ClauseType, s.Field, s.Usage, s.Locale} {
		if part != "" {
			b.WriteString(" [" + part + "]")
		}
	}
	b.WriteByte('\n')
	for i := range s.Children {
		showStep(b, &s.Children[i], indent+"  ")
	}
}
