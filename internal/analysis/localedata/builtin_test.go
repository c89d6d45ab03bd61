package localedata

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/analysis"
)

// Without any data outside the program, every compounding language is analysed,
// and common compounds are found by their parts.
func TestCompoundsWithoutDictionaries(t *testing.T) {
	var options analysis.Options
	if err := Add(&options, filepath.Join(t.TempDir(), "absent")); err != nil {
		t.Fatal(err)
	}
	builder := analysis.NewBuilder(options)
	for tag, words := range map[string]map[string]string{
		"da": {"regnjakke": "regn jakke", "børnehave": "børn have", "computerspil": "computer spil", "arbejdsplads": "arbejd plads"},
		"de": {"kinderwagen": "kinder wagen", "bundesfinanzminister": "bund finanz minister finanzminister", "haustür": "haus tür", "wohnungsmarkt": "wohnung markt", "verein": "", "kartoffel": ""},
		"fi": {"tietokonepeli": "tieto kone peli tietokone", "lentokenttä": "lento kenttä"},
		"is": {"tölvuleikur": "tölvu leikur", "sjúkrahús": "sjúkra hús"},
		"nb": {"arbeidsplass": "arbeid plass", "barnehage": "barn hage", "dataspill": "data spill"},
		"nl": {"kinderboeken": "kind boeken", "computerspel": "computer spel", "ziekenhuis": "ziek huis"},
		"nn": {"dataspel": ""},
		"sv": {"arbetsplats": "arbets plats", "datorspel": "dator spel", "barnvagn": "barn vagn", "sommarstuga": "sommar stuga"},
	} {
		if !builder.Supports(tag) || !builder.Decompounds(tag) {
			t.Errorf("%s is not analysed", tag)
			continue
		}
		splitter, err := options.Decompounders[tag]()
		if err != nil {
			t.Fatal(err)
		}
		for word, want := range words {
			var parts []string
			at := splitter.AppendParts(nil, []byte(word))
			for i := 0; i+1 < len(at); i += 2 {
				parts = append(parts, word[at[i]:at[i+1]])
			}
			if got := strings.Join(parts, " "); got != want {
				t.Errorf("%s %s: got %q, want %q", tag, word, got, want)
			}
		}
	}
}

// TestAgreementWithDictionaries compares the seams found by frequencies with
// those of the dictionaries in LOCALE_DATA, for the words in COMPOUND_WORDS:
// one file per language, one word per line. The dictionaries also split off
// endings, so they only bound the share of seams found, but they are a good
// reference for false ones.
func TestAgreementWithDictionaries(t *testing.T) {
	dictionaries := prepared(t)
	var options analysis.Options
	if err := Add(&options, filepath.Join(t.TempDir(), "absent")); err != nil {
		t.Fatal(err)
	}
	for _, tag := range slices.Sorted(maps.Keys(compounds)) {
		words, err := os.ReadFile(filepath.Join(os.Getenv("COMPOUND_WORDS"), tag+".txt"))
		if err != nil {
			continue
		}
		ours, err := options.Decompounders[tag]()
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := dictionaries.Decompounders[tag]()
		if err != nil {
			t.Fatal(err)
		}
		both, found, wanted := 0, 0, 0
		for word := range strings.FieldsSeq(string(words)) {
			a, b := seams(ours.AppendParts(nil, []byte(word))), seams(theirs.AppendParts(nil, []byte(word)))
			found, wanted = found+len(a), wanted+len(b)
			for seam := range a {
				if b[seam] {
					both++
				}
			}
		}
		t.Logf("%s: %d seams, %.0f %% of them in the dictionary, which has %d: %.0f %%", tag, found, 100*float64(both)/float64(found), wanted, 100*float64(both)/float64(wanted))
	}
}

// seams returns the offsets inside a word where parts begin.
func seams(at []int) map[int]bool {
	found := make(map[int]bool)
	for i := 0; i+1 < len(at); i += 2 {
		if at[i] > 0 {
			found[at[i]] = true
		}
	}
	return found
}
