package charfilter

import (
	"bytes"
	"html"
	"strings"
)

// HTMLStrip removes tags, comments, declarations and the content of scripts and
// styles, and decodes entities. A tag that begins or ends a block becomes a
// line break, so that the words on both sides stay apart; other tags are
// removed entirely, so that b<b>ol</b>d is one word.
type HTMLStrip struct{}

// blockTags end a line of text.
var blockTags = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`address article aside blockquote body br button canvas caption center col
		colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6
		head header hgroup hr html iframe legend li link main menu meta nav noframes noscript object ol optgroup option
		p pre search section select summary table tbody td template textarea tfoot th thead title tr track ul video audio`) {
		set[name] = true
	}
	return set
}()

var lineBreak = []byte("\n")

// Apply strips the text.
func (HTMLStrip) Apply(t *Text) {
	if bytes.IndexByte(t.current, '<') < 0 && bytes.IndexByte(t.current, '&') < 0 {
		return
	}
	t.begin()
	text := t.current
	var m markup
	for i := 0; i < len(text); {
		c := text[i]
		if c != '<' && c != '&' {
			i++
			continue
		}
		end, replacement := i, []byte(nil)
		if c == '&' {
			end, replacement = entity(text, i)
		} else {
			var name string
			end, name = m.find(text, i)
			if blockTags[name] {
				replacement = lineBreak
			}
		}
		if end == i {
			i++
			continue
		}
		t.copyTo(i)
		if !t.replaceTo(end, replacement) {
			break
		}
		i = end
	}
	t.finish()
}

// markup finds tags and similar constructs. It remembers which closing
// sequences no longer occur, so that a text full of openings without ends is
// read once.
type markup struct{ missing [4]bool }

// closings end markup other than tags.
var closings = [4]string{"-->", ">", "</script", "</style"}

// find returns the end of the markup that starts with the < at i, and the
// lower-case name of the tag. It returns i if there is none.
func (m *markup) find(text []byte, i int) (end int, name string) {
	rest := text[i+1:]
	switch {
	case bytes.HasPrefix(rest, []byte("!--")):
		return m.closing(text, i, i+4, 0)
	case bytes.HasPrefix(rest, []byte("![CDATA[")):
		return i + 9, "" // its content is text; the closing ]]> counts as punctuation
	case len(rest) > 0 && (rest[0] == '!' || rest[0] == '?'):
		return m.closing(text, i, i+2, 1)
	}
	j := i + 1
	closes := j < len(text) && text[j] == '/'
	if closes {
		j++
	}
	start := j
	for j < len(text) && (text[j]|0x20-'a' < 26 || j > start && (text[j]-'0' < 10 || text[j] == '-' || text[j] == ':')) {
		j++
	}
	if j == start {
		return i, "" // a < in the text
	}
	if j-start <= 16 {
		name = strings.ToLower(string(text[start:j]))
	}
	end = tagEnd(text, j)
	if end < 0 {
		return i, ""
	}
	if !closes && text[end-2] != '/' && (name == "script" || name == "style") {
		sign := 2
		if name == "style" {
			sign = 3
		}
		if content, _ := m.closing(text, -1, end, sign); content >= 0 {
			if tag := tagEnd(text, content); tag >= 0 {
				return tag, "p"
			}
		}
	}
	return end, name
}

// closing finds the end of a closing sequence after an offset. If there is
// none, it records that and returns none.
func (m *markup) closing(text []byte, none, from, sign int) (int, string) {
	if from <= len(text) && !m.missing[sign] {
		if at := indexFold(text[from:], closings[sign]); at >= 0 {
			return from + at + len(closings[sign]), ""
		}
		m.missing[sign] = true
	}
	return none, ""
}

// indexFold is bytes.Index ignoring the case of ASCII letters.
func indexFold(text []byte, sign string) int {
	for i := 0; ; i++ {
		at := bytes.IndexByte(text[min(i, len(text)):], sign[0])
		if at < 0 || i+at+len(sign) > len(text) {
			return -1
		}
		i += at
		if strings.EqualFold(string(text[i:i+len(sign)]), sign) {
			return i
		}
	}
}

// tagEnd returns the end of a tag whose name ended at j, skipping quoted
// attributes. It returns -1 if there is none.
func tagEnd(text []byte, j int) int {
	const longest = 1 << 16 // attributes of an inline image are long; anything longer is text
	quote := byte(0)
	for k := j; k < len(text) && k < j+longest; k++ {
		switch c := text[k]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && text[k-1] == '=':
			quote = c
		case c == '>':
			return k + 1
		case c == '<':
			return -1
		}
	}
	return -1
}

// entity decodes the entity that starts with the & at i. It returns i if there
// is none.
func entity(text []byte, i int) (end int, decoded []byte) {
	const longest = 33 // length of a named entity including & and ;
	limit := min(len(text), i+longest)
	for j := i + 1; j < limit; j++ {
		c := text[j]
		if c == ';' {
			source := string(text[i : j+1])
			if value := html.UnescapeString(source); value != source && !strings.HasSuffix(value, ";") {
				if value == "\u00a0" {
					value = " "
				}
				return j + 1, []byte(value)
			}
			return i, nil
		}
		if c|0x20-'a' >= 26 && c-'0' >= 10 && c != '#' {
			break
		}
	}
	return i, nil
}
