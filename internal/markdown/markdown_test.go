package markdown

import (
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	link := func(address string) string { return strings.Replace(address, ".md", ".html", 1) }
	for _, c := range []struct{ source, want string }{
		{"# A *title*\n", `<h1 id="a-title">A <em>title</em></h1>`},
		{"One\ntwo.\n\nThree.", "<p>One\ntwo.</p>\n<p>Three.</p>"},
		{"- a\n  b\n- c", "<ul>\n<li>a b</li>\n<li>c</li>\n</ul>"},
		{"1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"```sh file\na < b\n```\nx", "<pre><code>a &lt; b\n</code></pre>\n<p>x</p>"},
		{"    indented\n      more", "<pre><code>indented\n  more\n</code></pre>"},
		{"| a | b \\| c |\n|---|---|\n| `x|y` | 2 |", "<table>\n<tr><th>a</th><th>b | c</th></tr>\n<tr><td>`x</td><td>y`</td><td>2</td></tr>\n</table>"},
		{"See [a `page`](x.md#y), <https://example.org> and **this**.", `<p>See <a href="x.html#y">a <code>page</code></a>, <a href="https://example.org">https://example.org</a> and <strong>this</strong>.</p>`},
		{"![A picture](p.png)", `<p><img src="p.png" alt="A picture"></p>`},
		{"<!-- a\nremark -->\ntext", "<p>text</p>"},
		{"<script>alert(1)</script> [x](\"onclick=)", `<p>&lt;script&gt;alert(1)&lt;/script&gt; <a href="&#34;onclick=">x</a></p>`},
		{"| no table", "<p>| no table</p>"},
	} {
		if got := strings.TrimSpace(HTML(c.source, link)); got != c.want {
			t.Errorf("%q: got\n%s\nwant\n%s", c.source, got, c.want)
		}
	}
	if got := Title("x\n# The title\n"); got != "The title" {
		t.Errorf("title %q", got)
	}
}

// Any text terminates and yields HTML without tags of its own.
func FuzzHTML(f *testing.F) {
	f.Add("# a\n\n- b\n\n|a|\n|-|\n```\n")
	f.Fuzz(func(t *testing.T, source string) {
		if strings.Contains(HTML(source, func(address string) string { return address }), "<script") {
			t.Errorf("%q", source)
		}
	})
}
