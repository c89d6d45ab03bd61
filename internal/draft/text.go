package draft

import (
	"fmt"
	"strings"

	"github.com/quiresearch/quire/definition"
)

// Thresholds between the kinds of text.
const (
	proseWords = 12  // average from which a text is prose
	shortBytes = 60  // average up to which a value may be a tag
	shortWords = 4.5 // average up to which a value may be a tag
	exactBytes = 512 // maximum of values that are filtered by
	nameBytes  = 4   // average from which tags are names, not codes

	secondNameWeight = 2 // of names beside a title, whose weight is 3

	longestTitle = 4000 // maximum in bytes of a title that is sorted by: a collation key is longer than its text
)

// prose returns the matching usage of running text without a role: typos are
// tolerated, and a long text does not win over a short one by its length alone.
func prose() *Matching {
	return &Matching{Highlight: used(), TypoTolerance: used(), LengthNormalization: definition.LengthModerate}
}

// declareText decides the usages of a string.
func (f *deciding) declareText(c *column, column *Column, at where) (*Field, []string) {
	declared := &Field{Type: definition.String}
	column.Form = formFor(c.texts < c.values, AsText)
	t := &c.text
	separator := ""
	if f.options.Convert && !c.isList() {
		separator = c.separator()
	}
	path := c.hierarchy()
	switch {
	case c == f.key:
		return c.declareKey()
	case c == f.title:
		declared.Role = "title"
		why := []string{"string, title"}
		if isNamed(c.name, titleNames) {
			why = append(why, "by its name")
		}
		if t.longest > longestTitle {
			declared.Sort = &Sort{IsOff: true}
			why = append(why, fmt.Sprintf("not sorted by: a value has %s bytes", grouped(t.longest)))
		}
		return declared, append(append(why, c.differ()), f.speak(c, declared)...)
	case mostOf(t.urls, c.texts) && c.texts > 0:
		return declared, []string{"string: addresses are returned, not searched"}
	case separator != "":
		column.Separator, column.IsList = separator, true
		declared.Role, declared.Matching = "tag", c.names(c.separated(separator).parts)
		return declared, []string{fmt.Sprintf("string, tags: %s of %s values are lists separated by %q", grouped(c.separated(separator).texts), grouped(c.texts), separator)}
	case path != "" && t.longest <= exactBytes && !at.inList:
		declared.Role = "path"
		if path != "/" {
			declared.Hierarchy = &definition.Hierarchy{Separator: &path}
		}
		return declared, []string{fmt.Sprintf("string, path: levels separated by %q", path)}
	case t.longest > exactBytes, c.averageWords() >= proseWords, isNamed(c.name, proseNames) && c.averageWords() >= 3:
		declared.Role, declared.Matching = "description", &Matching{LengthNormalization: definition.LengthModerate}
		return declared, append([]string{fmt.Sprintf("string, description: %.0f words on average", c.averageWords())}, f.speak(c, declared)...)
	case c.isCodeText() && c.isName() && !at.inList:
		declared.Role, declared.Filter = "title", used()
		declared.Matching = &Matching{Analyzer: &Preset{"preserve_terms"}, Weight: secondNameWeight}
		return declared, []string{"string, name: " + c.differ()}
	case c.isCodeText():
		declared.Role = "code"
		if isNamed(c.name, numberNames) { // AB-12 before AB-12-XL
			declared.Matching = &Matching{Exact: used()}
		}
		return declared, []string{"string, code: " + c.differ()}
	case c.isTag():
		declared.Role, declared.Matching = "tag", c.names(c.texts)
		return declared, []string{"string, tag: " + c.differ()}
	}
	declared.Matching = prose()
	return declared, append([]string{"string, text: " + c.differ()}, f.speak(c, declared)...)
}

// declareKey declares a string key. Numbers that people read and type, such as those of
// articles, are also found by the text of a search.
func (c *column) declareKey() (*Field, []string) {
	declared := &Field{Type: definition.String, Role: "id"}
	if isNamed(c.name, numberNames) {
		declared.Matching = &Matching{Analyzer: &Preset{"preserve_terms"}, Exact: used(), LengthNormalization: definition.LengthNone}
		return declared, []string{"string, id: complete and unique, found by typing it"}
	}
	return declared, []string{"string, id: complete and unique"}
}

func (c *column) averageWords() float64 { return float64(c.text.words) / float64(max(c.texts, 1)) }

// differ describes how many of the values are different.
func (c *column) differ() string {
	if c.isFull {
		return fmt.Sprintf("more than %s different values", grouped(maxDistinct))
	}
	return fmt.Sprintf("%s of %s values differ", grouped(len(c.distinct)), grouped(c.values))
}

// isUnique reports whether few values are repeated.
func (c *column) isUnique() bool { return c.isFull || len(c.distinct)*10 >= c.values*9 }

// isCodeText reports whether values are identifiers for machines: no spaces,
// and digits or a name that says so.
func (c *column) isCodeText() bool {
	t := &c.text
	if c.isList() || c.texts == 0 || t.spaced*10 > c.texts {
		return isNamed(c.name, codeNames) && !c.isList() && c.averageWords() < 4 && len(c.distinct)*2 > c.values
	}
	return isNamed(c.name, codeNames) && len(c.distinct)*10 > c.values || c.isUnique() && (t.digits*2 > c.texts || t.capitals*2 < c.texts)
}

// isName reports whether codes are names that people type, such as those of packages
// or users.
func (c *column) isName() bool { return isNamed(c.name, titleNames) && !isNamed(c.name, codeNames) }

// isTag reports whether values are short and repeated.
func (c *column) isTag() bool {
	t := &c.text
	if c.texts == 0 || t.bytes > shortBytes*c.texts || c.averageWords() > shortWords {
		return false
	}
	if c.isList() {
		return !c.isManyNames()
	}
	return t.spaced*4 < c.texts || isNamed(c.name, tagNames) || len(c.distinct)*2 <= c.values
}

