package api

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/problem"
)

// packed compresses a text.
func packed(t testing.TB, text, encoding string) string {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if encoding == encodingZstd {
		encoder, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w = encoder
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// unpacked decompresses a text.
func unpacked(t testing.TB, text, encoding string) string {
	t.Helper()
	var r io.Reader
	var err error
	if encoding == encodingZstd {
		r, err = zstd.NewReader(strings.NewReader(text))
	} else {
		r, err = gzip.NewReader(strings.NewReader(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// The limit of a body applies to its unpacked size, and a decompression bomb is
// refused long before that, even in a stream without any other limit.
func TestCompressedBodiesAreBounded(t *testing.T) {
	const limit = 1 << 20
	server, _ := serveRoutes(t, Options{MaxBodySize: limit}, echo("PUT"))
	at := server.URL + "/v1alpha1/indexes/books/echo/a"
	for _, encoding := range []string{encodingGzip, encodingZstd} {
		for _, c := range []struct {
			name, body string
			status     int
			code       *problem.Code
		}{
			{"at the bound", packed(t, prose(limit), encoding), 200, nil},
			{"above the bound", packed(t, prose(limit+1), encoding), 413, problem.RequestBodyTooLarge},
			{"two parts", packed(t, "{", encoding) + packed(t, "}", encoding), 200, nil},
			{"cut short", packed(t, prose(1000), encoding)[:200], 400, problem.RequestBodyEncodingInvalid},
			{"followed by more", packed(t, "{}", encoding) + "more", 400, problem.RequestBodyEncodingInvalid},
			{"not compressed", "{}", 400, problem.RequestBodyEncodingInvalid},
		} {
			status, _, answer := ask(t, "PUT", at, c.body, "Content-Encoding", encoding)
			if status != c.status || c.code != nil && code(t, answer) != c.code.Name() {
				t.Errorf("%s %s: %d %.200s", encoding, c.name, status, answer)
			}
		}
	}

	s := serveDocuments(t, `{"fields":{"id":{"type":"string","role":"id"}}}`, Options{MaxBodySize: limit})
	for _, encoding := range []string{encodingGzip, encodingZstd} {
		body := packed(t, strings.Repeat(`{"id":"1"}`+"\n", 10_000_000), encoding)
		status, _, answer := ask(t, "POST", s.url, body, "Content-Encoding", encoding, "Content-Type", mediaNDJSON)
		if status != 413 || code(t, answer) != problem.RequestBodyRatioOutOfRange.Name() {
			t.Errorf("a bomb of %d bytes in %s: %d %s", len(body), encoding, status, answer)
		}
	}
}

// I24: while a compressed body arrives, it holds no more memory than its client has
// sent, whatever window it asks for.
func TestArrivingCompressedBodiesHoldWhatWasSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients = 20
		var c codecs
		before := heap()
		for range clients {
			arriving, client := io.Pipe()
			request := httptest.NewRequest("PUT", "/", arriving)
			body := newUnpackedBody(newBoundedBody(httptest.NewRecorder(), request, 10<<20), &c, encodingZstd, 10<<20, false)
			go func() {
				if text, err := io.ReadAll(body); string(text) != "{" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
			}()
			// A frame with a window of 8 MB, and a last block of one byte.
			frame := "\x28\xb5\x2f\xfd\x00\x68\x08\x00\x00{" + "\x01\x00\x00"
			if _, err := io.WriteString(client, frame); err != nil {
				t.Fatal(err)
			}
			defer client.Close()
		}
		synctest.Wait()
		if held := heap() - before; held > clients<<20 {
			t.Errorf("%d clients that sent a few bytes each hold %d MB", clients, held>>20)
		}
	})
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// prose returns text that compresses like prose.
func prose(length int) string {
	var text strings.Builder
	for i := 0; text.Len() < length; i++ {
		fmt.Fprintf(&text, "word%d ", i*7919%100003)
	}
	return text.String()[:length]
}

func TestLongAnswersAreCompressedWhenAsked(t *testing.T) {
	s := serveDocuments(t, `{"fields":{"id":{"type":"string","role":"id"},"text":{"type":"string","stored":true}}}`, Options{})
	for i := range 40 {
		s.expect("PUT", fmt.Sprintf("/%d", i), `{"text":"`+prose(100)+`"}`, 204, "")
	}
	s.commit()
	plainStatus, plainHeader, plain := ask(t, "GET", s.url, "", "Accept-Encoding", "identity")
	if plainStatus != 200 || plainHeader.Get("Content-Encoding") != "" || plainHeader.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%d %v", plainStatus, plainHeader)
	}
	for _, c := range []struct{ accept, media, want string }{
		{"gzip", mediaJSON, "gzip"},
		{"gzip, zstd, br", mediaJSON, "zstd"},
		{"zstd;q=0.5, gzip", mediaJSON, "gzip"},
		{"br", mediaJSON, ""},
		{"gzip;q=0", mediaJSON, ""},
		{"gzip", mediaNDJSON, "gzip"},
		{"zstd", mediaNDJSON, "zstd"},
	} {
		_, header, answer := ask(t, "GET", s.url, "", "Accept-Encoding", c.accept, "Accept", c.media)
		if header.Get("Content-Encoding") != c.want {
			t.Errorf("%s: %q", c.accept, header.Get("Content-Encoding"))
			continue
		}
		if c.want != "" {
			if len(answer) > len(plain)/2 {
				t.Errorf("%s: %d of %d bytes", c.want, len(answer), len(plain))
			}
			answer = unpacked(t, answer, c.want)
		}
		if c.media == mediaJSON && answer != plain || strings.Count(answer, `"text"`) != 40 {
			t.Errorf("%s as %s: another answer", c.accept, c.media)
		}
	}
	// Short and versioned responses are not compressed.
	for _, url := range []string{s.url + "/1", s.admin} {
		_, header, _ := ask(t, "GET", url, "", "Accept-Encoding", "gzip")
		if header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed", url)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte(packed(f, "{}", encodingGzip)), false)
	f.Add([]byte(packed(f, "{}", encodingZstd)), true)
	var c codecs
	f.Fuzz(func(t *testing.T, data []byte, isZstd bool) {
		encoding := encodingGzip
		if isZstd {
			encoding = encodingZstd
		}
		var texts [2]string
		var failures [2]error
		for i, isStream := range []bool{false, true} {
			request, err := http.NewRequest("POST", "/", bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			body := newUnpackedBody(newBoundedBody(httptest.NewRecorder(), request, 0), &c, encoding, 4<<20, isStream)
			defer body.close()
			text, err := io.ReadAll(body)
			if len(text) > 4<<20 {
				t.Errorf("%d bytes were read", len(text))
			}
			if err != nil && problem.All(err)[0].Code.Status() >= 500 {
				t.Errorf("%v", err)
			}
			texts[i], failures[i] = string(text), err
		}
		if (failures[0] == nil) != (failures[1] == nil) || failures[0] == nil && texts[0] != texts[1] {
			t.Errorf("%d bytes and %v as a whole, %d bytes and %v as a stream", len(texts[0]), failures[0], len(texts[1]), failures[1])
		}
	})
}
