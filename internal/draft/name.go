package draft

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fieldNames gives every member a valid and different field name.
type fieldNames struct{ taken map[string]bool }

// name returns the letters, digits and _ that come closest to a member's name.
// Names of other scripts become column_3.
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

// FieldName returns a valid field name for a member: its own, or one close to it.
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

// spell writes a name in lower case with letters a to z, digits and single _.
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

// words cuts a name into its words, in lower case: productName, product_name and
// "Product name" are product and name.
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

// Names of members that say what they hold, best first. Those of the commonest
// languages of data files are among them.
var (
	keyNames   = []string{"id", "key", "uuid", "guid", "identifier", "primarykey", "sku", "isbn", "ean", "gtin", "asin", "slug", "handle", "code", "nr", "number", "artikelnummer", "index"}
	titleNames = []string{"title", "name", "headline", "subject", "titel", "titre", "titulo", "título", "titolo", "label", "caption", "bezeichnung", "produktname", "nom", "nombre", "nome", "navn", "namn", "naam", "nazwa", "название", "heading", "product"}
	proseNames = []string{"description", "body", "text", "content", "summary", "abstract", "beschreibung", "descripcion", "descripción", "descrizione", "comment", "comments", "notes", "review", "overview", "bio", "plot", "message", "details"}
	tagNames   = []string{"tags", "tag", "keywords", "categories", "category", "genres", "genre", "labels", "colors", "colours", "languages", "ingredients", "topics", "features", "schlagworte", "sizes", "countries", "authors", "actors", "brand", "brands", "kategorie", "kategorien"}
	codeNames  = []string{"zip", "zipcode", "postcode", "postal", "plz", "phone", "telephone", "telefon", "tel", "fax", "mobile", "ean", "isbn", "gtin", "upc", "sku", "asin", "iban", "code", "vat", "ssn", "barcode", "hash", "sha", "sha1", "sha256", "md5", "email", "mail", "version", "serial", "mpn", "ip", "uuid", "guid", "id"}
	timeNames  = []string{"date", "time", "timestamp", "ts", "at", "created", "updated", "modified", "published", "on", "epoch", "datum", "released", "since", "until", "expires", "birthday", "start", "end"}
	pathNames  = []string{"path", "category", "categories", "taxonomy", "breadcrumb", "breadcrumbs", "hierarchy", "kategorie", "folder", "directory"}
	flagNames  = []string{"is", "has", "can", "flag", "enabled", "active", "available", "aktiv", "visible", "instock"}
)

// rank returns how early a list names the member: 0 is first, and the length of
// the list when it does not. The whole name counts more than its last word.
func rank(name string, list []string) int {
	all := words(name)
	if len(all) == 0 {
		return 2 * len(list)
	}
	if at := slices.Index(list, strings.Join(all, "")); at >= 0 {
		return at
	}
	if at := slices.Index(list, all[len(all)-1]); at >= 0 {
		return len(list) + at
	}
	return 2 * len(list)
}

func isNamed(name string, list []string) bool { return rank(name, list) < 2*len(list) }

// hasWord reports whether any word of the name is in the list.
func hasWord(name string, list []string) bool {
	return slices.ContainsFunc(words(name), func(word string) bool { return slices.Contains(list, word) })
}
