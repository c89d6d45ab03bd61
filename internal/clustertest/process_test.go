//go:build unix

package clustertest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/s3test"
)

var kills = flag.Int("kills", 4, "how often the process is killed")

// program is a node that runs as its own process.
type program struct {
	t      *testing.T
	binary string
	port   int
	s3     *s3test.Server
	disk   string
	cmd    *exec.Cmd
	output bytes.Buffer
}

func newProgram(t *testing.T) *program {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "quire")
	build := exec.Command("go", "build", "-o", binary, "github.com/quiresearch/quire/cmd/quire")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return nextProgram(t, &program{binary: binary, s3: s3test.Start(t)})
}

// nextProgram returns another node in the deployment of one.
func nextProgram(t *testing.T, one *program) *program {
	t.Helper()
	p := &program{t: t, s3: one.s3, binary: one.binary, disk: filepath.Join(t.TempDir(), "disk")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.port = listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd != nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	return p
}

func (p *program) start() {
	p.t.Helper()
	p.cmd = exec.Command(p.binary, "serve")
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.Env = append(os.Environ(),
		"SERVICE_STORAGE_MODE=object", "SERVICE_INDEXER_ENABLED=true", "SERVICE_INDEXER_LEASE_DURATION=1s",
		"SERVICE_STORAGE_REMOTE_URL="+p.s3.URL, "SERVICE_STORAGE_REMOTE_BUCKET="+p.s3.Bucket, "SERVICE_STORAGE_REMOTE_PREFIX=deep/inside",
		"SERVICE_STORAGE_REMOTE_ACCESS_KEY="+p.s3.Access, "SERVICE_STORAGE_REMOTE_SECRET_KEY="+p.s3.Secret,
		"SERVICE_STORAGE_LOCAL_DIRECTORY="+p.disk, "SERVICE_AUTH_MODE=none", "SERVICE_HTTP_HOST=127.0.0.1",
		fmt.Sprintf("SERVICE_HTTP_PORT=%d", p.port), fmt.Sprintf("SERVICE_NODE_ADDRESS=http://127.0.0.1:%d", p.port),
		"SERVICE_NODE_ID="+p.name(), "SERVICE_INDEXES_REFRESH_INTERVAL=500ms")
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.await("the node becomes ready", func() (bool, string) {
		answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/q/health/ready", p.port))
		if err != nil {
			return false, err.Error()
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK, answer.Status
	})
}

// await asks until the answer is yes. It fails with what was last seen after two
// minutes, by which time a process counts as stuck on any machine.
func (p *program) await(what string, ask func() (yes bool, seen string)) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Minute)
	defer cancel()
	for {
		yes, seen := ask()
		if yes {
			return
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("%s: %s\n%s", what, seen, p.output.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (p *program) call(method, path, body string) (int, []byte) {
	request, err := http.NewRequest(method, fmt.Sprintf("http://127.0.0.1:%d/v1alpha1%s", p.port, path), bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil
	}
	return answer.StatusCode, content
}

// F1, F2: the process is killed under load; everything acknowledged is there after
// a restart, with the disk kept and with an empty one.
func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	p := newProgram(t)
	p.start()
	if status, body := p.call("PUT", "/admin/indexes/books", definition[0]); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	var mu sync.Mutex
	sent, acknowledged := map[string]int{}, map[string]int{}
	for cycle := range *kills {
		stop, enough := make(chan struct{}), make(chan struct{})
		left := 20 + rand.IntN(200) // acknowledged writes before the process ends
		var clients sync.WaitGroup
		for client := range 4 {
			clients.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					key := fmt.Sprintf("%d-%d", client, rand.IntN(25))
					mu.Lock()
					sent[key]++
					version := sent[key]
					mu.Unlock()
					status, _ := p.call("POST", "/indexes/books/documents", fmt.Sprintf(`{"documents":[{"id":%q,"v":%d}]}`, key, version))
					if status == http.StatusOK {
						mu.Lock()
						acknowledged[key] = version
						if left--; left == 0 {
							close(enough)
						}
						mu.Unlock()
					}
				}
			})
		}
		select {
		case <-enough:
		case <-time.After(2 * time.Minute):
			t.Fatalf("cycle %d: too few writes are acknowledged\n%s", cycle, p.output.String())
		}
		how := syscall.SIGKILL
		if cycle%4 == 3 {
			how = syscall.SIGTERM
		}
		if err := p.cmd.Process.Signal(how); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait()
		close(stop)
		clients.Wait()
		if cycle%2 == 1 {
			if err := os.RemoveAll(p.disk); err != nil {
				t.Fatal(err)
			}
		}
		p.start()
		p.must("POST", "/admin/indexes/books/actions/commit", "")
		for key, version := range acknowledged {
			status, body := p.call("GET", "/indexes/books/documents/"+key, "")
			var shown struct {
				V        int
				Document struct{ V int }
			}
			if err := json.Unmarshal(body, &shown); err != nil || status != http.StatusOK {
				t.Fatalf("cycle %d: %s: %d %s", cycle, key, status, body)
			}
			if v := max(shown.V, shown.Document.V); v < version || v > sent[key] {
				t.Errorf("cycle %d: %s is %d, acknowledged %d, sent %d", cycle, key, v, version, sent[key])
			}
		}
	}
	t.Logf("%d kills, %d keys", *kills, len(acknowledged))
}
