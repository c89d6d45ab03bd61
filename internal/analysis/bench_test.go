//go:build unix

package analysis

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/locale"
)

func BenchmarkMatchingEnglish(b *testing.B) {
	c := chain(b, definition.MatchingChain(""), "en", Index)
	text := englishText()
	var buf Buffer
	c.Analyze(&buf, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		c.Analyze(&buf, text)
	}
}

func BenchmarkTokenizeAndNormalize(b *testing.B) {
	c := chain(b, definition.AutocompleteChain(), "en", Query)
	text := englishText()
	var buf Buffer
	c.Analyze(&buf, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		c.Analyze(&buf, text)
	}
}

// BenchmarkMatching analyses a text of every locale, in texts of a kilobyte:
// the sentences of testdata/locales repeated, or the file named after the
// locale in the folder ANALYSIS_TEXTS. Compounds are split if the word lists of
// this test contain their parts. MB/cpu-s measures processor time, so that the
// load of a busy machine matters less.
func BenchmarkMatching(b *testing.B) {
	builder := everything(b)
	for _, tag := range locale.Tags() {
		b.Run(tag, func(b *testing.B) {
			c, err := builder.Chain(definition.MatchingChain(""), tag, Index)
			if err != nil {
				b.Fatal(err)
			}
			text := localeText(b, tag)
			var parts []string
			for rest := text; rest != ""; {
				end := min(len(rest), 1000)
				for end < len(rest) && !utf8.RuneStart(rest[end]) {
					end++
				}
				parts, rest = append(parts, rest[:end]), rest[end:]
			}
			var buf Buffer
			c.Analyze(&buf, text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			b.ResetTimer()
			began := processorTime()
			for range b.N {
				for _, part := range parts {
					c.Analyze(&buf, part)
				}
			}
			b.ReportMetric(float64(len(text))*float64(b.N)/1e6/(processorTime()-began).Seconds(), "MB/cpu-s")
		})
	}
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func localeText(b *testing.B, tag string) string {
	if folder := os.Getenv("ANALYSIS_TEXTS"); folder != "" {
		text, err := os.ReadFile(folder + "/" + tag)
		if err == nil {
			return string(text)
		}
	}
	script, err := os.ReadFile("testdata/locales/" + tag + ".txt")
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.Split(string(script), "\n")
	return strings.Repeat(lines[2]+" ", 50)
}
