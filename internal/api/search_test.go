package api

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
)

var took = regexp.MustCompile(`"tookMs":[0-9.e-]+`)

// Concurrent responses reuse the memory of earlier ones and stay intact.
func TestAnswersBesideEachOtherAreWhole(t *testing.T) {
	s := serveDocuments(t, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{}}}}`, Options{})
	var documents strings.Builder
	for i := range 60 {
		fmt.Fprintf(&documents, `{"id":"%d","name":"every word%d %s"}`+"\n", i, i%6, strings.Repeat(fmt.Sprint("text", i, " "), 1+i*i*2))
	}
	if status, _, answer := ask(t, "POST", s.url, documents.String(), "Content-Type", ndjsonType); status != 200 {
		t.Fatal(answer)
	}
	if status, _, answer := ask(t, "POST", s.admin+"/actions/commit", "{}"); status != 200 {
		t.Fatal(answer)
	}
	url := strings.TrimSuffix(s.url, "documents") + "search"
	search := func(word, encoding string) (string, error) {
		body := fmt.Sprintf(`{"query":[{"type":"text","text":"%s","prefix":"off"}],"limit":20}`, word)
		request, err := http.NewRequest("POST", url, strings.NewReader(body))
		if err != nil {
			return "", err
		}
		request.Header.Set("Authorization", "Bearer "+rootKey)
		if encoding != "" { // set explicitly, the encoding is not removed by the client
			request.Header.Set("Accept-Encoding", encoding)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return took.ReplaceAllString(string(text), ""), err
	}
	words := []string{"word0", "word1", "word2", "word3", "word4", "word5", "every", "nothing"}
	var want []string
	for _, word := range words {
		answer, err := search(word, "identity")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, answer)
	}
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for i := range 40 {
				n := (g*3 + i) % len(words)
				got, err := search(words[n], []string{"", "identity"}[i%2])
				if err != nil || got != want[n] {
					t.Errorf("%s: %d bytes, not %d: %v", words[n], len(got), len(want[n]), err)
					return
				}
			}
		})
	}
	wait.Wait()
}
