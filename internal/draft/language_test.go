package draft

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestCorpora prints the share of texts in public corpora whose language is
// detected. LANGUAGE_TEXTS names a folder of *.ndjson.zst files whose lines
// have lang, title and body.
func TestCorpora(t *testing.T) {
	folder := os.Getenv("LANGUAGE_TEXTS")
	if folder == "" {
		t.Skip("LANGUAGE_TEXTS names no folder")
	}
	files, err := filepath.Glob(filepath.Join(folder, "multilingual_*.ndjson.zst"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		right, wrong := map[string]int{}, map[string]map[string]int{}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := zstd.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(unpacked)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var d struct{ Lang, Title, Body string }
			if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
				t.Fatal(err)
			}
			want, _, _ := strings.Cut(d.Lang, "_")
			if d.Lang == "zh_TW" {
				want = "zh-Hant"
			}
			got := language(d.Title + ". " + d.Body).tag
			if got == want {
				right[want]++
				continue
			}
			if wrong[want] == nil {
				wrong[want] = map[string]int{}
			}
			wrong[want][got]++
		}
		file.Close()
		tags := make([]string, 0)
		for tag := range right {
			tags = append(tags, tag)
		}
		sort.Strings(tags)
		all, total := 0, 0
		for _, tag := range tags {
			n := right[tag]
			for _, m := range wrong[tag] {
				n += m
			}
			all, total = all+right[tag], total+n
			t.Logf("%s %5.1f %% of %d %v", tag, 100*float64(right[tag])/float64(n), n, wrong[tag])
		}
		t.Logf("%s: %.1f %%", filepath.Base(name), 100*float64(all)/float64(total))
	}
}