// names returns the matching usage of so many tags. Typos are tolerated unless the tags
// are short codes, such as those of countries.
func (c *column) names(tags int) *Matching {
	if c.text.bytes < nameBytes*tags {
		return nil
	}
	return &Matching{TypoTolerance: used()}
}

// isManyNames reports whether lists contain names that are hardly repeated,
// such as the alternative names of a place: they are searched, not counted.
func (c *column) isManyNames() bool {
	return c.isUnique() && c.values >= 100 && (c.text.spaced*5 > c.texts || isNamed(c.name, aliasNames)) && !isNamed(c.name, tagNames)
}

// separator returns the separator that splits the strings into short, repeated
// values, empty if there is none.
func (c *column) separator() string {
	for _, one := range []struct {
		separator string
		share     int // of the texts, in percent
	}{{";", 20}, {"|", 20}, {",", 30}} {
		n := c.separated(one.separator)
		if n.texts*100 < one.share*c.texts || n.texts < 2 || n.short*100 < n.parts*95 {
			continue
		}
		repeats := len(n.distinct)*10 <= n.parts*7
		if one.separator == "," && c.text.spaced*20 > c.texts { // commas also occur in names and sentences
			repeats = len(n.distinct)*10 <= n.parts*4 && (c.averageWords() <= 4 || isNamed(c.name, tagNames)) || isNamed(c.name, tagNames) && n.short == n.parts
		}
		if repeats || isNamed(c.name, tagNames) {
			return one.separator
		}
	}
	return ""
}

// maySplit returns a separator that splits strings into short values, empty if there is
// none. A comma is one only in tags.
func (c *column) maySplit() string {
	for _, separator := range []string{";", "|", ","} {
		n := c.separated(separator)
		if n.texts > 0 && n.short*100 >= n.parts*95 && (separator != "," || isNamed(c.name, tagNames)) {
			return separator
		}
	}
	return ""
}

func (c *column) separated(separator string) *separated {
	switch separator {
	case ";":
		return &c.text.semicolons
	case "|":
		return &c.text.bars
	}
	return &c.text.commas
}

// hierarchy returns the separator of levels: most values have several levels,
// with few distinct first ones.
func (c *column) hierarchy() string {
	for _, one := range []struct {
		separator string
		counts    *separated
	}{{">", &c.text.arrows}, {"/", &c.text.levels}} {
		n := one.counts
		if n.texts*10 < c.texts*6 || n.texts < 2 || n.short*10 < n.parts*9 || c.text.urls > 0 {
			continue
		}
		if len(n.first)*4 > n.texts || one.separator == "/" && !isNamed(c.name, pathNames) && len(c.distinct)*2 > c.values {
			continue
		}
		if one.separator == ">" && c.spacedArrows() {
			return " > "
		}
		return one.separator
	}
	return ""
}

func (c *column) spacedArrows() bool {
	for _, value := range c.sample {
		if strings.Contains(value, " > ") {
			return true
		}
	}
	return false
}

// findKey returns the column that identifies every document: complete, unique,
// and named like a key, or the first column if it holds identifiers for
// machines.
func (c *columns) findKey() *column {
	var found *column
	best := unranked
	for position, one := range c.ordered {
		if !one.canBeKey() {
			continue
		}
		switch at := rank(one.name, keyNames); {
		case at < best:
			found, best = one, at
		case found == nil && position == 0 && c.seen >= 20 && one.text.spaced == 0 && one.text.dates == 0 && !isNamed(one.name, titleNames):
			found = one
		}
	}
	return found
}

func (c *column) canBeKey() bool {
	documents := c.of()
	isName := c.texts == c.values && c.text.longest <= exactBytes || c.wholes == c.values && c.large == 0
	return isName && c.lists == 0 && c.held == documents && c.values == documents && (len(c.distinct) == documents || c.isFull) && c.text.unpacked == 0
}

// explainNoKey explains why no field is the key.
func (f *deciding) explainNoKey() {
	for _, one := range f.root.ordered {
		if rank(one.name, keyNames) != 0 {
			continue
		}
		switch {
		case one.held < one.of():
			f.say("", "", fmt.Sprintf("no key: %s is empty in %s documents", one.name, grouped(one.of()-one.held)))
			return
		case len(one.distinct) < one.values:
			f.say("", "", fmt.Sprintf("no key: %s values of %s come more than once", grouped(one.values-len(one.distinct)), one.name))
			return
		}
	}
	f.say("", "", "no key: no field is complete and unique and named like one; documents can be added, but not replaced one by one")
}

// findTitle returns the column with the title of a document.
func (f *deciding) findTitle() *column {
	var found *column
	best := 1 << 20
	for position, one := range f.root.ordered {
		if one == f.key || one.isList() || one.kind(f.options.Convert) != kindText || one.text.urls*2 > one.texts ||
			one.averageWords() >= 2*proseWords || one.texts*2 < one.of() {
			continue
		}
		isNamedTitle := isNamed(one.name, titleNames)
		looksLike := one.text.longest <= longestTitle && one.text.spaced*10 >= one.texts*3 && len(one.distinct)*2 >= one.values && one.averageWords() < proseWords && one.hierarchy() == "" &&
			!isNamed(one.name, proseNames) && !isNamed(one.name, codeNames)
		if !isNamedTitle && !looksLike || isNamedTitle && len(one.distinct)*10 < one.values && one.values >= 20 {
			continue
		}
		score := rank(one.name, titleNames)
		if !isNamedTitle {
			score = 1000 + position
		}
		if score < best {
			found, best = one, score
		}
	}
	return found
}
