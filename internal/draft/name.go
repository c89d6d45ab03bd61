package draft

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fieldNames assigns a valid and unique field name to every member.
type fieldNames struct{ taken map[string]bool }

// name returns the field name closest to a member's name, using letters, digits
// and _. Names in other scripts become column_3 and the like.
func (f *fieldNames) name(member string, position int) string {
	name := spell(member)
	if name == "" {
		name = "column_" + strconv.Itoa(position+1)
	}
	unique := name
	for n := 2; f.taken[unique]; n++ {
		unique = name + "_" + strconv.Itoa(n)
	}
	f.taken[unique] = true
	return unique
}

// FieldName returns a valid field name for a member: its own name, or a similar
// one.
func FieldName(member string) string {
	if isFieldName(member) {
		return member
	}
	if name := spell(member); name != "" {
		return name
	}
	return "column"
}

func isFieldName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return name != ""
}

var spelled = strings.NewReplacer("ß", "ss", "æ", "ae", "ø", "o", "đ", "d", "ł", "l", "œ", "oe", "ð", "d", "þ", "th", "ı", "i", "&", " and ", "%", " percent ", "€", " eur ", "$", " usd ", "£", " gbp ")

// spell writes a name with lower-case letters a to z, digits and single
// underscores.
func spell(name string) string {
	var out strings.Builder
	gap := false
	for _, r := range norm.NFD.String(spelled.Replace(strings.ToLower(name))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if gap && out.Len() > 0 {
				out.WriteByte('_')
			}
			gap = false
			out.WriteRune(r)
		case !unicode.IsMark(r):
			gap = true
		}
	}
	return out.String()
}

// words splits a name into its words, in lower case: productName, product_name
// and "Product name" give product and name.
func words(name string) []string {
	var out strings.Builder
	wasLower := false
	for _, r := range name {
		if unicode.IsUpper(r) && wasLower {
			out.WriteByte(' ')
		}
		wasLower = unicode.IsLower(r) || unicode.IsDigit(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(out.String())
}
