// Package markdown converts the Markdown of this project's own documents to
// HTML: headings, paragraphs, lists, tables, code, images and links. It is not
// a general converter: constructs that the documents do not use, such as
// quotations and HTML, are output as text. Everything is escaped.
//
// HTML is pure and may be called by any number of goroutines.
package markdown

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
)

// HTML returns a document as HTML. It passes the addresses of links and images
// through link, which may rewrite them.
func HTML(source string, link func(address string) string) string {
	w := &writer{link: link}
	lines := strings.Split(strings.ReplaceAll(source, "\r\n", "\n"), "\n")
	for at := 0; at < len(lines); {
		at = w.block(lines, at)
	}
	return w.out.String()
}

// Title returns the first heading of a document, "" if there is none.
func Title(source string) string {
	for line := range strings.Lines(source) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(title)
		}
	}
	return ""
}

type writer struct {
	out  strings.Builder
	link func(string) string
}

var (
	heading  = regexp.MustCompile(`^(#{1,6}) +(.*)$`)
	bullet   = regexp.MustCompile(`^[-*] +(.*)$`)
	numbered = regexp.MustCompile(`^[0-9]+\. +(.*)$`)
	divider  = regexp.MustCompile(`^\|?[ :|-]+\|?$`)
)

// block writes the block that begins at a line and returns the line where the
// next one begins.
func (w *writer) block(lines []string, at int) int {
	line := lines[at]
	switch {
	case strings.TrimSpace(line) == "":
		return at + 1
	case strings.HasPrefix(line, "<!--"):
		for ; at < len(lines) && !strings.Contains(lines[at], "-->"); at++ {
		}
		return at + 1
	case strings.HasPrefix(line, "```"):
		return w.fence(lines, at+1)
	case strings.HasPrefix(line, "    "):
		return w.indented(lines, at)
	case heading.MatchString(line):
		parts := heading.FindStringSubmatch(line)
		fmt.Fprintf(&w.out, "<h%d id=\"%s\">%s</h%d>\n", len(parts[1]), anchor(parts[2]), w.inline(parts[2]), len(parts[1]))
		return at + 1
	case strings.HasPrefix(line, "|") && at+1 < len(lines) && divider.MatchString(lines[at+1]):
		return w.table(lines, at)
	case bullet.MatchString(line):
		return w.list(lines, at, bullet, "ul")
	case numbered.MatchString(line):
		return w.list(lines, at, numbered, "ol")
	}
	return w.paragraph(lines, at)
}

func (w *writer) fence(lines []string, at int) int {
	w.out.WriteString("<pre><code>")
	for ; at < len(lines) && !strings.HasPrefix(lines[at], "```"); at++ {
		w.out.WriteString(html.EscapeString(lines[at]) + "\n")
	}
	w.out.WriteString("</code></pre>\n")
	return at + 1
}

func (w *writer) indented(lines []string, at int) int {
	w.out.WriteString("<pre><code>")
	for ; at < len(lines) && strings.HasPrefix(lines[at], "    "); at++ {
		w.out.WriteString(html.EscapeString(lines[at][4:]) + "\n")
	}
	w.out.WriteString("</code></pre>\n")
	return at
}

func (w *writer) table(lines []string, at int) int {
	w.out.WriteString("<table>\n")
	for row := 0; at < len(lines) && strings.HasPrefix(lines[at], "|"); at, row = at+1, row+1 {
		if row == 1 {
			continue // the line between head and body
		}
		cell := "td"
		if row == 0 {
			cell = "th"
		}
		w.out.WriteString("<tr>")
		for _, text := range cells(lines[at]) {
			fmt.Fprintf(&w.out, "<%s>%s</%s>", cell, w.inline(text), cell)
		}
		w.out.WriteString("</tr>\n")
	}
	w.out.WriteString("</table>\n")
	return at
}

// cells splits a row at its bars; an escaped bar is text.
func cells(row string) []string {
	row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
	const kept = "\x00"
	var found []string
	for text := range strings.SplitSeq(strings.ReplaceAll(row, `\|`, kept), "|") {
		found = append(found, strings.ReplaceAll(strings.TrimSpace(text), kept, "|"))
	}
	return found
}

// list writes items; an indented line continues the item.
func (w *writer) list(lines []string, at int, item *regexp.Regexp, tag string) int {
	fmt.Fprintf(&w.out, "<%s>\n", tag)
	for at < len(lines) && item.MatchString(lines[at]) {
		text := item.FindStringSubmatch(lines[at])[1]
		for at++; at < len(lines) && strings.HasPrefix(lines[at], "  ") && strings.TrimSpace(lines[at]) != ""; at++ {
			text += " " + strings.TrimSpace(lines[at])
		}
		fmt.Fprintf(&w.out, "<li>%s</li>\n", w.inline(text))
	}
	fmt.Fprintf(&w.out, "</%s>\n", tag)
	return at
}

func (w *writer) paragraph(lines []string, at int) int {
	var text []string
	for ; at < len(lines) && isText(lines[at]); at++ {
		text = append(text, strings.TrimSpace(lines[at]))
	}
	if len(text) == 0 { // a line that only resembles a block
		text, at = append(text, lines[at]), at+1
	}
	fmt.Fprintf(&w.out, "<p>%s</p>\n", w.inline(strings.Join(text, "\n")))
	return at
}

func isText(line string) bool {
	return strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "|") &&
		!heading.MatchString(line) && !bullet.MatchString(line) && !numbered.MatchString(line)
}

// token matches inline elements, in order of precedence: code, an image, a
// link, an address, strong and emphasized text.
var token = regexp.MustCompile("`([^`]+)`" + `|!\[([^\]]*)\]\(([^)\s]+)\)|\[([^\]]+)\]\(([^)\s]+)\)|<(https?://[^>\s]+)>|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*`)

func (w *writer) inline(text string) string {
	var out strings.Builder
	for {
		at := token.FindStringSubmatchIndex(text)
		if at == nil {
			out.WriteString(html.EscapeString(text))
			return out.String()
		}
		out.WriteString(html.EscapeString(text[:at[0]]))
		group := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return text[at[2*n]:at[2*n+1]]
		}
		switch {
		case at[2] >= 0:
			out.WriteString("<code>" + html.EscapeString(group(1)) + "</code>")
		case at[6] >= 0:
			fmt.Fprintf(&out, `<img src="%s" alt="%s">`, html.EscapeString(w.link(group(3))), html.EscapeString(group(2)))
		case at[10] >= 0:
			fmt.Fprintf(&out, `<a href="%s">%s</a>`, html.EscapeString(w.link(group(5))), w.inline(group(4)))
		case at[12] >= 0:
			fmt.Fprintf(&out, `<a href="%s">%s</a>`, html.EscapeString(group(6)), html.EscapeString(group(6)))
		case at[14] >= 0:
			out.WriteString("<strong>" + w.inline(group(7)) + "</strong>")
		default:
			out.WriteString("<em>" + w.inline(group(8)) + "</em>")
		}
		text = text[at[1]:]
	}
}

// anchor returns the name used in links to a heading.
func anchor(text string) string {
	var name strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			name.WriteRune(r)
		case r == ' ':
			name.WriteByte('-')
		}
	}
	return name.String()
}
