// Command generate writes the table of package cldr from the JSON packages of
// the Common Locale Data Repository. It reads three unpacked npm packages:
//
//	npm pack cldr-core@48.2.0 cldr-numbers-full@48.2.0 cldr-units-full@48.2.0
//	(unpack each into a directory of its own)
//	go run ./internal/locale/cldr/generate -core DIR -numbers DIR -units DIR -out internal/locale/cldr/table.zst
//
// A locale stores only its differences from its parent.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/locale"
)

func main() {
	core := flag.String("core", "", "directory of cldr-core")
	numbers := flag.String("numbers", "", "directory of cldr-numbers-full")
	units := flag.String("units", "", "directory of cldr-units-full")
	out := flag.String("out", "table.zst", "file to write")
	flag.Parse()
	if err := run(*core, *numbers, *units, *out); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

type entry struct {
	decimal, group string
	currencies     map[string][]string
	units          map[string][]string
}

func run(core, numbers, units, out string) error {
	var parents struct {
		Supplemental struct {
			ParentLocales struct {
				ParentLocale map[string]string `json:"parentLocale"`
			} `json:"parentLocales"`
		} `json:"supplemental"`
	}
	if err := read(&parents, core, "supplemental", "parentLocales.json"); err != nil {
		return err
	}
	parentOf := func(tag string) string {
		if p, ok := parents.Supplemental.ParentLocales.ParentLocale[tag]; ok {
			return strings.Replace(p, "root", "und", 1)
		}
		if i := strings.LastIndexByte(tag, '-'); i > 0 {
			return tag[:i]
		}
		return "und"
	}
	dirs, err := os.ReadDir(filepath.Join(numbers, "main"))
	if err != nil {
		return err
	}
	all := make(map[string]entry)
	for _, d := range dirs {
		tag := d.Name()
		base, _, _ := strings.Cut(tag, "-")
		if tag != "und" && !locale.Supported(base) && base != "no" {
			continue
		}
		e, err := readLocale(numbers, units, tag)
		if err != nil {
			return fmt.Errorf("%s: %w", tag, err)
		}
		all[tag] = e
	}
	var b strings.Builder
	for _, tag := range sortedKeys(all) {
		e, parent := all[tag], parentOf(tag)
		for parent != "und" && all[parent].currencies == nil {
			parent = parentOf(parent)
		}
		if tag == "und" {
			parent = ""
		}
		fmt.Fprintf(&b, "L\t%s\t%s\t%s\t%s\n", tag, parent, e.decimal, e.group)
		write(&b, "C", e.currencies, all[parent].currencies)
		write(&b, "U", e.units, all[parent].units)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	return os.WriteFile(out, z.EncodeAll([]byte(b.String()), nil), 0o644)
}

func write(b *strings.Builder, kind string, own, parent map[string][]string) {
	for _, name := range sortedKeys(own) {
		if known, ok := parent[name]; ok && slices.Equal(own[name], known) {
			continue
		}
		fmt.Fprintf(b, "%s\t%s\t%s\n", kind, name, strings.Join(own[name], "\t"))
	}
}

func readLocale(numbers, units, tag string) (entry, error) {
	e := entry{currencies: map[string][]string{}, units: map[string][]string{}}
	var symbols struct {
		Main map[string]struct {
			Numbers map[string]json.RawMessage `json:"numbers"`
		} `json:"main"`
	}
	if err := read(&symbols, numbers, "main", tag, "numbers.json"); err != nil {
		return e, err
	}
	n := symbols.Main[tag].Numbers
	var latin map[string]string
	if err := json.Unmarshal(n["symbols-numberSystem-latn"], &latin); err != nil {
		return e, err
	}
	e.decimal, e.group = latin["decimal"], latin["group"]
	var money struct {
		Main map[string]struct {
			Numbers struct {
				Currencies map[string]map[string]string `json:"currencies"`
			} `json:"numbers"`
		} `json:"main"`
	}
	if err := read(&money, numbers, "main", tag, "currencies.json"); err != nil {
		return e, err
	}
	for code, names := range money.Main[tag].Numbers.Currencies {
		var spellings []string
		for _, member := range sortedKeys(names) {
			if !strings.HasPrefix(member, "displayName") && !strings.HasPrefix(member, "symbol") {
				continue
			}
			spellings = add(spellings, names[member], strings.ToLower(code))
		}
		if len(spellings) > 0 || tag == "en" { // English lists every code
			e.currencies[code] = spellings
		}
	}
	var sizes struct {
		Main map[string]struct {
			Units map[string]json.RawMessage `json:"units"`
		} `json:"main"`
	}
	if err := read(&sizes, units, "main", tag, "units.json"); err != nil {
		return e, err
	}
	for _, width := range []string{"long", "short", "narrow"} {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(sizes.Main[tag].Units[width], &members); err != nil {
			return e, err
		}
		for _, id := range sortedKeys(members) {
			_, name, ok := strings.Cut(id, "-")
			if !ok || strings.HasPrefix(id, "power2") || strings.HasPrefix(id, "power3") ||
				strings.HasPrefix(id, "10p") || strings.HasPrefix(id, "1024p") || id == "times" || id == "coordinateUnit" {
				continue
			}
			var forms map[string]string
			if json.Unmarshal(members[id], &forms) != nil {
				continue
			}
			for _, member := range sortedKeys(forms) {
				if member == "displayName" || strings.HasPrefix(member, "unitPattern-count") {
					e.units[name] = keep(e.units[name], folded(forms[member]))
				}
			}
		}
	}
	for id, spellings := range e.units {
		slices.Sort(spellings)
		e.units[id] = slices.Compact(spellings)
	}
	return e, nil
}

var drop = strings.NewReplacer("{0}", "", "\u00a0", " ", "\u202f", " ", "\u200e", "", "\u200f", "", "\u061c", "")

// add folds a spelling and keeps it if it is one word other than the code.
func add(list []string, text, code string) []string {
	if text = folded(text); text == code || strings.Contains(text, " ") {
		return list
	}
	return keep(list, text)
}

func folded(text string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(drop.Replace(text)))), " ")
}

func keep(list []string, text string) []string {
	if text == "" || strings.ContainsAny(text, "{}") || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

func read(into any, parts ...string) error {
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
