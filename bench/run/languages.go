package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// language is a language whose queries are generated from the documents.
type language struct {
	tag    string // of the analysis
	name   string
	packed string // value of lang in the package descriptions
	script *unicode.RangeTable
	typos  bool // whether typos in the script affect single letters
}

// languages lists the languages to measure. Arabic and Hindi only have names of
// cities; Turkish has few documents.
var languages = []language{
	{"sv", "Swedish", "sv", unicode.Latin, true},
	{"de", "German", "de", unicode.Latin, true},
	{"fr", "French", "fr", unicode.Latin, true},
	{"es", "Spanish", "es", unicode.Latin, true},
	{"fi", "Finnish", "fi", unicode.Latin, true},
	{"ru", "Russian", "ru", unicode.Cyrillic, true},
	{"tr", "Turkish", "tr", unicode.Latin, true},
	{"ar", "Arabic", "", unicode.Arabic, true},
	{"hi", "Hindi", "", unicode.Devanagari, true},
	{"ja", "Japanese", "ja", unicode.Katakana, true},
	{"ko", "Korean", "ko", unicode.Hangul, true},
	{"zh", "Chinese", "zh_CN", unicode.Han, false},
}

func (l language) isSpaceless() bool { return l.tag == "ja" || l.tag == "zh" }

const queriesPerClass = 40

type textDocument struct {
	ID    string `json:"id"`
	Lang  string `json:"lang"`
	Title string `json:"title"`
	Body  string `json:"body"`
}

// readLanguage loads package descriptions and sentences of the language, or
// names of cities, and generates queries from them.
func readLanguage(o options, l language) (judgedSet, error) {
	s := judgedSet{name: l.name, language: l.tag, titles: []string{"title"}, prose: []string{"body"}}
	var documents []textDocument
	take := func(lang string) func([]byte) error {
		return func(line []byte) error {
			var d textDocument
			err := json.Unmarshal(line, &d)
			if err == nil && d.Lang == lang {
				documents = append(documents, d)
			}
			return err
		}
	}
	var err error
	if l.packed == "" {
		documents, err = cities(o, l)
	} else if err = readPacked(filepath.Join(o.data, "multilingual_debian.ndjson.zst"), take(l.packed)); err == nil {
		err = readPacked(filepath.Join(o.data, "multilingual_europarl.ndjson.zst"), take(l.tag))
	}
	if err != nil {
		return s, err
	}
	for _, d := range documents {
		if err := s.add(map[string]any{"id": d.ID, "title": d.Title, "body": d.Body}); err != nil {
			return s, err
		}
	}
	inflected, err := readInflected(l)
	s.queries = slices.Concat(makeQueries(l, documents), makeQuestions(l, documents), inflected)
	return s, err
}

