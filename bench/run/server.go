package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/quiresearch/quire/bench/wire"
)

// server is a running Quire server with its own directory.
type server struct {
	process *exec.Cmd
	url     string
	client  *http.Client
}

// startServer runs bin/quire on an empty directory and waits until it responds.
func startServer(o options) (*server, error) {
	directory, err := filepath.Abs(filepath.Join(o.work, "relevance-quire"))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(directory, 0o755)); err != nil {
		return nil, err
	}
	address, port, err := wire.FreeAddress()
	if err != nil {
		return nil, err
	}
	notes, err := os.Create(directory + ".server.txt")
	if err != nil {
		return nil, err
	}
	defer notes.Close()
	p := exec.Command("bin/quire", "serve", "--dev")
	p.Env = append(os.Environ(), "SERVICE_HTTP_PORT="+port, "SERVICE_STORAGE_LOCAL_DIRECTORY="+directory, "SERVICE_SEARCH_EVALUATION_MAX_SHARE=100")
	p.Stdout, p.Stderr = notes, notes
	if err := p.Start(); err != nil {
		return nil, err
	}
	s := &server{process: p, url: "http://" + address, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
	for range 3000 {
		if _, err := s.send(http.MethodGet, "/q/health/ready", "", nil); err == nil {
			return s, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.stop()
	return nil, errors.New("the server did not become ready; see " + notes.Name())
}

func (s *server) stop() {
	_ = s.process.Process.Signal(syscall.SIGTERM)
	_ = s.process.Wait()
}

func (s *server) send(method, path, kind string, body io.Reader) ([]byte, error) {
	return wire.Send(s.client, method, s.url, path, kind, body)
}

// load creates an index from a file of documents.
func (s *server) load(index, definition, file string) error {
	if _, err := s.send(http.MethodPut, "/v1alpha1/admin/indexes/"+index, "application/json", bytes.NewReader([]byte(definition))); err != nil {
		return err
	}
	documents, err := os.Open(file)
	if err != nil {
		return err
	}
	defer documents.Close()
	answer, err := s.send(http.MethodPost, "/v1alpha1/indexes/"+index+"/documents", "application/x-ndjson", documents)
	if err != nil {
		return err
	}
	var added struct {
		Failed []json.RawMessage `json:"failed"`
	}
	if err := json.Unmarshal(answer, &added); err == nil && len(added.Failed) > 0 {
		return fmt.Errorf("%d documents refused, the first: %s", len(added.Failed), added.Failed[0])
	}
	_, err = s.send(http.MethodPost, "/v1alpha1/admin/indexes/"+index+"/actions/commit", "application/json", nil)
	return err
}

// remove deletes an index and frees its resources.
func (s *server) remove(index string) error {
	_, err := s.send(http.MethodDelete, "/v1alpha1/admin/indexes/"+index, "", nil)
	return err
}

// sendJSON sends a JSON body and decodes the response into answer, if answer is
// not nil.
func (s *server) sendJSON(method, path string, body, answer any) error {
	request, err := json.Marshal(body)
	if err != nil {
		return err
	}
	text, err := s.send(method, path, "application/json", bytes.NewReader(request))
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(text, answer)
}
