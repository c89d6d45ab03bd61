package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/load"
	"github.com/quiresearch/quire/internal/remote"
)

// mostShown bounds how many refusals are printed; all of them go to --rejects.
const mostShown = 20

func (l *loading) refuse(file string, r load.Refusal) {
	if l.rejects != nil {
		line, err := json.Marshal(struct {
			File string `json:"file"`
			load.Refusal
		}{file, r})
		if err == nil {
			_, err = l.rejects.Write(append(line, '\n'))
		}
		if err != nil {
			l.progress.say(fmt.Sprintf("%s: %v", l.Rejects, err))
			l.rejects = nil
		}
	}
	l.shown++
	if l.shown > mostShown {
		return
	}
	l.progress.say(refusalText(fmt.Sprintf("%s, row %d", file, r.Row), r))
	if l.shown == mostShown {
		l.progress.say("More are not shown here; --rejects FILE writes all of them.")
	}
}

// refusalText says what was refused, where and why, and what to do about it.
func refusalText(text string, r load.Refusal) string {
	if r.Column != "" {
		text += ", " + r.Column
	}
	if r.Value != "" {
		text += fmt.Sprintf(": %q", r.Value)
	}
	return strings.TrimSpace(text + ": " + strings.TrimSuffix(r.Reason, ".") + ". " + r.Remedy)
}

// conclude prints a summary and suggests what to try next.
func (l *loading) conclude(ctx context.Context, done load.Done) error {
	fmt.Fprintf(l.err, "%s rows read, %s added to %s%s.\n", grouped(done.Read), grouped(done.Added), l.Index, refusedText(done.Refused))
	count, err := countDocuments(ctx, l.node, l.Index)
	switch replaced := l.before + done.Added - count; {
	case err != nil || !l.hasKey || replaced <= 0:
	case l.before > 0:
		fmt.Fprintf(l.err, "The index holds %s documents, %s before: %s rows had a key that was there already, and replaced it.\n", grouped(count), grouped(l.before), grouped(replaced))
	default:
		fmt.Fprintf(l.err, "The index holds %s documents: %s rows had a key that another row had too, and replaced it.\n", grouped(count), grouped(done.Added-count))
	}
	if done.Refused > 0 && l.hasKey {
		fmt.Fprintln(l.err, "Correct the refused rows or the definition, then run the same command again: rows that are there already are replaced, not added twice.")
	}
	word := l.exampleWord(ctx)
	if word != "" {
		word = " " + quoted(word)
	}
	fmt.Fprintf(l.err, "\nTry a search:\n  quire search %s%s%s\nThe console: %s/console/\n", l.Index, word, l.repeat(l.node), l.node.URL)
	if done.Refused > 0 {
		return errSomeRefused
	}
	return nil
}

func refusedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s refused", grouped(n))
}

// exampleWord returns a word from the title of an existing document.
func (l *loading) exampleWord(ctx context.Context) string {
	var answer struct {
		Hits []struct {
			Document map[string]jsontext.Value `json:"document"`
		} `json:"hits"`
	}
	err := l.node.Do(ctx, remote.Request{Method: "POST", Path: remote.IndexPath("data", l.Index) + "/search", Body: []byte(`{"limit":20}`)}, &answer)
	if err != nil {
		return ""
	}
	field, longest := l.drafted.Title, ""
	for _, named := range l.drafted.Fields {
		if field == "" && named.Matching != nil {
			field = named.Name
		}
	}
	for _, hit := range answer.Hits {
		for word := range strings.FieldsFuncSeq(plainText(hit.Document[field]), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if len(word) > len(longest) {
				longest = word
			}
		}
		if longest != "" {
			break
		}
	}
	return strings.ToLower(longest)
}

func quoted(text string) string {
	if text == "" || strings.ContainsAny(text, " '\"$`\\*?&|;<>()") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// countDocuments returns the number of documents in an index.
func countDocuments(ctx context.Context, node *remote.Node, index string) (int, error) {
	var answer struct {
		Total struct {
			Count int `json:"count"`
		} `json:"total"`
	}
	err := node.Do(ctx, remote.Request{Method: "POST", Path: remote.IndexPath("data", index) + "/search", Body: []byte(`{"limit":0,"total":"exact"}`)}, &answer)
	return answer.Total.Count, err
}

// grouped formats a count with thousands separators.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
