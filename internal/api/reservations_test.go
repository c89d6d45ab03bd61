package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestLongResponsesThatNobodyReadsAreCut checks which responses are cut: none below the
// bound, and above it only those without progress, the least recently read first.
func TestLongResponsesThatNobodyReadsAreCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newReservations(3 * leastReserved)
		var cut []string
		begin := func(name string) *reservation {
			return m.reserve(leastReserved, func() error { cut = append(cut, name); return nil })
		}
		first := begin("first")
		time.Sleep(time.Hour)
		second := begin("second")
		third := begin("third")
		time.Sleep(time.Hour)
		if len(cut) > 0 {
			t.Fatalf("%v are cut below the bound", cut)
		}
		if !m.moved(second) {
			t.Error("the second is cut")
		}
		fourth := begin("fourth")
		if len(cut) != 1 || cut[0] != "first" || m.moved(first) {
			t.Fatalf("%v are cut, want the first", cut)
		}
		m.release(first)
		fifth := begin("fifth") // the third was read less recently than the second
		if len(cut) != 2 || cut[1] != "third" {
			t.Fatalf("%v are cut, want the third too", cut)
		}
		m.release(third)
		sixth := begin("sixth") // the others have just begun or were just read
		for range 10 {
			time.Sleep(progressLimit / 2)
			for _, s := range []*reservation{second, fourth, fifth} {
				if !m.moved(s) {
					t.Error("a response that is read is cut")
				}
			}
			synctest.Wait()
		}
		if len(cut) != 3 || cut[2] != "sixth" || m.moved(sixth) {
			t.Errorf("%v are cut, want the sixth too", cut)
		}
		for _, s := range []*reservation{second, fourth, fifth, sixth} {
			m.release(s)
		}
		if m.held != 0 || len(m.all) != 0 {
			t.Errorf("%d bytes of %d responses are left", m.held, len(m.all))
		}
	})
}

// slowWriter lets a response be cut after its first chunk.
type slowWriter struct {
	deadlineRecorder
	written func()
}

func (w *slowWriter) Write(p []byte) (int, error) {
	w.written()
	if !w.write.IsZero() && w.write.Before(time.Now()) {
		return 0, http.ErrHandlerTimeout
	}
	return w.deadlineRecorder.Write(p)
}

// TestACutResponseStaysCut checks that sending the next chunk does not extend the
// deadline of a cut response.
func TestACutResponseStaysCut(t *testing.T) {
	m := newReservations(0)
	client := &slowWriter{deadlineRecorder: deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}}
	w := newTrackedWriter(client, httptest.NewRequest("GET", "/", nil))
	chunks := 0
	client.written = func() {
		if chunks++; chunks == 2 {
			m.mu.Lock()
			for s := range m.all {
				s.movedAt = time.Now().Add(-time.Hour)
			}
			m.shed()
			m.mu.Unlock()
		}
	}
	body := make([]byte, 8*writeChunk)
	n, err := w.sendLong(m, body)
	if err == nil || chunks != 2 || n != writeChunk {
		t.Errorf("%d bytes in %d chunks, error %v", n, chunks, err)
	}
	if len(m.all) != 0 || m.held != 0 {
		t.Errorf("%d bytes are left", m.held)
	}
}
