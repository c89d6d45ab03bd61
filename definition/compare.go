package definition

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/problem"
)

// Compare reports where a changed definition does not fit documents indexed under
// the old one: one problem per difference, with the dotted path of the field as its
// path. The result is empty if the change needs no reindexing. Defaults are filled in
// first, and analysis is compared by content.
func Compare(old, changed *Definition) problem.Problems {
	var found problem.List
	c := comparison{found: &found, old: newSchema(old), changed: newSchema(changed)}
	root := &ResolvedField{Type: Object}
	c.fields(old.Fields, changed.Fields, root, root)
	c.keyWithout(old.Fields, changed.Fields)
	c.keyWithout(changed.Fields, old.Fields)
	if fallbackChanged(old.LocaleFallback, changed.LocaleFallback) {
		found.Report(problem.IndexDefinitionLocaleFallbackChanged.At(problem.At("localeFallback")))
	}
	if old.Source == SourceNone && changed.Source != SourceNone {
		found.Report(problem.IndexDefinitionSourceAdded.At(problem.At("source")))
	}
	return found.Problems()
}

func fallbackChanged(old, changed *LocaleFallback) bool {
	if changed == nil {
		return false
	}
	return old == nil || (old.Chain == nil) != (changed.Chain == nil) || !slices.Equal(old.Chain, changed.Chain)
}

type comparison struct {
	found        *problem.List
	old, changed *Schema
}

func (c comparison) fields(old, changed map[string]*Field, oldParent, changedParent *ResolvedField) {
	for _, name := range sortedNames(old) {
		if changed[name] == nil {
			continue
		}
		a := c.old.compileField(old[name], name, name, oldParent)
		b := c.changed.compileField(changed[name], name, name, changedParent)
		if a.Type != b.Type {
			c.setting(b, "type")
			continue
		}
		c.field(a, b)
		if from, to := old[name].Locales, changed[name].Locales; from != nil && from.Fallback == "disabled" && to != nil && to.Fallback != "disabled" &&
			c.changed.definition.LocaleFallback != nil {
			c.usage(b, "locales.fallback")
		}
		c.fields(old[name].Fields, changed[name].Fields, a, b)
	}
}

// keyWithout reports a primary key among fields that others lack. Other fields may
// come and go, but documents are stored by their key.
func (c comparison) keyWithout(fields, others map[string]*Field) {
	for _, name := range sortedNames(fields) {
		if key := fields[name].PrimaryKey; key != nil && *key && others[name] == nil {
			c.setting(&ResolvedField{Path: name}, "primaryKey")
		}
	}
}

func (c comparison) setting(f *ResolvedField, setting string) {
	c.found.Report(problem.IndexDefinitionSettingChanged.At(problem.At(f.Path), "field", f.Path, "setting", setting))
}

func (c comparison) usage(f *ResolvedField, usage string) {
	c.found.Report(problem.IndexDefinitionUsageAdded.At(problem.At(f.Path), "field", f.Path, "usage", usage))
}

func (c comparison) field(a, b *ResolvedField) {
	for _, s := range []struct {
		name    string
		differs bool
	}{
		{"primaryKey", a.PrimaryKey != b.PrimaryKey},
		{"multiple", a.Multiple != b.Multiple},
		{"signal", a.Signal && !b.Signal},
		{"sort.collation", a.Type == String && a.Sort && b.Sort && a.Collation != b.Collation},
		{"keyword.caseFolding", a.CaseFolding != b.CaseFolding},
		{"hierarchy.separator", a.Hierarchy && b.Hierarchy && a.Separator != b.Separator},
		{"dimensions", a.Dimensions != b.Dimensions},
		{"similarity", a.Similarity != b.Similarity},
		{"hnsw", a.M != b.M || a.EFConstruction != b.EFConstruction},
		{"quantization", a.Quantization != b.Quantization},
		{"mode", a.Mode != b.Mode && a.Multiple && b.Multiple},
		{"key", keyName(a) != keyName(b)},
	} {
		if s.differs {
			c.setting(b, s.name)
		}
	}
	for _, u := range []struct {
		name  string
		added bool
	}{
		{"filter", !a.Filter && b.Filter},
		{"facet", !a.Facet && b.Facet},
		{"sort", !a.Sort && b.Sort && !b.Signal},
		{"signal", !a.Signal && b.Signal},
		{"matching", a.Matching == nil && b.Matching != nil},
		{"autocomplete", a.Autocomplete == nil && b.Autocomplete != nil},
		{"hierarchy", !a.Hierarchy && b.Hierarchy},
	} {
		if u.added {
			c.usage(b, u.name)
		}
	}
	c.locales(a, b)
	c.text(b, "matching", a.Matching, b.Matching)
	c.text(b, "autocomplete", a.Autocomplete, b.Autocomplete)
}

