package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/internal/config"
	"github.com/quiresearch/quire/internal/script/steps"
	"github.com/quiresearch/quire/internal/server"
)

// rootKey is the root key of the nodes that scripts run against.
const rootKey = "script-root-key-of-24-b."

// Node is a node in this process.
type Node struct {
	base  string
	stop  context.CancelFunc
	ended chan error
	saved map[string]string
	files string // directory of body files
}

// Start runs a node on a directory and a free port. Variables are added to its
// environment.
func Start(ctx context.Context, directory string, variables ...string) (*Node, error) {
	loaded, err := config.Load(append([]string{
		"SERVICE_STORAGE_LOCAL_DIRECTORY=" + directory, "SERVICE_AUTH_ROOT_KEY=" + rootKey,
		"SERVICE_HTTP_HOST=127.0.0.1", "SERVICE_HTTP_PORT=0", "SERVICE_INDEXES_COMMIT_MAX_INTERVAL=0",
	}, variables...), false)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	n := &Node{stop: stop, ended: make(chan error, 1), saved: make(map[string]string)}
	listening := make(chan net.Addr, 1)
	go func() {
		n.ended <- server.Run(running, loaded, slog.New(slog.DiscardHandler), func(address net.Addr) { listening <- address })
	}()
	select {
	case address := <-listening:
		n.base = "http://" + address.String()
		return n, n.awaitReady(ctx)
	case err := <-n.ended:
		stop()
		return nil, fmt.Errorf("start the node: %w", err)
	}
}

// awaitReady polls until the node reports that it is ready.
func (n *Node) awaitReady(ctx context.Context) error {
	for range attempts() {
		answer, err := n.Do(ctx, steps.Step{Request: []string{"GET /q/health/ready"}})
		if err != nil {
			return err
		}
		if answer[0] == "200" {
			return nil
		}
	}
	return errors.New("the node did not become ready")
}

// Stop ends the node and waits for it.
func (n *Node) Stop() error {
	n.stop()
	return <-n.ended
}

// Do sends the request of a step and returns the rendered answer.
func (n *Node) Do(ctx context.Context, step steps.Step) ([]string, error) {
	if step.IsTable() {
		return n.doTable(ctx, step)
	}
	lines := n.expandAll(step.Request)
	method, path, ok := strings.Cut(lines[0], " ")
	if !ok {
		return nil, fmt.Errorf("line %d: %q is not a request", step.Line, lines[0])
	}
	headers, rest := steps.Headers(lines)
	header := http.Header{"Authorization": {"Bearer " + rootKey}}
	var until, pack string
	var saves, shown []string
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case name == "Save":
			saves = append(saves, value)
		case name == "Until":
			until = value
		case name == "Pack":
			pack = value
		case name == "Show":
			shown = strings.Split(value, ",")
		case name == "Authorization" && value == "none":
			header.Del(name)
		default:
			header.Set(name, value)
		}
	}
	body, err := n.readBody(strings.Join(rest, "\n"))
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", step.Line, err)
	}
	if body != "" {
		if header.Get("Content-Type") == "" {
			header.Set("Content-Type", "application/json")
		}
	}
	if pack != "" {
		packed, err := packed(body, pack)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", step.Line, err)
		}
		body = packed
		header.Set("Content-Encoding", pack)
	}
	for range attempts() {
		response, answer, err := n.send(ctx, method, path, header, body)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", step.Line, err)
		}
		if until != "" && !holds(answer, until) {
			continue
		}
		for _, save := range saves {
			if err := n.save(save, answer, response.Header); err != nil {
				return nil, fmt.Errorf("line %d: %w", step.Line, err)
			}
		}
		return render(response.StatusCode, response.Header, answer, shown), nil
	}
	return nil, fmt.Errorf("line %d: %s did not come to hold", step.Line, until)
}

// readBody returns the content of a file if the body names one as
// @definitions/shop.json, and any other body unchanged.
func (n *Node) readBody(body string) (string, error) {
	name, isFile := strings.CutPrefix(body, "@")
	if !isFile {
		return body, nil
	}
	content, err := os.ReadFile(filepath.Join(n.files, filepath.FromSlash(name)))
	return string(content), err
}

// attempts paces polling for a condition: for two minutes, because a machine
// may stall, with pauses that leave the processors to the program being polled.
func attempts() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, end := 0, time.Now().Add(2*time.Minute); time.Now().Before(end) && yield(i); i++ {
			time.Sleep(min(time.Duration(i)*100*time.Microsecond, 10*time.Millisecond))
		}
	}
}

func (n *Node) send(ctx context.Context, method, path string, header http.Header, body string) (*http.Response, []byte, error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, n.base+path, reader)
	if err != nil {
		return nil, nil, err
	}
	request.Header = header
	request.Host = header.Get("Host")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response, answer, err
}

// holds reports whether a member of an answer has a value, given as
// member=value.
func holds(answer []byte, condition string) bool {
	name, want, _ := strings.Cut(condition, "=")
	var members map[string]any
	return json.Unmarshal(answer, &members) == nil && fmt.Sprint(members[name]) == want
}

// packed compresses a body with gzip or zstd.
func packed(body, encoding string) (string, error) {
	var out bytes.Buffer
	var writer io.WriteCloser
	switch encoding {
	case "gzip":
		writer = gzip.NewWriter(&out)
	case "zstd":
		encoder, err := zstd.NewWriter(&out)
		if err != nil {
			return "", err
		}
		writer = encoder
	default:
		return "", fmt.Errorf("no body is packed as %s", encoding)
	}
	if _, err := io.WriteString(writer, body); err != nil {
		return "", err
	}
	err := writer.Close()
	return out.String(), err
}
