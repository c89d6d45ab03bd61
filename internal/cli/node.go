package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/quiresearch/quire/internal/remote"
	"github.com/quiresearch/quire/internal/server"
)

// nodeFlags select the node that a command talks to.
type nodeFlags struct {
	URL string `placeholder:"URL" help:"Address of the node. Default: $QUIRE_URL, or http://localhost:8080."`
	Key string `placeholder:"KEY" help:"API key. Default: $QUIRE_KEY."`
}

// node returns a client of the node. It sends no request yet.
func (f *nodeFlags) node(s *surroundings) (*remote.Node, error) {
	address := firstOf(f.URL, s.variable("QUIRE_URL"), remote.DefaultURL)
	node, err := remote.New(address, firstOf(f.Key, s.variable("QUIRE_KEY")))
	if err != nil {
		return nil, refusedError{err}
	}
	return node, nil
}

// repeat returns the flag with which another command reaches the same node.
func (s *surroundings) repeat(node *remote.Node) string {
	if node.URL == remote.DefaultURL || node.URL == s.variable("QUIRE_URL") {
		return ""
	}
	return " --url " + quoted(node.URL)
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// variable returns the value of an environment variable, empty if it is not
// set.
func (s *surroundings) variable(name string) string {
	for _, entry := range s.environment {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// probe returns the error of a node that does not respond. It does not wait for
// one: a command is patient only with a node that responded before.
func probe(ctx context.Context, node *remote.Node) error {
	once := *node
	once.Patience = 0
	if _, err := once.Raw(ctx, remote.Request{Method: "GET", Path: "/q/health/ready"}); remote.IsAway(err) {
		return err
	}
	return nil
}

// reach fails if the node does not respond.
func reach(ctx context.Context, node *remote.Node) error {
	if probe(ctx, node) != nil {
		return away(node)
	}
	return nil
}

// away is the error of a command that does not start a node.
func away(node *remote.Node) error {
	return fmt.Errorf("no node responds at %s: start one with quire serve --dev, or set its address with --url", node.URL)
}

// withNode runs work with a node. If no node responds and none was named, it
// starts one if dev is set or the user agrees, and keeps it serving until ctx
// ends.
func (f *nodeFlags) withNode(ctx context.Context, s *surroundings, node *remote.Node, dev bool, work func(context.Context) error) error {
	isNamed := f.URL != "" || s.variable("QUIRE_URL") != ""
	if port := s.variable("SERVICE_HTTP_PORT"); dev && !isNamed && port != "" && port != "0" {
		node.URL = "http://localhost:" + port // address of the node that will be started
	}
	err := probe(ctx, node)
	switch {
	case err == nil:
		return work(ctx)
	case isNamed:
		return fmt.Errorf("no node responds at %s: %w", node.URL, err)
	case !dev:
		answer, ok := s.choose(fmt.Sprintf("No node responds at %s. Start one on this machine, with its data in %s?", node.URL, s.dataDirectory()), []string{"yes", "no"})
		if !ok || answer != "yes" {
			return fmt.Errorf("no node responds at %s: start one with quire serve --dev, set its address with --url, or use --dev", node.URL)
		}
	}
	return serveWhile(ctx, s, node, work)
}

// serveWhile runs a node in this process, runs work with it, and keeps serving
// until ctx ends.
func serveWhile(ctx context.Context, s *surroundings, node *remote.Node, work func(context.Context) error) error {
	loaded, err := loadConfig(s, true)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	loaded.Log.Level = "warn"
	listening, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- server.Run(serving, loaded, server.NewLog(loaded.Log, s.err), func(address net.Addr) { listening <- address })
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("start a node: %w", err)
	case address := <-listening:
		node.URL = "http://" + address.String()
	}
	failure := work(ctx)
	if failure != nil && !errors.Is(failure, errSomeRefused) {
		stop()
		return errors.Join(failure, <-ended)
	}
	fmt.Fprintf(s.err, "\nThe node serves %s until you press Ctrl-C. Its data is in %s. To start it again, run quire serve --dev.\n", node.URL, s.dataDirectory())
	return errors.Join(failure, <-ended)
}

// dataDirectory returns where a node that is started here keeps its data, as a path that
// cannot be taken for a word.
func (s *surroundings) dataDirectory() string {
	directory := firstOf(s.variable("SERVICE_STORAGE_LOCAL_DIRECTORY"), "quire-data")
	if filepath.IsAbs(directory) || strings.HasPrefix(directory, ".") {
		return directory
	}
	return "./" + directory
}

// choose asks the user for one of the choices, the first being the default. It
// reports false if there is no terminal.
func (s *surroundings) choose(question string, choices []string) (string, bool) {
	if !s.isTerminal || !isTerminal(s.in) {
		return "", false
	}
	if s.lines == nil {
		s.lines = bufio.NewReader(s.in)
	}
	for range 3 {
		fmt.Fprintf(s.err, "%s [%s] ", printable(question), strings.Join(choices, "/"))
		line, err := s.lines.ReadString('\n')
		line = strings.ToLower(strings.TrimSpace(line))
		if line == "" {
			return choices[0], err == nil
		}
		for _, choice := range choices {
			if strings.HasPrefix(choice, line) {
				return choice, true
			}
		}
		if err != nil {
			return "", false
		}
	}
	return "", false
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	stat, err := file.Stat()
	return err == nil && stat.Mode()&os.ModeCharDevice != 0
}
