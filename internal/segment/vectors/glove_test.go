package vectors

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// glove reads a file of the GloVe set from the directory in QUIRE_DATA, or skips
// the test.
func glove(t testing.TB, name string) []byte {
	t.Helper()
	dir := os.Getenv("QUIRE_DATA")
	if dir == "" {
		t.Skip("QUIRE_DATA names no directory of corpora")
	}
	packed, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Skip(err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(1<<28))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	data, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func halfRows(data []byte, dimensions int) [][]float32 {
	rows := make([][]float32, len(data)/2/dimensions)
	for i := range rows {
		row := make([]float32, dimensions)
		for j := range row {
			row[j] = half(binary.LittleEndian.Uint16(data[2*(i*dimensions+j):]))
		}
		rows[i] = row
	}
	return rows
}

func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	if exponent == 0 {
		return math.Float32frombits(sign) + float32(fraction)/(1<<24)*float32(1-2*int(h>>15))
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// TestGloveRecall prints recall@10 and queries per second on real word vectors, for
// each quantization and several breadths.
func TestGloveRecall(t *testing.T) {
	base := halfRows(glove(t, "glove100_120k.base.f16.zst"), 100)
	queries := halfRows(glove(t, "glove100_120k.query.f16.zst"), 100)
	truth := glove(t, "glove100_120k.gt100.i32.zst")
	for _, z := range []Quantization{None, Int8, Int4} {
		began := time.Now()
		data := writeColumn(t, Options{Dimensions: 100, Quantization: z}, base, 1, 2)
		t.Logf("quantization %d: built in %.1f s, %d MB", z, time.Since(began).Seconds(), len(data)>>20)
		r, err := Open(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, breadth := range []int{32, 64, 128, 0, 256} {
			found := 0.0
			began := time.Now()
			for i, q := range queries {
				hits, err := r.Search(context.Background(), Prepare(Cosine, q), 10, breadth, nil)
				if err != nil {
					t.Fatal(err)
				}
				want := make([]uint32, 10)
				for j := range want {
					want[j] = binary.LittleEndian.Uint32(truth[4*(100*i+j):])
				}
				found += recall(want, hits)
			}
			t.Logf("  breadth %3d: recall@10 %.4f, %.0f queries/s on one thread", breadth, found/float64(len(queries)), float64(len(queries))/time.Since(began).Seconds())
		}
	}
}
