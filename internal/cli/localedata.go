package cli

import (
	"errors"
	"fmt"

	"github.com/quiresearch/quire/internal/analysis/localedata"
)

// localeDataCommand builds the language data that a node reads from its locale
// data directory.
type localeDataCommand struct {
	Build localeDataBuildCommand `cmd:"" help:"Build the folder of one locale from published dictionaries."`
}

type localeDataBuildCommand struct {
	Tag       string   `arg:"" help:"Locale tag, such as de."`
	Out       string   `default:"locale-data" help:"Locale data directory to write to."`
	Hunspell  string   `help:"Path of a spelling dictionary, without .aff and .dic."`
	Words     []string `help:"Word lists; the first column of each line is read."`
	Forms     string   `help:"Full forms, one per line: form and base form, separated by a tab."`
	Patterns  string   `help:"Hyphenation patterns, or a hyphenation dictionary."`
	Stopwords string   `help:"Stopwords, one per line."`
	Licence   string   `help:"Licence text to store with the data."`
	Stem      bool     `help:"Use the stems of the spelling dictionary as base forms."`
}

// Run builds the folder and prints a summary of its contents.
func (c *localeDataBuildCommand) Run(s *surroundings) error {
	if c.Hunspell == "" && len(c.Words) == 0 && c.Forms == "" && c.Patterns == "" && c.Stopwords == "" {
		return refusedError{errors.New("set at least one source: --hunspell, --words, --forms, --patterns or --stopwords")}
	}
	report, err := localedata.Build(c.Out, localedata.Sources{Tag: c.Tag, Hunspell: c.Hunspell, Words: c.Words, Forms: c.Forms,
		Patterns: c.Patterns, Stopwords: c.Stopwords, Licence: c.Licence, Stem: c.Stem})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %s, %s, %s\n", c.Tag, plural(report.Words, "word", "words"), plural(report.Forms, "form", "forms"), plural(report.Seams, "learned seam", "learned seams"))
	return err
}
