// Package s3test starts a real S3 server on loopback for tests.
//
// The server is the versitygw program, which `make tools` builds into .tools;
// QUIRE_S3_SERVER may name another place. If it is missing, a test is skipped with
// the reason, but fails when CI is set: the suite of the bucket must always run
// there.
package s3test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket/s3"
)

// Server is a running S3 server with one bucket.
type Server struct {
	URL    string
	Bucket string
	Access string
	Secret string

	program string
	dir     string
	port    int
	process *exec.Cmd
}

// Start runs a server over an empty directory until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	program := Program(t)
	s := &Server{Bucket: "quire-test", Access: "testkey", Secret: "testsecret", program: program, dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(s.dir, s.Bucket), 0o755); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	s.URL = fmt.Sprintf("http://127.0.0.1:%d", s.port)
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Program returns the path of the server's program. Without it the test is skipped,
// or fails when CI is set.
func Program(t testing.TB) string {
	t.Helper()
	program, err := find()
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip(err)
	}
	return program
}

// Store returns a client of the server's bucket; keys begin with prefix.
func (s *Server) Store(t testing.TB, prefix string) *s3.Store {
	t.Helper()
	store, err := s3.New(s3.Options{URL: s.URL, Bucket: s.Bucket, Prefix: prefix, Credentials: s3.Static(s.Access, s.Secret, "")})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Stop ends the server; the objects stay until the test ends.
func (s *Server) Stop() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	s.process = nil
}

// Restart ends the server abruptly and starts it again over the same objects.
func (s *Server) Restart(ctx context.Context) error {
	s.Stop()
	return s.run(ctx)
}

func (s *Server) run(ctx context.Context) error {
	s.process = exec.Command(s.program, "--access", s.Access, "--secret", s.Secret,
		"--port", fmt.Sprintf("127.0.0.1:%d", s.port), "--health", "/health", "--quiet", "posix", s.dir)
	if err := s.process.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/health", nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the S3 server did not become ready: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

// find searches for the program upwards from the test's directory.
func find() (string, error) {
	if path := os.Getenv("QUIRE_S3_SERVER"); path != "" {
		return path, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(dir, ".tools", "versitygw")
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no S3 server: run `make tools`, or name one by QUIRE_S3_SERVER")
		}
		dir = up
	}
}
