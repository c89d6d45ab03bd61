package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/load"
)

// progress shows the progress of a load: a bar that is redrawn on a terminal,
// separate lines elsewhere.
type progress struct {
	out        io.Writer
	isTerminal bool
	began      time.Time
	last       time.Time
	sizes      []int64 // of the files; 0 if unknown
	current    int
	isDrawn    bool
}

// Intervals between two updates of the bar, and between two lines.
const (
	drawEvery = 100 * time.Millisecond
	lineEvery = 10 * time.Second
)

func newProgress(out io.Writer, isTerminal bool, files []string) *progress {
	p := &progress{out: out, isTerminal: isTerminal, began: time.Now(), last: time.Now()}
	for _, name := range files {
		size := int64(0)
		if stat, err := os.Stat(name); err == nil && name != "-" {
			size = stat.Size()
		}
		p.sizes = append(p.sizes, size)
	}
	return p
}

func (p *progress) begin(file int) { p.current = file }

// moved shows the progress of the load.
func (p *progress) moved(source *load.Source, done load.Done) {
	every := lineEvery
	if p.isTerminal {
		every = drawEvery
	}
	if time.Since(p.last) < every {
		return
	}
	p.last = time.Now()
	text := p.describe(source.Read(), done)
	if !p.isTerminal {
		fmt.Fprintln(p.out, text)
		return
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s", text)
	p.isDrawn = true
}

// describe returns the completed share, a bar, the rate and the remaining time.
func (p *progress) describe(read int64, done load.Done) string {
	took := time.Since(p.began)
	rate := float64(done.Read) / max(took.Seconds(), 0.001)
	text := fmt.Sprintf("%s, %s per second", plural(done.Read, "row", "rows"), grouped(int(rate)))
	if done.Refused > 0 {
		text += fmt.Sprintf(", %s refused", grouped(done.Refused))
	}
	var before, all int64
	for i, size := range p.sizes {
		if size == 0 {
			return text
		}
		all += size
		if i < p.current {
			before += size
		}
	}
	share := min(1, float64(before+read)/float64(all))
	if share > 0.001 {
		remaining := time.Duration(float64(took) * (1 - share) / share)
		text += fmt.Sprintf(", %s left", remaining.Round(time.Second))
	}
	const width = 24
	filled := int(share * width)
	return fmt.Sprintf("%3.0f %% [%s%s] %s", 100*share, strings.Repeat("#", filled), strings.Repeat(".", width-filled), text)
}

// say prints a line above the bar.
func (p *progress) say(text string) {
	if p.isDrawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.isDrawn = false
	}
	fmt.Fprintln(p.out, printable(text))
}

// waits prints that the node is unavailable.
func (p *progress) waits(err error) {
	p.say(fmt.Sprintf("waiting for the node to respond: %v", err))
}

// end removes the bar.
func (p *progress) end() {
	if p.isDrawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.isDrawn = false
	}
}
