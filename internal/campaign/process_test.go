package campaign

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/cli"
)

var (
	binary    = flag.String("binary", "", "program to run instead of the test binary")
	cycles    = flag.Int("cycles", 6, "times a process is stopped")
	clients   = flag.Int("clients", 4, "clients that write")
	documents = flag.Int("documents", 400, "documents of a campaign")
	slow      = flag.Int("slow", 300, "slow clients at once")
	soak      = flag.Duration("soak", 5*time.Second, "length of the soak")
	seed      = flag.Uint64("seed", 0, "seed of a campaign; 0 takes one from the clock")
)

// beQuire makes the test binary run the program itself, so that the race detector
// and the invariant checks cover the process.
const beQuire = "QUIRE_CAMPAIGN_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(beQuire) != "" {
		os.Exit(cli.Run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

const rootKey = "canary-root-credential"

// quick are settings under which a short campaign commits, merges and catches up
// often.
var quick = []string{
	"SERVICE_INDEXES_COMMIT_MAX_CHANGES=300", "SERVICE_INDEXES_COMMIT_MAX_INTERVAL=100ms", "SERVICE_INDEXER_MEMORY_BUDGET=4M",
	"SERVICE_INDEXER_REINDEX_MAX_CONCURRENT=1", "SERVICE_INDEXER_REINDEX_SWEEP_INTERVAL=200ms",
	"SERVICE_INDEXER_REINDEX_CATCHUP_INTERVAL=200ms",
}

func program(arguments ...string) *exec.Cmd {
	name := *binary
	if name == "" {
		name = os.Args[0]
	}
	command := exec.Command(name, arguments...)
	command.Env = append(os.Environ(), beQuire+"=1")
	return command
}

// process is one running node.
type process struct {
	base    string
	command *exec.Cmd
	output  *output
	ended   chan struct{}
	err     error // valid after ended is closed
}

// output collects what a process prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start runs a node on a directory and returns when it is ready.
func start(t *testing.T, directory string, environment ...string) *process {
	t.Helper()
	p, err := launch(directory, environment...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

func launch(directory string, environment ...string) (*process, error) {
	return launchAs(program("serve"), directory, environment...)
}

// launchAs is launch with a command that runs a node.
func launchAs(command *exec.Cmd, directory string, environment ...string) (*process, error) {
	p := &process{command: command, output: new(output), ended: make(chan struct{})}
	p.command.Env = append(p.command.Env, "SERVICE_STORAGE_LOCAL_DIRECTORY="+directory, "SERVICE_HTTP_HOST=127.0.0.1", "SERVICE_HTTP_PORT=0",
		"SERVICE_AUTH_ROOT_KEY="+rootKey)
	p.command.Env = append(p.command.Env, environment...)
	lines, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.command.Stderr = p.output
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	listening := make(chan string, 1)
	go func() {
		scanner := bufio.NewScanner(lines)
		scanner.Buffer(nil, 16<<20)
		for scanner.Scan() {
			line := scanner.Text()
			fmt.Fprintln(p.output, line)
			if _, address, found := strings.Cut(line, "msg=listening address="); found {
				listening <- address
			}
		}
		_, _ = io.Copy(p.output, lines)
		p.err = p.command.Wait()
		close(p.ended)
	}()
	select {
	case p.base = <-listening:
	case <-p.ended:
		return nil, fmt.Errorf("the node did not start: %w\n%s", p.err, p.output)
	}
	deadline := time.Now().Add(2 * time.Minute)
	for {
		answer, err := http.Get(p.base + "/q/health/ready")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return p, nil
			}
		}
		select {
		case <-p.ended:
			return nil, fmt.Errorf("the node ended before it was ready: %w\n%s", p.err, p.output)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			p.kill()
			return nil, fmt.Errorf("the node is not ready: %v\n%s", err, p.output)
		}
	}
}

// kill ends the process at once, as kill -9 does.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	<-p.ended
}

// terminate asks the process to stop and returns how it ended.
func (p *process) terminate(within time.Duration) error {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.ended:
		if p.err != nil {
			return fmt.Errorf("stopped with %w", p.err)
		}
		return nil
	case <-time.After(within):
		return errors.New("did not stop in time")
	}
}

// sound fails when the process printed something that must never happen.
func (p *process) sound(t *testing.T) {
	t.Helper()
	text := p.output.String()
	for _, bad := range []string{"msg=panic", "panic:", "fatal error:", "DATA RACE", "goroutine 1 ["} {
		if at := strings.Index(text, bad); at >= 0 {
			t.Fatalf("the process printed:\n%s", text[max(0, at-200):min(len(text), at+4000)])
		}
	}
}

// check checks the files of a stopped node.
func check(t *testing.T, directory string) {
	t.Helper()
	if found, err := program("check", directory).CombinedOutput(); err != nil {
		t.Fatalf("quire check: %v\n%s", err, found)
	}
}

// wait polls until yes returns true.
func wait(t *testing.T, within time.Duration, what string, yes func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for !yes() {
		select {
		case <-ctx.Done():
			t.Fatalf("not in time: %s", what)
		case <-time.After(2 * time.Millisecond):
		}
	}
}
