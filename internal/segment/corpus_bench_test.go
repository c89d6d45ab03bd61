//go:build linux

package segment

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/vfs"
)

// dataFile finds a corpus file below QUIRE_DATA, or in a directory shared/data
// beside one of the parents; without it the benchmark is skipped.
func dataFile(tb testing.TB, name string) string {
	if dir := os.Getenv("QUIRE_DATA"); dir != "" {
		return filepath.Join(dir, name)
	}
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "shared", "data", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	tb.Skip("no corpus: set QUIRE_DATA")
	return ""
}

// corpusTexts returns title and body of the first n commit messages.
func corpusTexts(tb testing.TB, n int) [][]byte {
	f, err := os.Open(dataFile(tb, "commits.ndjson.zst"))
	if err != nil {
		tb.Skip(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		tb.Fatal(err)
	}
	defer z.Close()
	in := bufio.NewScanner(z)
	in.Buffer(nil, 16<<20)
	var out [][]byte
	for len(out) < n && in.Scan() {
		line := in.Bytes()
		i := bytes.Index(line, []byte(`"title":"`))
		out = append(out, unescape(line[i+9:len(line)-1]))
	}
	return out
}

// unescape replaces the JSON escapes between title and body by characters that
// separate words for a tokenizer.
func unescape(b []byte) []byte {
	out := make([]byte, 0, len(b))
	b = bytes.Replace(b, []byte(`","body":"`), []byte("\n"), 1)
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'u':
			if i+4 < len(b) {
				v, _ := strconv.ParseUint(string(b[i+1:i+5]), 16, 32)
				out = utf8.AppendRune(out, rune(v))
				i += 4
			}
		case '"', '\\', '/':
			out = append(out, b[i])
		default:
			out = append(out, ' ')
		}
	}
	return out
}

// tokenize calls do with the lower-cased runs of letters and digits.
func tokenize(text, buf []byte, do func(term []byte, position uint32)) (n uint32, kept []byte) {
	buf = buf[:0]
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
				buf = append(buf, c)
				continue
			case 'A' <= c && c <= 'Z':
				buf = append(buf, c|0x20)
				continue
			}
		} else {
			r, size := utf8.DecodeRune(text[i:])
			i += size
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				buf = utf8.AppendRune(buf, unicode.ToLower(r))
				continue
			}
		}
		if len(buf) > 0 {
			do(buf, n)
			n++
			buf = buf[:0]
		}
	}
	if len(buf) > 0 {
		do(buf, n)
		n++
	}
	return n, buf
}

func addCorpus(b *Builder, texts [][]byte) {
	f := b.Field(FieldOptions{Name: "text", Kind: Terms, Positions: true, Lengths: true})
	var buf []byte
	for _, text := range texts {
		b.StartDoc()
		var n uint32
		n, buf = tokenize(text, buf, func(term []byte, position uint32) { b.Term(f, term, position) })
		b.Length(f, n)
		b.EndDoc(true)
	}
}

// corpusDocs returns the number of documents that corpus benchmarks use.
func corpusDocs() int {
	if n, err := strconv.Atoi(os.Getenv("QUIRE_DOCS")); err == nil {
		return n
	}
	return 200_000
}

func BenchmarkCorpusBuild(b *testing.B) {
	texts := corpusTexts(b, corpusDocs())
	fs := vfs.OS(b.TempDir())
	var gather, write time.Duration
	var size, memory int64
	before := cpuTime()
	for i := 0; b.Loop(); i++ {
		builder := NewBuilder()
		start := time.Now()
		addCorpus(builder, texts)
		gather += time.Since(start)
		memory = builder.Bytes()
		start = time.Now()
		info, err := builder.Finish(fs, "segment"+strconv.Itoa(i))
		if err != nil {
			b.Fatal(err)
		}
		write += time.Since(start)
		size = info.Size
	}
	docs := float64(len(texts)) * float64(b.N)
	b.ReportMetric(docs/b.Elapsed().Seconds(), "docs/s")
	b.ReportMetric(docs/(cpuTime()-before).Seconds(), "docs/cpu-s")
	b.ReportMetric(gather.Seconds()/float64(b.N), "gather-s")
	b.ReportMetric(write.Seconds()/float64(b.N), "write-s")
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(float64(memory), "memory")
	if testing.Verbose() {
		Dump(os.Stdout, fs, "segment0")
	}
}

