package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// plot draws the speed of each engine relative to the first, with a group of
// bars per class on a logarithmic axis.
func (r *report) plot() []byte {
	const (
		left, top, width = 150, 50, 620
		bar, gap         = 9, 8
		low, high        = -4.0, 5.0 // powers of two
	)
	others := r.engines[1:]
	group := bar*len(others) + gap
	height := top + group*len(r.rows) + 30
	colours := map[string]string{"quire": "#1f6feb", "tantivy": "#d29922", "bleve": "#8b949e", "quire-http": "#54aeff"}
	x := func(ratio float64) float64 {
		v := min(max(math.Log2(ratio), low), high)
		return left + (v-low)/(high-low)*width
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n", left+width+70, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/><text x="%d" y="16" font-size="13">Median speed relative to %s (right of 1 is faster)</text>`+"\n", left, html.EscapeString(r.engines[0].name))
	for i, e := range others {
		fmt.Fprintf(&b, `<rect x="%d" y="24" width="10" height="10" fill="%s"/><text x="%d" y="33">%s</text>`+"\n", left+i*110, colours[e.name], left+14+i*110, html.EscapeString(e.name))
	}
	for p := low; p <= high; p++ {
		stroke := "#ddd"
		if p == 0 {
			stroke = "#333"
		}
		at := x(math.Exp2(p))
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n", at, top-4, at, height-24, stroke, at, height-10, math.Exp2(p))
	}
	for i, row := range r.rows {
		y := top + i*group
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-8, y+group/2+2, html.EscapeString(row.class))
		for j, e := range others {
			ratio := row.base[j+1] / row.p50[j+1]
			from, to := x(1), x(ratio)
			fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, min(from, to), y+j*bar, math.Abs(to-from), bar-1, colours[e.name])
			if e.name == "quire" {
				fmt.Fprintf(&b, `<text x="%.1f" y="%d">%.2f</text>`, max(from, to)+3, y+j*bar+bar-1, ratio)
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
