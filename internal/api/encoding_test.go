package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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
			body := newUnpackedBody(newBoundedBody(httptest.NewRecorder(), request, 10<<20), &c, encodingZstd, 10<<20)
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

// pipeWriter is the response to a request whose body comes through a pipe.
type pipeWriter struct {
	*httptest.ResponseRecorder
	body net.Conn
}

func (w pipeWriter) SetReadDeadline(at time.Time) error { return w.body.SetReadDeadline(at) }

// I20: while the windows of streams exceed a bound together, those are cut whose
// clients send little. A client that keeps sending is not, and nor is one whose
// decoder needs little.
func TestStreamsOfSlowClientsAreCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			c  codecs
			mu sync.Mutex
		)
		all := newReservations(2 * maxZstdWindow)
		ended := make(map[string]error)
		begin := func(name string, window byte) net.Conn {
			arriving, client := net.Pipe()
			request := httptest.NewRequest("POST", "/", arriving)
			body := newUnpackedBody(newBoundedBody(pipeWriter{httptest.NewRecorder(), arriving}, request, 0), &c, encodingZstd, 0)
			body.windows = all
			go func() {
				_, err := io.Copy(io.Discard, body)
				body.close()
				arriving.Close()
				mu.Lock()
				defer mu.Unlock()
				ended[name] = err
			}()
			fmt.Fprintf(client, "\x28\xb5\x2f\xfd\x00%c", window)
			return client
		}
		send := func(client net.Conn, length int, pause time.Duration) {
			head := length << 3 // of bytes as they are
			block := append([]byte{byte(head), byte(head >> 8), byte(head >> 16)}, strings.Repeat(" ", length)...)
			for range int(10 * time.Second / pause) {
				time.Sleep(pause)
				if _, err := client.Write(block); err != nil {
					return
				}
			}
			client.Close()
		}
		after := func(pause time.Duration) map[string]error {
			time.Sleep(pause)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return maps.Clone(ended)
		}
		const large, small = 'h', '0' // 8 MB and 64 kB
		defer begin("small", small).Close()
		defer begin("idle", large).Close()
		time.Sleep(time.Millisecond)
		go send(begin("sending", large), 20<<10, time.Second/2)
		go send(begin("trickling", large), 1, time.Second/10)
		if cut := after(2 * time.Second); len(cut) != 1 || !errors.Is(cut["idle"], problem.RequestBodyUnreadable) {
			t.Errorf("cut: %v, want the idle one", cut)
		}
		defer begin("another", large).Close()
		if cut := after(time.Second / 2); len(cut) != 2 || !errors.Is(cut["trickling"], problem.RequestBodyUnreadable) {
			t.Errorf("cut: %v, want the trickling one too", cut)
		}
		if cut := after(10 * time.Second); len(cut) != 3 || !errors.Is(cut["sending"], problem.RequestBodyEncodingInvalid) {
			t.Errorf("ended: %v, want the sending one too, whose client ends within a frame", cut)
		}
		if cut := after(progressTimeout); len(cut) != 5 || all.held != 0 {
			t.Errorf("ended: %v, %d bytes are left", cut, all.held)
		}
	})
}

// The window of a zstd body is known from the heads of its frames, however these
// arrive.
func TestFramesTellTheWindow(t *testing.T) {
	frame := func(window int, sum bool, text string) string {
		var out bytes.Buffer
		w, err := zstd.NewWriter(&out, zstd.WithWindowSize(window), zstd.WithEncoderCRC(sum), zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, half := range []string{text[:len(text)/2], text[len(text)/2:]} {
			if _, err := io.WriteString(w, half); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	const skipped = "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
	const single = "\x28\xb5\x2f\xfd\x20\x02\x11\x00\x00{}"
	long := prose(1 << 20)
	for _, c := range []struct {
		name, body string
		window     int64
	}{
		{"none", "", 0},
		{"one segment", single, 2},
		{"small", frame(64<<10, true, long), 64 << 10},
		{"large", frame(8<<20, false, long), 8 << 20},
		{"one byte, repeated", frame(1<<20, true, strings.Repeat(" ", 1<<20)), 1 << 20},
		{"several", skipped + frame(8<<20, true, long) + single + skipped + frame(64<<10, false, "{}"), 8 << 20},
	} {
		for _, length := range []int{1, 7, 4096, len(c.body) + 1} {
			var f frames
			for chunk := range slices.Chunk([]byte(c.body), length) {
				f.see(chunk)
			}
			if f.window != c.window || f.inFrame || f.skip > 0 || len(f.head) > 0 {
				t.Errorf("%s in pieces of %d: %+v, want a window of %d", c.name, length, f, c.window)
			}
		}
	}
	var f frames
	if f.see([]byte("no frame")); f.window != 0 {
		t.Errorf("something else has a window of %d", f.window)
	}
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
	streams := newReservations(maxReserved)
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
			body := newUnpackedBody(newBoundedBody(httptest.NewRecorder(), request, 0), &c, encoding, 4<<20)
			if isStream {
				body.windows = streams
			}
			text, err := io.ReadAll(body)
			if len(text) > 4<<20 {
				t.Errorf("%d bytes were read", len(text))
			}
			if err != nil && problem.All(err)[0].Code.Status() >= 500 {
				t.Errorf("%v", err)
			}
			texts[i], failures[i] = string(text), err
			if f := body.frames; isStream && isZstd && err == nil && (f.inFrame || f.skip > 0 || len(f.head) > 0) {
				t.Errorf("the body ends within a frame: %+v", f)
			}
			body.close()
		}
		if streams.held != 0 {
			t.Errorf("%d bytes are left", streams.held)
		}
		if (failures[0] == nil) != (failures[1] == nil) || failures[0] == nil && texts[0] != texts[1] {
			t.Errorf("%d bytes and %v as a whole, %d bytes and %v as a stream", len(texts[0]), failures[0], len(texts[1]), failures[1])
		}
	})
}