func BenchmarkCorpusMerge(b *testing.B) {
	texts := corpusTexts(b, corpusDocs())
	fs := vfs.OS(b.TempDir())
	var inputs []MergeInput
	var size int64
	for i := range 4 {
		builder := NewBuilder()
		addCorpus(builder, texts[i*len(texts)/4:(i+1)*len(texts)/4])
		name := "part" + strconv.Itoa(i)
		info, err := builder.Finish(fs, name)
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size
		r, err := Open(fs, name, blockfile.VerifyAll)
		if err != nil {
			b.Fatal(err)
		}
		defer r.Release()
		inputs = append(inputs, MergeInput{Reader: r})
	}
	before := cpuTime()
	for i := 0; b.Loop(); i++ {
		if _, _, err := Merge(context.Background(), fs, "merged"+strconv.Itoa(i), inputs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds()/1e6, "merged-MB/s")
	b.ReportMetric(float64(size)*float64(b.N)/(cpuTime()-before).Seconds()/1e6, "MB/cpu-s")
}

// cpu runs a benchmark and reports processor time per operation, which other work
// on the machine disturbs less than wall time.
func cpu(b *testing.B, name string, run func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		before := cpuTime()
		run(b)
		b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
	})
}

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var used unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// corpusReader returns a segment of the corpus.
func corpusReader(b *testing.B) *Reader {
	fs := vfs.OS(b.TempDir())
	builder := NewBuilder()
	addCorpus(builder, corpusTexts(b, corpusDocs()))
	if _, err := builder.Finish(fs, "segment"); err != nil {
		b.Fatal(err)
	}
	r, err := Open(fs, "segment", blockfile.VerifyAll)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Release() })
	return r
}

// corpusQueries returns the texts of one class of queries of the corpus.
func corpusQueries(b *testing.B, class string) [][]byte {
	data, err := os.ReadFile(dataFile(b, "commits.queries.jsonl"))
	if err != nil {
		b.Skip(err)
	}
	var out [][]byte
	for line := range bytes.Lines(data) {
		if bytes.Contains(line, []byte(`"class":"`+class+`"`)) {
			_, rest, _ := bytes.Cut(line, []byte(`"text":"`))
			text, _, _ := bytes.Cut(rest, []byte(`"`))
			text, _, _ = bytes.Cut(text, []byte("~"))
			out = append(out, text)
		}
	}
	return out
}

func BenchmarkCorpusRead(b *testing.B) {
	r := corpusReader(b)
	f := r.Terms("text")
	words := corpusQueries(b, "fuzzy1")
	for _, o := range []terms.FuzzyOptions{{Distance: 1}, {Distance: 1, PrefixLength: 1}, {Distance: 1, Open: true}, {Distance: 2}, {Distance: 2, PrefixLength: 1}} {
		cpu(b, fmt.Sprintf("fuzzy/%d-%d-%v", o.Distance, o.PrefixLength, o.Open), func(b *testing.B) {
			var found []terms.Match
			n := 0
			for i := 0; b.Loop(); i++ {
				found, _ = f.Fuzzy(found[:0], words[i%len(words)], o)
				n += len(found)
			}
			b.ReportMetric(float64(n)/float64(b.N), "found")
		})
	}
	cpu(b, "lookup", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(1, 1))
		keys := make([][]byte, 1024)
		for i := range keys {
			keys[i] = bytes.Clone(f.Term(rng.Uint32N(f.Len())))
		}
		for i := 0; b.Loop(); i++ {
			f.Lookup(keys[i&1023])
		}
	})
	high := corpusQueries(b, "term_high")
	var it postings.Iterator
	cpu(b, "decode", func(b *testing.B) {
		n := 0
		for i := 0; b.Loop(); i++ {
			e, _ := f.Lookup(high[i%len(high)])
			f.Iterator(&it, e)
			for it.NextBlock() {
				n += len(it.Docs()) + len(it.Freqs())
			}
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e9, "Gint/s")
	})
	cpu(b, "bits", func(b *testing.B) {
		n := 0
		words := make([]uint64, 64)
		for i := 0; b.Loop(); i++ {
			e, _ := f.Lookup(high[i%len(high)])
			f.Iterator(&it, e)
			for base := uint32(0); base < r.NumDocs(); base += 4096 {
				it.IntoBitset(words, base)
			}
			n += int(e.DocFreq)
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e9, "Gint/s")
	})
	cpu(b, "bounds", func(b *testing.B) {
		norms := new(benchNorms)
		for i := range norms {
			norms[i] = 0.3 + float32(terms.DecodeLength(byte(i)))/30
		}
		n := 0
		for i := 0; b.Loop(); i++ {
			e, _ := f.Lookup(high[i%len(high)])
			f.Iterator(&it, e)
			for it.NextBlock() {
				it.BlockMax(norms)
			}
			n += it.NumBlocks()
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(n), "ns/block")
	})
}

// benchNorms computes scores from length codes as BM25 does.
type benchNorms [256]float32

func (n *benchNorms) Part(frequency uint32, length uint8) float32 {
	return float32(frequency) / (float32(frequency) + n[length])
}

func (n *benchNorms) Small() []float32 { return nil }
