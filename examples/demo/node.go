package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// startNode starts the binary in development mode and returns its address. The
// node runs until ctx ends.
func startNode(ctx context.Context, binary, directory, port string) (base string, wait func() error, err error) {
	command := exec.CommandContext(ctx, binary, "serve", "--dev")
	command.Env = append(os.Environ(), "SERVICE_STORAGE_LOCAL_DIRECTORY="+directory, "SERVICE_HTTP_PORT="+port,
		"SERVICE_HTTP_HOST=127.0.0.1", "SERVICE_LOG_JSON=false")
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 30 * time.Second
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, fmt.Errorf("start %s: %w", binary, err)
	}
	listening := make(chan string, 1)
	go func() {
		defer close(listening)
		scanner := bufio.NewScanner(out)
		for scanner.Scan() {
			line := scanner.Text()
			if _, address, ok := strings.Cut(line, "msg=listening address="); ok {
				listening <- address
			}
			if strings.Contains(line, "level=ERROR") {
				fmt.Fprintln(os.Stderr, line)
			}
		}
	}()
	address, ok := <-listening
	if !ok {
		return "", nil, fmt.Errorf("%s did not start: %w", binary, command.Wait())
	}
	return address, command.Wait, waitReady(ctx, address)
}

func waitReady(ctx context.Context, base string) error {
	for range 300 {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/q/health/ready", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s did not become ready", base)
}
