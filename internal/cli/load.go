package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/draft"
	"github.com/quiresearch/quire/internal/load"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/remote"
)

type loadCommand struct {
	nodeFlags
	Files   []string `arg:"" name:"file" help:"CSV, TSV, JSON, NDJSON or Parquet files, each also packed with gzip or zstd; - is standard input."`
	Index   string   `placeholder:"NAME" help:"The index; by default named after the first file. It is created if there is none."`
	Draft   string   `placeholder:"FILE" help:"Write the drafted definition to a file, - for standard output, and load nothing."`
	Rejects string   `placeholder:"FILE" help:"Write refused rows to a file, one JSON object a line."`
	Dev     bool     `help:"Start a node on this machine, as serve --dev does, and keep it serving."`
}

// loading is a load in progress.
type loading struct {
	*loadCommand
	*surroundings
	node     *remote.Node
	drafter  *draft.Drafter
	options  draft.Options
	drafted  *draft.Draft
	streams  map[string]*load.Source // sources that can be read only once
	key      string                  // name of the key field added to rows; empty if they have a key
	hasKey   bool
	before   int // number of documents in the index before the load
	progress *progress
	rejects  io.Writer
	shown    int // refusals printed so far
}

// errSomeRefused ends a load in which some rows were rejected.
var errSomeRefused = errors.New("some rows were refused")

// Run drafts a definition, creates the index if it does not exist, and adds the
// documents.
func (c *loadCommand) Run(ctx context.Context, s *surroundings) error {
	if c.Index == "" {
		c.Index = indexName(c.Files[0])
	}
	if !registry.IsIndexName(c.Index) {
		return refusedError{fmt.Errorf("%q is not the name of an index: use a to z, 0 to 9, - and _; choose one by --index", c.Index)}
	}
	node, err := c.nodeFlags.node(s)
	if err != nil {
		return err
	}
	l := &loading{loadCommand: c, surroundings: s, node: node, streams: make(map[string]*load.Source), options: draft.Options{Convert: true}}
	defer l.close()
	if err := l.draft(ctx); err != nil {
		return err
	}
	if c.Draft != "" {
		return l.writeDraft()
	}
	return c.nodeFlags.withNode(ctx, s, node, c.Dev, func(ctx context.Context) error { return l.run(ctx) })
}

// indexName derives an index name from a file name up to its first dot.
func indexName(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return nameOf(file, name)
}

// keyPrefix derives a prefix of keys from a file name without its extensions. Unlike
// indexName it keeps the parts between other dots, so the rows of sales.2024.csv do not
// replace those of sales.2023.csv.
func keyPrefix(file string) string {
	name, _ := load.Split(file)
	return nameOf(file, name)
}

// nameOf turns part of a file name into a valid index name.
func nameOf(file, part string) string {
	if file == "-" {
		part = "documents"
	}
	var out strings.Builder
	for _, r := range strings.ToLower(part) {
		if r < unicode.MaxASCII && (unicode.IsLower(r) || unicode.IsDigit(r) || r == '_' || r == '-') {
			out.WriteRune(r)
		} else {
			out.WriteByte('-')
		}
	}
	name := strings.Trim(out.String(), "-_")
	if name == "" {
		return "documents"
	}
	return name[:min(len(name), 64)]
}

func (l *loading) close() {
	for _, source := range l.streams {
		_ = source.Close()
	}
}

