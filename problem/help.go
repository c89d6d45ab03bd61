package problem

import (
	"cmp"
	"slices"
	"strings"
)

// Advise replaces the remedy of the code by more specific help, and returns the
// problem.
func (p *Problem) Advise(help string) *Problem {
	p.help = help
	return p
}

// HasAdvice reports whether Advise gave the problem its own help.
func (p *Problem) HasAdvice() bool { return p.help != "" }

// Among records an unknown name and the names known in its context, so that Help
// can suggest the nearest. The caller must be allowed to see the known names; known
// is called only when help is rendered.
func (p *Problem) Among(given string, known func() []string) *Problem {
	p.given, p.known = given, known
	return p
}

// AmongNames is Among for a fixed list.
func (p *Problem) AmongNames(given string, known ...string) *Problem {
	return p.Among(given, func() []string { return known })
}

// Help returns what a caller can do about the problem: the remedy of the code with
// the arguments filled in and, for an unknown name, the nearest known ones.
func (p *Problem) Help() string {
	help := p.help
	if help == "" {
		help = p.render(p.Code.remedy)
	}
	if p.known == nil {
		return help
	}
	near := Nearest(p.given, p.known())
	if len(near) == 0 {
		return help
	}
	for i, name := range near {
		near[i] = "`" + name + "`"
	}
	last := len(near) - 1
	list := near[last]
	if last > 0 {
		list = strings.Join(near[:last], ", ") + " or " + list
	}
	return "Did you mean " + list + "? " + help
}

// render fills the arguments into a template. {path} is the path of the problem
// unless an argument has that name.
func (p *Problem) render(template string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		value, ok := p.Arguments[name]
		if !ok && name == "path" && p.Path != "" {
			value, ok = p.Path, true
		}
		if ok {
			out.WriteString(value)
			template = after
		} else {
			out.WriteString("{")
			template = rest
		}
	}
}

// Bounds of Nearest.
const (
	maxNearest     = 3
	maxNearestName = 64 // runes; longer names are not compared
)

// Nearest returns up to three of the known names that the given one was probably
// meant to be, nearest first: those within an edit distance of a third of its
// length (insertions, deletions, replacements and swaps of neighbours; case is
// ignored), those it abbreviates, and dotted names that end in it. For example
//
//	Nearest("titel", {"title", "year", "subtitle"}) = {"title"}
//	Nearest("sku", {"variants.sku", "id"}) = {"variants.sku"}
func Nearest(given string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	word := []rune(strings.ToLower(given))
	if len(word) == 0 || len(word) > maxNearestName {
		return nil
	}
	most := min(max(len(word)/3, 1), 3)
	var found []candidate
	for _, name := range known {
		other := []rune(strings.ToLower(name))
		distance := most + 1
		switch {
		case len(other) > maxNearestName:
			continue
		case abbreviates(string(word), string(other)):
			distance = most
		case abs(len(other)-len(word)) <= most:
			distance = editDistance(word, other)
		}
		if distance <= most {
			found = append(found, candidate{name, distance})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range found[:min(len(found), maxNearest)] {
		names = append(names, c.name)
	}
	return names
}

// abbreviates reports whether word has at least three letters and starts the name,
// or is the last part of a dotted name.
func abbreviates(word, name string) bool {
	return len(word) >= 3 && strings.HasPrefix(name, word) || strings.HasSuffix(name, "."+word)
}

// editDistance returns the optimal string alignment distance: the Levenshtein
// distance plus swaps of neighbours, where no swapped pair is edited again.
func editDistance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func abs(n int) int { return max(n, -n) }
