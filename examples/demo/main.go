// Command demo shows Quire at work: it starts a local node, loads a small
// catalogue of outdoor clothing and gear in English and Swedish, runs three
// searches, prints how to repeat them, and keeps serving until stopped.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/quiresearch/quire/internal/demo"
)

const index = demo.Index

func main() {
	binary := flag.String("binary", "bin/quire", "the program to run")
	directory := flag.String("directory", "quire-demo", "where its data goes")
	once := flag.Bool("once", false, "end after the searches")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *binary, *directory, *once); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, directory string, once bool) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	base, wait, err := startNode(running, binary, directory, freePort())
	if err != nil {
		return err
	}
	fmt.Printf("A node runs at %s; its interface is described at %s/q/docs\n\n", base, base)
	if err := load(running, base); err != nil {
		return err
	}
	for _, s := range searches {
		if err := s.show(running, base); err != nil {
			return err
		}
	}
	if once {
		stop()
	} else {
		fmt.Printf("The console: %s/console/\nServing until you press Ctrl-C.\n", base)
		openBrowser(running, base+"/console/")
	}
	<-running.Done()
	if err := wait(); err != nil && !strings.Contains(err.Error(), "signal") && ctx.Err() == nil && !once {
		return err
	}
	return nil
}

// freePort returns the port set in the environment, otherwise the documented
// port if it is free, otherwise "0".
func freePort() string {
	if port := os.Getenv("SERVICE_HTTP_PORT"); port != "" {
		return port
	}
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		return "0"
	}
	listener.Close()
	return "8080"
}

// load creates the index and fills it, printing progress.
func load(ctx context.Context, base string) error {
	if err := send(ctx, http.MethodPut, base+"/v1alpha1/admin/indexes/"+index, demo.Definition, nil); err != nil {
		return err
	}
	if err := send(ctx, http.MethodPut, base+"/v1alpha1/admin/indexes/"+index+"/settings", demo.Settings, nil); err != nil {
		return err
	}
	products := demo.Catalogue()
	const batch = 24
	for at := 0; at < len(products); at += batch {
		part := products[at:min(at+batch, len(products))]
		body, err := json.Marshal(map[string]any{"documents": part})
		if err != nil {
			return err
		}
		if err := send(ctx, http.MethodPost, base+"/v1alpha1/indexes/"+index+"/documents", body, nil); err != nil {
			return err
		}
		progress(at+len(part), len(products))
	}
	fmt.Println()
	return send(ctx, http.MethodPost, base+"/v1alpha1/admin/indexes/"+index+"/actions/commit", nil, nil)
}

const barWidth = 40

func progress(done, all int) {
	filled := barWidth * done / all
	fmt.Printf("\rLoading the catalogue [%s%s] %d/%d", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled), done, all)
}

// send sends a JSON body and decodes the response into result, if result is not
// nil.
func send(ctx context.Context, method, url string, body []byte, result any) error {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, url, response.Status, answer)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer, result)
}
