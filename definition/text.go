package definition

// TextUsage is the matching or autocomplete usage of a string field.
type TextUsage struct {
	Analyzer            *Analyzer           `json:"analyzer,omitzero"`
	Weight              *float64            `json:"weight,omitzero"`
	Highlight           *Empty              `json:"highlight,omitzero"`
	TypoTolerance       *TypoTolerance      `json:"typoTolerance,omitzero"`
	Decompound          *string             `json:"decompound,omitzero"` // "none" or a locale tag
	Exact               *Exact              `json:"exact,omitzero"`
	LengthNormalization LengthNormalization `json:"lengthNormalization,omitzero"`
}

// TypoTolerance sets how many typos in typed words are tolerated.
type TypoTolerance struct {
	MinLengthOneTypo  *int   `json:"minLengthOneTypo,omitzero"`
	MinLengthTwoTypos *int   `json:"minLengthTwoTypos,omitzero"`
	PrefixLength      *int   `json:"prefixLength,omitzero"`
	Numbers           *Empty `json:"numbers,omitzero"`
}

// Defaults of TypoTolerance.
const (
	DefaultMinLengthOneTypo  = 5
	DefaultMinLengthTwoTypos = 9
	DefaultPrefixLength      = 1
)

// Exact ranks a value that equals the whole text higher.
type Exact struct {
	Boost *float64 `json:"boost,omitzero"`
}

// DefaultExactBoost is the default boost of Exact.
const DefaultExactBoost = 2

// LengthNormalization says how much more a shorter value counts.
type LengthNormalization string

// The length normalizations; moderate is the default.
const (
	LengthNone     LengthNormalization = "none"
	LengthModerate LengthNormalization = "moderate"
	LengthStrong   LengthNormalization = "strong"
)

// Analyzer is either its own chain or the name of one in Resources. Presets are
// expanded into chains.
type Analyzer struct {
	Custom *Chain  `json:"custom,omitzero"`
	Named  *string `json:"named,omitzero"`
}

// Chain turns a text into terms: character filters, then the tokenizer, then
// filters, each in order.
type Chain struct {
	CharFilters []CharFilter  `json:"charFilters,omitzero"`
	Tokenizer   *Tokenizer    `json:"tokenizer,omitzero"` // nil: that of the locale
	Filters     []TokenFilter `json:"filters,omitzero"`
}

// CharFilter has exactly one member set.
type CharFilter struct {
	HTMLStrip      *Empty          `json:"htmlStrip,omitzero"`
	Mapping        *Mapping        `json:"mapping,omitzero"`
	PatternReplace *PatternReplace `json:"patternReplace,omitzero"`
}

// Mapping replaces each key by its value, longest key first.
type Mapping struct {
	Mappings map[string]string `json:"mappings,omitzero"`
}

// PatternReplace replaces what a regular expression matches.
type PatternReplace struct {
	Pattern     string `json:"pattern"`
	Replacement string `json:"replacement"`
}

// Tokenizer has exactly one member set.
type Tokenizer struct {
	ICU        *Empty `json:"icu,omitzero"`
	Whitespace *Empty `json:"whitespace,omitzero"`
	Keyword    *Empty `json:"keyword,omitzero"`
	Letter     *Empty `json:"letter,omitzero"`
}

// TokenFilter has exactly one member set.
type TokenFilter struct {
	Normalize    *Normalize    `json:"normalize,omitzero"`
	Stopwords    *Stopwords    `json:"stopwords,omitzero"`
	Stemming     *Stemming     `json:"stemming,omitzero"`
	ASCIIFolding *ASCIIFolding `json:"asciiFolding,omitzero"`
	EdgeNgram    *Ngram        `json:"edgeNgram,omitzero"`
	Ngram        *Ngram        `json:"ngram,omitzero"`
	Synonyms     *Synonyms     `json:"synonyms,omitzero"`
	Decompound   *Decompound   `json:"decompound,omitzero"`
}

// Normalize unifies letter forms and folds case.
type Normalize struct {
	CaseFolding *bool `json:"caseFolding,omitzero"` // default true
}

// Stopwords removes words: those of Locale, Words or Named, or of the value's
// locale when none is set. In a Schema, Named is replaced by Words.
type Stopwords struct {
	Locale string   `json:"locale,omitzero"`
	Words  []string `json:"words,omitzero"`
	Named  *string  `json:"named,omitzero"`
}

// Stemming reduces words to their stems by the rules of Locale, or of the
// value's locale when it is empty.
type Stemming struct {
	Locale string `json:"locale,omitzero"`
}

// ASCIIFolding maps accented letters to plain ones.
type ASCIIFolding struct {
	PreserveOriginal *bool `json:"preserveOriginal,omitzero"` // default false
}

// Ngram holds the sizes of n-grams and of edge n-grams.
type Ngram struct {
	MinGram *int `json:"minGram,omitzero"`
	MaxGram *int `json:"maxGram,omitzero"`
}

// Defaults of Ngram.
const (
	DefaultMinGram = 1
	DefaultMaxGram = 20
)

// Synonyms adds the words of a set of Resources. In a Schema, Rules holds the
// content of the set.
type Synonyms struct {
	Named string        `json:"named"`
	Rules []SynonymRule `json:"-"`
}

// Decompound adds the parts of compound words by the data of Locale, or of the
// value's locale when it is empty.
type Decompound struct {
	Locale string `json:"locale,omitzero"`
}

// Min returns the smallest gram size or its default.
func (n *Ngram) Min() int { return orDefault(n.MinGram, DefaultMinGram) }

// Max returns the largest gram size or its default.
func (n *Ngram) Max() int { return orDefault(n.MaxGram, DefaultMaxGram) }

// FoldsCase reports whether case is folded, which is the default.
func (n *Normalize) FoldsCase() bool { return orDefault(n.CaseFolding, true) }

// KeepsOriginal reports whether the accented form is kept too.
func (a *ASCIIFolding) KeepsOriginal() bool { return orDefault(a.PreserveOriginal, false) }

func orDefault[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}