func keyName(f *ResolvedField) string {
	if f.Key == nil {
		return ""
	}
	return f.Key.Name
}

func (c comparison) locales(a, b *ResolvedField) {
	if b.Locales == nil {
		return
	}
	if a.Locales == nil {
		c.usage(b, "locales")
		return
	}
	if a.DefaultLocale != b.DefaultLocale {
		c.setting(b, "locales.defaultLocale")
	}
	for _, tag := range b.Locales {
		if !slices.Contains(a.Locales, tag) {
			c.setting(b, "locales.locales")
			break
		}
	}
}

func (c comparison) text(f *ResolvedField, usage string, a, b *ResolvedText) {
	if a == nil || b == nil {
		return
	}
	if !a.Highlight && b.Highlight {
		c.usage(f, usage+".highlight")
	}
	if !a.Exact && b.Exact {
		c.usage(f, usage+".exact")
	}
	built := func(t *ResolvedText) *Chain {
		switch {
		case t.Chain != nil:
			return t.Chain
		case usage == "matching":
			return MatchingChain(t.Decompound)
		}
		return AutocompleteChain()
	}
	segments := slices.ContainsFunc(f.Locales, HasSegmenter)
	if a.Chain == nil && b.Chain == nil && a.Decompound != b.Decompound || analysisOf(built(a), segments) != analysisOf(built(b), segments) {
		c.found.Report(problem.IndexDefinitionAnalysisChanged.At(problem.At(f.Path), "field", f.Path, "usage", usage))
	}
}

// analysisOf encodes a chain with its defaults, so that equal encodings mean equal
// terms. segments says that some of the locales have their own tokenizers.
func analysisOf(of *Chain, segments bool) string {
	chain := Chain{CharFilters: append([]CharFilter{}, of.CharFilters...), Tokenizer: of.Tokenizer}
	if chain.Tokenizer == nil && !segments {
		chain.Tokenizer = &Tokenizer{ICU: &Empty{}}
	}
	var rules [][]SynonymRule
	chain.Filters = []TokenFilter{}
	for _, filter := range of.Filters {
		switch {
		case filter.Normalize != nil:
			folds := filter.Normalize.FoldsCase()
			filter.Normalize = &Normalize{CaseFolding: &folds}
		case filter.ASCIIFolding != nil:
			keeps := filter.ASCIIFolding.KeepsOriginal()
			filter.ASCIIFolding = &ASCIIFolding{PreserveOriginal: &keeps}
		case filter.EdgeNgram != nil:
			filter.EdgeNgram = filter.EdgeNgram.withDefaults()
		case filter.Ngram != nil:
			filter.Ngram = filter.Ngram.withDefaults()
		case filter.Synonyms != nil:
			rules = append(rules, filter.Synonyms.Rules)
			filter.Synonyms = &Synonyms{}
		}
		chain.Filters = append(chain.Filters, filter)
	}
	text, err := json.Marshal([]any{chain, rules}, json.Deterministic(true))
	if err != nil {
		panic("definition: encode chain: " + err.Error()) // text and finite numbers only
	}
	return string(text)
}

func (n *Ngram) withDefaults() *Ngram {
	least, most := n.Min(), n.Max()
	return &Ngram{MinGram: &least, MaxGram: &most}
}
