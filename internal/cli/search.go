package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/remote"
)

type searchCommand struct {
	nodeFlags
	Index string   `arg:"" help:"The index."`
	Text  []string `arg:"" optional:"" help:"Text to search for. Default: list all documents."`
	Limit int      `default:"10" help:"Number of hits to show."`
	JSON  bool     `help:"Print the response as JSON."`
}

type searchAnswer struct {
	Total struct {
		Count int `json:"count"`
	} `json:"total"`
	Hits []struct {
		Document jsontext.Value `json:"document"`
	} `json:"hits"`
	Interpreted struct {
		Filters []reading `json:"filters"`
	} `json:"interpreted"`
	Relaxed struct {
		Dropped []struct {
			Word   string `json:"word"`
			Reason string `json:"reason"`
		} `json:"dropped"`
	} `json:"relaxed"`
}

// reading is a filter that was read from the typed words.
type reading struct {
	Field string         `json:"field"`
	Match jsontext.Value `json:"match"`
	Words []string       `json:"words"`
}

// Run searches and prints the hits with a few lines each.
func (c *searchCommand) Run(ctx context.Context, s *surroundings) error {
	node, err := c.nodeFlags.node(s)
	if err != nil {
		return err
	}
	node.Patience = 0
	title, locale := titleField(ctx, node, c.Index)
	body, err := c.request(locale)
	if err != nil {
		return err
	}
	content, err := node.Raw(ctx, remote.Request{Method: "POST", Path: remote.IndexPath("data", c.Index) + "/search", Body: body})
	switch {
	case remote.IsAway(err):
		return away(node)
	case err != nil:
		return err
	case c.JSON:
		_, err = fmt.Fprintln(s.out, strings.TrimSpace(string(content)))
		return err
	}
	var answer searchAnswer
	if err := json.Unmarshal(content, &answer); err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	for i, hit := range answer.Hits {
		fmt.Fprintf(s.out, "%2d. %s\n", i+1, printable(describeHit(hit.Document, title)))
	}
	fmt.Fprintf(s.out, "%s of %s\n", grouped(len(answer.Hits)), plural(answer.Total.Count, "hit", "hits"))
	for _, line := range answer.notes() {
		fmt.Fprintln(s.out, printable(line))
	}
	return nil
}

// notes returns how the typed text was understood, one line for each part of it that is
// not simply in the hits.
func (a *searchAnswer) notes() []string {
	var lines []string
	for _, one := range a.Interpreted.Filters {
		lines = append(lines, fmt.Sprintf("%q was read as %s", strings.Join(one.Words, " "), one.describe()))
	}
	for _, one := range a.Relaxed.Dropped {
		if one.Reason == "unmatched" {
			lines = append(lines, fmt.Sprintf("%q was left out: it is in no document", one.Word))
		} else {
			lines = append(lines, fmt.Sprintf("%q was left out: no document has all words", one.Word))
		}
	}
	return lines
}

// describe formats a filter: "price < 150".
func (r reading) describe() string {
	signs := map[string]string{"value": "=", "gte": "≥", "gt": ">", "lte": "≤", "lt": "<"}
	var all []string
	for members := jsonread.Members(r.Match); members.Next(); {
		if sign := signs[jsonread.String(members.RawName())]; sign != "" {
			all = append(all, r.Field+" "+sign+" "+plainText(members.Value()))
		}
	}
	return strings.Join(all, " and ")
}

// request returns the search of a search box: words that leave nothing are dropped.
func (c *searchCommand) request(locale string) ([]byte, error) {
	type clause struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Match string `json:"match"`
		Relax string `json:"relax"`
	}
	body := struct {
		Limit  int      `json:"limit"`
		Locale string   `json:"locale,omitempty"`
		Query  []clause `json:"query,omitempty"`
	}{Limit: c.Limit, Locale: locale}
	if text := strings.Join(c.Text, " "); text != "" {
		body.Query = []clause{{"text", text, "user", "words"}}
	}
	return json.Marshal(body)
}

// titleField returns the field with the greatest weight, which serves as the
// title of a document, and its language; both are empty if the definition cannot
// be read.
func titleField(ctx context.Context, node *remote.Node, index string) (name, locale string) {
	var found struct {
		Definition jsontext.Value `json:"definition"`
	}
	if err := node.Do(ctx, remote.Request{Method: "GET", Path: remote.IndexPath("admin", index)}, &found); err != nil {
		return "", ""
	}
	declared, err := definition.ParseStored(found.Definition, definition.Capabilities{})
	if err != nil {
		return "", ""
	}
	best := 1.0
	for one, field := range declared.Fields {
		if field.Matching != nil && field.Matching.Weight != nil && (*field.Matching.Weight > best || *field.Matching.Weight == best && one < name) {
			best, name = *field.Matching.Weight, one
		}
	}
	if field := declared.Fields[name]; field != nil && field.Locales != nil {
		locale = field.Locales.DefaultLocale
	}
	return name, locale
}

// lineWidth is the number of characters shown of a value.
const lineWidth = 100

// describeHit formats a hit: the title on one line and the other values below
// it.
func describeHit(document []byte, title string) string {
	head, rest := "", []string{}
	for members := jsonread.Members(document); members.Next(); {
		name, value := jsonread.String(members.RawName()), members.Value()
		text := plainText(value)
		text = cutText(strings.Join(strings.Fields(text), " "), lineWidth)
		if name == title {
			head = text
			continue
		}
		rest = append(rest, name+": "+text)
	}
	if head == "" && len(rest) > 0 {
		head, rest = rest[0], rest[1:]
	}
	for _, line := range rest {
		head += "\n    " + line
	}
	return head
}

// plainText returns a string without its quotes, and the text of an object with
// a single language.
func plainText(value []byte) string {
	switch jsonread.KindOf(value) {
	case jsonread.TextKind:
		return jsonread.String(value)
	case jsonread.ObjectKind:
		members := jsonread.Members(value)
		if members.Next() && jsonread.KindOf(members.Value()) == jsonread.TextKind {
			if text := jsonread.String(members.Value()); !members.Next() {
				return text
			}
		}
	}
	return string(value)
}

func cutText(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}