// cities returns documents with names in a script: the first name as the title,
// the others as the body.
func cities(o options, l language) ([]textDocument, error) {
	var documents []textDocument
	err := readPacked(filepath.Join(o.data, "geo_world_cities_alt.ndjson.zst"), func(line []byte) error {
		var city struct {
			ID             json.RawMessage `json:"id"`
			AlternateNames []string        `json:"alternatenames"`
		}
		if err := json.Unmarshal(line, &city); err != nil {
			return err
		}
		var names []string
		for _, name := range city.AlternateNames {
			if found := wordsOf(l, name); len(found) > 0 && strings.Join(found, " ") == strings.ToLower(name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			documents = append(documents, textDocument{ID: "city-" + strings.Trim(string(city.ID), `"`), Title: names[0], Body: strings.Join(names[1:], "\n")})
		}
		return nil
	})
	return documents, err
}

// wordsOf returns the words of a text in the script of the language, in lower
// case: runs of letters and their marks. In languages without spaces, a run of
// one script counts as a word; in Chinese the most common particle and
// conjunctions end it, so that it begins and ends with a word.
func wordsOf(l language, text string) []string {
	var found []string
	var word []rune
	end := func() {
		if len(word) >= 2 {
			found = append(found, string(word))
		}
		word = nil
	}
	for _, c := range strings.ToLower(norm.NFC.String(text)) {
		isOurs := unicode.Is(l.script, c) && (unicode.IsLetter(c) || unicode.IsMark(c)) || c == 'ー' && l.tag == "ja"
		isOurs = isOurs || unicode.IsMark(c) && len(word) > 0
		if !isOurs {
			end()
			continue
		}
		if l.tag == "zh" && strings.ContainsRune("的和与及或", c) {
			end()
			continue
		}
		word = append(word, c)
	}
	end()
	return found
}

// holders knows which documents contain a word.
type holders struct {
	language language
	texts    []string   // lower-cased
	words    [][]string // of each document, sorted and unique
	counts   map[string]int
}

func holdersOf(l language, documents []textDocument) holders {
	h := holders{language: l, counts: map[string]int{}}
	for _, d := range documents {
		text := strings.ToLower(norm.NFC.String(d.Title + "\n" + d.Body))
		words := wordsOf(l, text)
		slices.Sort(words)
		words = slices.Compact(words)
		for _, w := range words {
			h.counts[w]++
		}
		h.texts, h.words = append(h.texts, text), append(h.words, words)
	}
	return h
}

// count counts the documents that contain all words or, with isStart, words
// that begin with them. In languages without spaces, a word may begin anywhere.
func (h holders) count(isStart bool, words ...string) int {
	if !isStart && len(words) == 1 && !h.language.isSpaceless() {
		return h.counts[words[0]]
	}
	count := 0
	for i := range h.texts {
		all := true
		for _, w := range words {
			all = all && h.holds(i, w, isStart)
		}
		if all {
			count++
		}
	}
	return count
}

func (h holders) holds(document int, word string, isStart bool) bool {
	if h.language.isSpaceless() {
		return strings.Contains(h.texts[document], word)
	}
	held := h.words[document]
	at, has := slices.BinarySearch(held, word)
	return has || isStart && at < len(held) && strings.HasPrefix(held[at], word)
}

// makeQueries generates queries with one correct answer each, in the same way
// as those for the English packages: two or three words of a title that no
// other document has together; a word of a single document, with one edit; the
// prefix of such a word that is not a prefix of a word in another document.
func makeQueries(l language, documents []textDocument) []judgedQuery {
	random := rand.New(rand.NewPCG(11, uint64(l.tag[0])<<8|uint64(l.tag[1])))
	h := holdersOf(l, documents)
	made := map[string][]judgedQuery{}
	add := func(class, text string, target int) {
		if len(made[class]) < queriesPerClass {
			id := documents[target].ID
			made[class] = append(made[class], judgedQuery{ID: fmt.Sprintf("%s-%s-%d", l.tag, class, len(made[class])), Class: class, Text: text, Target: id, grades: map[string]float64{id: 1}})
		}
	}
	for _, i := range random.Perm(len(documents)) {
		if min(len(made["known_item"]), len(made["typo_name"]), len(made["prefix_name"])) == queriesPerClass {
			break
		}
		from := documents[i].Title
		if from == "" {
			from = documents[i].Body // a sentence has no title
		}
		words := wordsOf(l, from)
		if text := knownItem(l, random, h, words); text != "" {
			add("known_item", text, i)
		}
		rare := slices.DeleteFunc(words, func(w string) bool { return letters(l, w) < shortest(l) || h.count(false, w) != 1 })
		if len(rare) == 0 {
			continue
		}
		word := rare[random.IntN(len(rare))]
		if wrong := misspell(l, random, word); l.typos && h.count(false, wrong) == 0 {
			add("typo_name", wrong, i)
		}
		runes := []rune(word)
		start := string(runes[:max(2, len(runes)*2/3)])
		if len(start) < len(word) && h.count(true, start) == 1 {
			add("prefix_name", start, i)
		}
	}
	return slices.Concat(made["known_item"], made["typo_name"], made["prefix_name"])
}

// knownItem picks words of a title, in order, that no other document has
// together, or "" if there are none.
func knownItem(l language, random *rand.Rand, h holders, words []string) string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return l.script == unicode.Latin && letters(l, w) < 3 })
	least := 2
	if l.packed == "" {
		least = 1 // names of cities have few words
	}
	if len(words) < least {
		return ""
	}
	places := random.Perm(len(words))[:min(3, len(words))]
	slices.Sort(places)
	var chosen []string
	for _, p := range places {
		chosen = append(chosen, words[p])
	}
	if h.count(false, chosen...) != 1 {
		return ""
	}
	return strings.Join(chosen, " ")
}

// letters counts what a person types: the jamo of Hangul, otherwise characters.
func letters(l language, word string) int {
	if l.tag == "ko" {
		word = norm.NFD.String(word)
	}
	return len([]rune(word))
}

// shortest is the minimum length of a word to misspell or truncate.
func shortest(l language) int {
	if l.tag == "zh" {
		return 3
	}
	return 5
}

// misspell makes one edit inside a word: it swaps two letters, removes one,
// doubles one, or replaces one with another letter of the word. Hangul is
// edited by jamo, as it is typed.
func misspell(l language, random *rand.Rand, word string) string {
	for range 20 {
		runes := []rune(word)
		if l.tag == "ko" {
			runes = []rune(norm.NFD.String(word))
		}
		i := 1 + random.IntN(len(runes)-2)
		switch random.IntN(4) {
		case 0:
			runes[i], runes[i+1] = runes[i+1], runes[i]
		case 1:
			runes = slices.Delete(runes, i, i+1)
		case 2:
			runes = slices.Insert(runes, i, runes[i])
		case 3:
			runes[i] = runes[random.IntN(len(runes))]
		}
		wrong := norm.NFC.String(string(runes))
		whole := l.tag != "ko" || len(wordsOf(l, wrong)) == 1 && !strings.ContainsFunc(wrong, func(c rune) bool { return c >= 0x1100 && c < 0x1200 })
		if wrong != word && whole {
			return wrong
		}
	}
	return word
}