// draft drafts a definition from the files and prints the findings.
func (l *loading) draft(ctx context.Context) error {
	l.drafter = draft.New(l.options)
	var refused error
	for _, name := range l.Files {
		source, err := load.Open(name, l.in)
		if err != nil {
			return refusedError{err}
		}
		isStream := name == "-"
		if isStream {
			l.streams[name] = source
		}
		fmt.Fprintf(l.err, "%s: %s\n", name, strings.Join(append([]string{source.Format}, source.Notes...), "; "))
		err = load.Draft(ctx, source, l.drafter, isStream)
		if !isStream {
			err = errors.Join(err, source.Close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if source.Refused != nil && refused == nil {
			refused = fmt.Errorf("%s, %w", name, source.Refused)
		}
	}
	if l.drafter.Documents() == 0 && refused != nil {
		return refusedError{fmt.Errorf("no row can be read: %w", refused)}
	}
	if l.drafter.Documents() == 0 {
		return refusedError{errors.New("there are no documents")}
	}
	l.drafted = l.drafter.Finish()
	l.ask()
	return nil
}

// ask lets the user answer open questions of the draft on a terminal.
func (l *loading) ask() {
	if len(l.drafted.Questions) == 0 {
		return
	}
	for _, q := range l.drafted.Questions {
		if answer, ok := l.choose(q.Text, q.Choices); ok {
			l.drafter.Choose(q, answer)
		} else {
			fmt.Fprintf(l.err, "%s Taken as %s.\n", printable(q.Text), q.Choices[0])
		}
	}
	l.drafted = l.drafter.Finish()
}

// explain prints the reason for every field.
func (l *loading) explain() {
	fmt.Fprintf(l.err, "\nDrafted from %s documents:\n", grouped(l.drafter.Documents()))
	for _, r := range l.drafted.Reasons {
		name := r.Field
		if r.Name != "" {
			name += " (" + r.Name + ")"
		}
		if name == "" {
			reason, _, _ := strings.Cut(r.Reason, "; ") // a load gives rows without a key one of their own
			fmt.Fprintf(l.err, "  %s\n", reason)
			continue
		}
		fmt.Fprintf(l.err, "  %s: %s\n", printable(name), printable(r.Reason))
	}
	fmt.Fprintln(l.err)
}

// definition returns the drafted definition, with an added key field if rows
// have no key.
func (l *loading) definition() ([]byte, error) {
	fields := l.drafted.Fields
	if l.drafted.Key == "" {
		l.key = "id"
		for fields.Get(l.key) != nil {
			l.key = "row_" + l.key
		}
		fields = append(draft.Fields{{Name: l.key, Field: &draft.Field{Type: definition.String, Role: "id"}}}, fields...)
	}
	drafted := *l.drafted
	drafted.Fields = fields
	return indented(&drafted)
}

// indented returns a drafted definition in readable form.
func indented(drafted *draft.Draft) ([]byte, error) {
	body, err := drafted.MarshalDefinition()
	if err != nil {
		return nil, err
	}
	value := jsontext.Value(body)
	err = value.Indent(jsontext.WithIndent("  "))
	return append(value, '\n'), err
}

func (l *loading) writeDraft() error {
	l.explain()
	body, err := l.definition()
	if err != nil {
		return err
	}
	if l.Draft == "-" {
		_, err = l.out.Write(body)
		return err
	}
	if err := os.WriteFile(l.Draft, body, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(l.err, "Written to %s. Change what was guessed wrong, then create the index and load:\n"+
		"  curl -X PUT %s%s -H 'Content-Type: application/json' --data-binary @%s\n  quire load %s --index %s\n",
		l.Draft, l.node.URL, remote.IndexPath("admin", l.Index), l.Draft, strings.Join(l.Files, " "), l.Index)
	return nil
}

// run creates or finds the index and adds the documents.
func (l *loading) run(ctx context.Context) error {
	if err := l.prepare(ctx); err != nil {
		return err
	}
	if l.Rejects != "" {
		file, err := os.Create(l.Rejects)
		if err != nil {
			return err
		}
		defer file.Close()
		l.rejects = file
	}
	done, err := l.addAll(ctx)
	l.progress.end()
	if err != nil {
		fmt.Fprintf(l.err, "%s rows were added before that.%s\n", grouped(done.Added), l.resumption())
		return err
	}
	if err := l.node.Do(ctx, remote.Request{Method: "POST", Path: remote.IndexPath("admin", l.Index) + "/actions/commit"}, nil); err != nil {
		return fmt.Errorf("%s rows were added, but the commit failed: %w", grouped(done.Added), err)
	}
	return l.conclude(ctx, done)
}

func (l *loading) resumption() string {
	if l.hasKey {
		return " Run the same command again to go on: rows that are there already are replaced, not added twice."
	}
	return ""
}

// prepare creates the index, or adapts the columns to an existing one.
func (l *loading) prepare(ctx context.Context) error {
	var found struct {
		Definition jsontext.Value `json:"definition"`
	}
	err := l.node.Do(ctx, remote.Request{Method: "GET", Path: remote.IndexPath("admin", l.Index)}, &found)
	if remote.IsCode(err, "index:not_found") {
		return l.create(ctx)
	}
	if err != nil {
		return err
	}
	existing, err := definition.ParseStored(found.Definition, definition.Capabilities{})
	if err != nil {
		return fmt.Errorf("read the definition of %s: %w", l.Index, err)
	}
	fmt.Fprintf(l.err, "\nThe index %s exists: its fields are kept.\n", l.Index)
	for _, note := range load.Fit(l.drafted.Columns, existing.Fields) {
		fmt.Fprintln(l.err, " ", printable(note))
	}
	l.before, _ = countDocuments(ctx, l.node, l.Index) // for the final report; a key without read permission cannot count
	if key := definition.NewSchema(existing).PrimaryKey(); key != nil {
		l.hasKey = true
		name := key.Path
		isGiven := false
		for _, column := range l.drafted.Columns {
			isGiven = isGiven || column.Field == name && column.Form != draft.Drop
		}
		if !isGiven && existing.Fields[name].Type == definition.String {
			l.key = name
		} else if !isGiven {
			return refusedError{fmt.Errorf("the documents lack %s, the key of the index", name)}
		}
	}
	return nil
}

// create creates the index from the draft.
func (l *loading) create(ctx context.Context) error {
	put := func() error {
		body, err := l.definition()
		if err != nil {
			return err
		}
		return l.node.Do(ctx, remote.Request{Method: "PUT", Path: remote.IndexPath("admin", l.Index), Body: body}, nil)
	}
	err := put()
	if remote.IsCode(err, "index:field:analyzer:decompound_locale_unsupported") || remote.IsCode(err, "index:field:locales:locale_unsupported") {
		l.options.Lacks = func(string) bool { return true }
		l.drafter.SetLacks(l.options.Lacks)
		l.drafted = l.drafter.Finish()
		err = put()
	}
	if err != nil {
		return fmt.Errorf("create the index %s: %w", l.Index, err)
	}
	l.explain()
	fmt.Fprintf(l.err, "Created the index %s.\n", l.Index)
	if l.key != "" {
		fmt.Fprintf(l.err, "No column names every document, so rows get a key of their own: %s, made of the file and the row.\n", l.key)
	}
	l.hasKey = true
	return nil
}

// addAll adds the rows of every file.
func (l *loading) addAll(ctx context.Context) (load.Done, error) {
	var done load.Done
	l.progress = newProgress(l.err, l.isTerminal, l.Files)
	job := &load.Job{Node: l.node, Index: l.Index, HasKey: l.hasKey, Refused: l.refuse, Moved: l.progress.moved}
	l.node.Waits = l.progress.waits
	for i, name := range l.Files {
		source, isStream := l.streams[name]
		if !isStream {
			var err error
			if source, err = load.Open(name, l.in); err != nil {
				return done, err
			}
		}
		prefix := keyPrefix(name)
		if i > 0 {
			prefix = fmt.Sprintf("%s-%d", prefix, i+1)
		}
		l.progress.begin(i)
		converter := load.NewConverter(l.drafted.Columns, l.drafted.IsPlain(), l.key, prefix+"-")
		converter.LeavesOut = l.drafted.LeavesOut
		err := job.Run(ctx, source, converter, &done)
		if !isStream {
			err = errors.Join(err, source.Close())
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
