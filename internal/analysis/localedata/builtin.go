package localedata

import (
	"embed"
	"fmt"
	"strings"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/analysis/decompound"
	"github.com/quiresearch/quire/internal/analysis/stem"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
)

// builtin holds the frequencies of words that ship in the program, made from
// the package wordfreq; builtin/LICENCE says whose they are.
//
//go:embed builtin/*.fst
var builtin embed.FS

// compounds defines, for the languages that write compounds as one word, how
// parts are linked, which inflectional endings look like words, and which short
// words are parts of many compounds.
var compounds = map[string]struct {
	words, links, endings, short string
	minPart                      int
}{
	"da": {"da", "s e", "erne ende else elser erede ernes enes",
		"hus vin dag bus sol bil bog tog nat mad rød kop pæl hav råd tag sko fod vej dør mor far løb bad båd lys ord lyd gas jul sø is ost kød hår", 4},
	"de": {"de", "s es n en er e ens", "ende enden endem ender endes eren erer elbe ungen iert ieren enen eten erin innen",
		"bus tag tor rad tür uhr rot weg zug see ort hof hut bad bau ski tee kuh rat amt arm art eis gas ohr typ web tal ton box not tod wal moor", 4},
	"fi": {"fi", "", "ssaan stään ssä ssa",
		"peli kone kesä työ yö katu valo ovi talo koti auto puna kala maa tie sade mies pesu tieto tupa puu vesi jää juna laiva pää suu kirja liha maito leipä kuva ääni elo", 5},
	"is": {"is", "s a ar u na i", "anna unum inum inni arnir urnar",
		"hús vín vél sól bíl bók sjó dag far mat veg ljós sími borð", 4},
	"nb": {"nb", "s e", "ende else elser erte erne enes",
		"hus vin dag sol bil bok fly tog mat rød båt vei dør hav råd tak sko fot mor far lys ord lyd gass jul is ost bad hår", 4},
	"nl": {"nl", "s en e er n", "ende enden eren oren uren ster elen eerd eert",
		"jas bus was zee bad bed dag weg tas hut kat oog oor pen zon vis wol zak ei thee pan", 4},
	"nn": {"nb", "s e", "ande else elsar erte arne enes",
		"hus vin dag sol bil bok fly tog mat raud båt veg dør hav råd tak sko fot mor far lys ord lyd jul is ost bad hår", 4},
	"sv": {"sv", "s e o", "ande andet anden erat erad omar arna erna ören änden aren aste",
		"hus vin dag sol bil bok röd jul bad båt tåg väg lag rum mat hav sjö hår tak råd sko mor far fot öga ost nät kök is", 4},
}

// icelandicStopwords are used for Icelandic text if the locale data directory
// has no list.
const icelandicStopwords = "að af á en er ég ekki eða ef fyrir frá hann hún í með og sem sig sér svo til um upp var við það þá þar þau þeir þær þú úr"

// addBuiltin adds the embedded data to the options: splitting compounds by
// frequency, and light rules for Icelandic.
func addBuiltin(options *analysis.Options) {
	for tag, language := range compounds {
		options.Decompounders[tag] = func() (tokenfilter.Splitter, error) {
			words, err := builtin.ReadFile("builtin/" + language.words + ".fst")
			if err != nil {
				return nil, fmt.Errorf("word frequencies: %w", err)
			}
			return decompound.NewFrequency(words, strings.Fields(language.links), strings.Fields(language.endings),
				strings.Fields(language.short), language.minPart)
		}
	}
	options.Stemmers["is"] = func() (stem.Stemmer, error) { return stem.Icelandic(), nil }
	options.Stopwords["is"] = func() ([]string, error) { return strings.Fields(icelandicStopwords), nil }
}
