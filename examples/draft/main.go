// Command draft writes a definition to begin with for documents that it is
// shown: one per line, as a JSON array, or as an array inside an object.
//
//	draft things.ndjson > definition.json
//
// It reads the first documents and guesses what their fields are used for. What
// it prints is read and changed by a person before it is put; what no
// definition can declare, such as a field that is now a number and now text, is
// told instead.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/problem"
)

// most is how many documents are looked at.
const most = 10_000

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "draft:", err)
		os.Exit(1)
	}
}

func run(arguments []string, in io.Reader, out, notes io.Writer) error {
	switch len(arguments) {
	case 0:
	case 1:
		file, err := os.Open(arguments[0])
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	default:
		return errors.New("give one file, or documents on standard input")
	}
	fields, err := look(in)
	if err != nil {
		return err
	}
	draft, err := fields.definition()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(draft, "", "  ")
	if err != nil {
		return err
	}
	if _, err := definition.Parse(text, definition.Capabilities{}); err != nil {
		return withRemedies(err)
	}
	if _, key := fields.key(); key == nil {
		fmt.Fprintln(notes, "draft: no field is known as the key of every document: they can be added, but not replaced or changed;",
			`if one is, declare it with "primaryKey": true`)
	}
	_, err = fmt.Fprintln(out, string(text))
	return err
}

// withRemedies tells each problem of a definition on a line of its own, and what
// can be done about it.
func withRemedies(err error) error {
	var lines []error
	for _, found := range problem.All(err) {
		lines = append(lines, fmt.Errorf("%s: %s %s", found.Path, found.Message(), found.Code.Remedy()))
	}
	return errors.Join(lines...)
}

// look gathers what the first documents hold.
func look(in io.Reader) (*fields, error) {
	decoder := json.NewDecoder(in)
	decoder.UseNumber()
	found := newFields()
	for found.documents < most {
		var value any
		switch err := decoder.Decode(&value); {
		case err == io.EOF && found.documents == 0:
			return nil, errors.New("there are no documents")
		case err == io.EOF:
			return found, nil
		case err != nil && found.documents == 0:
			return nil, fmt.Errorf("give JSON, one document per line or an array: %w", err)
		case err != nil:
			return nil, fmt.Errorf("document %d: %w", found.documents+1, err)
		}
		if err := found.addAll(value); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// addAll adds a document, those of an array, or those of the only array inside
// an object.
func (f *fields) addAll(value any) error {
	switch value := value.(type) {
	case []any:
		for _, each := range value[:min(len(value), most)] {
			document, ok := each.(map[string]any)
			if !ok {
				return fmt.Errorf("document %d is not an object", f.documents+1)
			}
			f.add(document)
		}
	case map[string]any:
		if list, ok := onlyList(value); ok {
			return f.addAll(list)
		}
		f.add(value)
	default:
		return fmt.Errorf("document %d is not an object", f.documents+1)
	}
	return nil
}

// onlyList returns the list of objects that an object holds and nothing else.
func onlyList(value map[string]any) ([]any, bool) {
	for _, member := range value {
		list, ok := member.([]any)
		if !ok || len(value) != 1 || len(list) == 0 {
			return nil, false
		}
		_, ok = list[0].(map[string]any)
		return list, ok
	}
	return nil, false
}
