package script

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/s3test"
)

// textBlock is a block of commands that cannot be run as it is: it does not
// end, or needs more than a test machine has.
type textBlock struct {
	document, begins string
	run              func(t *testing.T, tools string, blocks []fence, at int) // nil if it is not run
	why              string                                                   // reason why it is not run
}

var textBlocks = []textBlock{
	{"README.md", "make build", runFirstCommands, ""},
	{"docs/guides/shop.md", "quire serve --dev", runServe, ""},
	{"docs/guides/shop.md", "SERVICE_HTTP_CORS_ENABLED=true", runShopPage, ""},
	{"docs/guides/running.md", "export SERVICE_STORAGE_LOCAL_DIRECTORY", runServe, ""},
	{"docs/guides/running.md", "export SERVICE_STORAGE_MODE=object", runBucketVariables, ""},
	{"docs/guides/object-mode.md", "SERVICE_STORAGE_MODE=object", runBucketNode, ""},
	{"docs/guides/object-mode.md", "export SERVICE_STORAGE_MODE=object", runTwoNodes, ""},
	{"docs/guides/object-mode.md", "quire migrate --to-bucket", runMigrate, ""},

	{"docs/guides/object-mode.md", "make build tools", nil, "runTwoNodes runs it with the block below"},
	{"docs/guides/coming-from.md", "quire import elasticsearch", nil, "needs Elasticsearch or OpenSearch: make test-opensearch runs it"},
	{"docs/guides/loading.md", "quire import elasticsearch", nil, "needs Elasticsearch or OpenSearch: make test-opensearch runs it"},
	{"docs/guides/running.md", "install -m 755", nil, "changes the system and needs systemd"},
	{"docs/guides/running.md", "docker build", nil, "needs Docker"},
	{"docs/guides/running.md", "kubectl create secret", nil, "needs a Kubernetes cluster"},
	{"docs/guides/running.md", "sha256sum", nil, "needs a downloaded release and Docker"},
	{"docs/guides/running.md", "git checkout", nil, "builds a release of every platform: make release-check does"},
	{"docs/guides/coming-from.md", "q=dispossesed", nil, "a request to Typesense, not a command"},
	{"spec/README.md", "# A phrase", nil, "the form of a script, not a command"},
	{"spec/README.md", "POST /v1alpha1", nil, "the form of a script, not a command"},
}

// notCommands are the languages of blocks that are not shell commands.
var notCommands = []string{"json", "csv", "go", "js", "ts", "python", "yaml", "mermaid"}

// Every block of commands in every document is run by
// TestCommandsOfTheGuidesRun, unless textBlocks gives a reason.
func TestEveryBlockOfCommandsIsRunOrHasAReason(t *testing.T) {
	used := make(map[int]bool)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		document, err := filepath.Rel(root, path)
		document = filepath.ToSlash(document)
		isOther := document != "." && strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"node_modules", "internal", "bench/data", "dist", "bin"}, document)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (isOther || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(document, ".md"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, block := range fences(string(text)) {
			isRun := block.language == "sh" && (document == "README.md" || strings.HasPrefix(document, "docs/guides/"))
			if isRun || block.file != "" || slices.Contains(notCommands, block.language) {
				continue
			}
			position := slices.IndexFunc(textBlocks, func(b textBlock) bool { return b.document == document && strings.HasPrefix(block.text, b.begins) })
			if position < 0 {
				t.Errorf("%s: no test runs this block, and textBlocks gives no reason:\n%s", document, block.text)
			}
			used[position] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range textBlocks {
		if !used[i] {
			t.Errorf("%s has no block that begins with %q", b.document, b.begins)
		}
		if (b.run == nil) != (b.why != "") {
			t.Errorf("%s, %q: either it is run or there is a reason", b.document, b.begins)
		}
	}
}

// runTextBlocks runs the blocks that need the help of a test.
func runTextBlocks(t *testing.T, tools string) {
	for _, b := range textBlocks {
		if b.run == nil {
			continue
		}
		t.Run(b.document+" "+b.begins, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(b.document)))
			if err != nil {
				t.Fatal(err)
			}
			blocks := fences(string(text))
			at := slices.IndexFunc(blocks, func(f fence) bool { return f.file == "" && strings.HasPrefix(f.text, b.begins) })
			if at < 0 {
				t.Fatal("the block is not there")
			}
			b.run(t, tools, blocks, at)
		})
	}
}

// terminal simulates a terminal in a directory of its own.
type terminal struct {
	t           *testing.T
	directory   string
	environment []string
	replace     *strings.Replacer
}

// newTerminal opens a terminal in a directory that looks like a checkout after
// make build, with the program in bin. replaced lists pairs: text in the
// commands and its replacement.
func newTerminal(t *testing.T, tools string, replaced ...string) *terminal {
	s := &terminal{t: t, directory: t.TempDir(), replace: strings.NewReplacer(replaced...)}
	if err := errors.Join(os.Mkdir(filepath.Join(s.directory, "bin"), 0o700),
		os.Symlink(filepath.Join(tools, "quire"), filepath.Join(s.directory, "bin", "quire"))); err != nil {
		t.Fatal(err)
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SERVICE_") && !strings.HasPrefix(variable, "QUIRE_") {
			s.environment = append(s.environment, variable)
		}
	}
	s.set("PATH="+tools+":"+os.Getenv("PATH"), "HOME="+s.directory, "PYTHONUNBUFFERED=1", "SERVICE_HTTP_HOST=127.0.0.1")
	return s
}

func (s *terminal) set(variables ...string) { s.environment = append(s.environment, variables...) }

// write creates a file that the reader is assumed to have.
func (s *terminal) write(name, text string) {
	if err := os.WriteFile(filepath.Join(s.directory, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// built replaces make: its output already exists.
const built = "set -euo pipefail\nmake() { test -x bin/quire; }\n"

func (s *terminal) command(script string) *exec.Cmd {
	command := exec.Command("bash", "-c", script)
	command.Dir, command.Env = s.directory, s.environment
	return command
}

// run runs commands and returns their output.
func (s *terminal) run(commands string) string {
	s.t.Helper()
	out, err := s.command(built + s.replace.Replace(commands)).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s\n%v\n%s", commands, err, out)
	}
	return string(out)
}

// start runs commands of which the last one does not end, and waits until it
// prints a text. It is stopped at the end of the test.
func (s *terminal) start(commands, until string) {
	s.t.Helper()
	reading, writing, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	command := s.command(built + "trap 'kill $!; wait $!' TERM\n" + strings.TrimSpace(s.replace.Replace(commands)) + " &\nwait $!\n")
	command.Stdout, command.Stderr = writing, writing
	if err := errors.Join(command.Start(), writing.Close()); err != nil {
		s.t.Fatal(err)
	}
	printed, ended := make(chan bool, 1), make(chan string, 1)
	go func() {
		var all strings.Builder
		isAwaited := until != ""
		for lines := bufio.NewScanner(reading); lines.Scan(); {
			fmt.Fprintln(&all, lines.Text())
			if isAwaited && strings.Contains(lines.Text(), until) {
				printed <- true
				isAwaited = false
			}
		}
		ended <- all.String()
	}()
	stop := func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
		_ = reading.Close()
	}
	if until == "" {
		s.t.Cleanup(stop)
		return
	}
	select {
	case <-printed:
		s.t.Cleanup(stop)
	case all := <-ended:
		stop()
		s.t.Fatalf("%s\nended before %q:\n%s", commands, until, all)
	}
}

// awaitNode waits until a node is ready.
func (s *terminal) awaitNode(url string) {
	s.t.Helper()
	for range attempts() {
		if answer, err := http.Get(url + "/q/health/ready"); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
	}
	s.t.Fatalf("%s does not become ready", url)
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

const things = "id,title\n1,Some plain words\n2,Another thing\n"

// The first commands of the README: the second one keeps serving, the third is
// run in another terminal.
func runFirstCommands(t *testing.T, tools string, blocks []fence, at int) {
	s, port := newTerminal(t, tools), freePort(t)
	s.write("things.csv", things)
	lines := strings.Split(strings.TrimSpace(blocks[at].text), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d commands", len(lines))
	}
	s.run(lines[0])
	s.set("SERVICE_HTTP_PORT=" + port)
	s.start(lines[1], "The node serves")
	s.set("QUIRE_URL=http://localhost:" + port)
	if out := s.run(lines[2]); !strings.Contains(out, "Some plain words") {
		t.Error(out)
	}
}

func runServe(t *testing.T, tools string, blocks []fence, at int) {
	s, port := newTerminal(t, tools, "/var/lib/quire", filepath.Join(t.TempDir(), "data")), freePort(t)
	s.set("SERVICE_HTTP_PORT=" + port)
	s.start(blocks[at].text, "listening")
	s.awaitNode("http://127.0.0.1:" + port)
}

func runShopPage(t *testing.T, tools string, blocks []fence, at int) {
	shop, err := filepath.Abs(filepath.Join("..", "..", "examples", "shop"))
	if err != nil {
		t.Fatal(err)
	}
	port, pagePort := freePort(t), freePort(t)
	s := newTerminal(t, tools, "8000", pagePort, "examples/shop", shop)
	s.set("SERVICE_HTTP_PORT=" + port)
	node, page, _ := strings.Cut(blocks[at].text, "\n")
	s.start(node, "listening")
	s.start(page, "Serving HTTP")
	if out := s.run("curl -sSf http://localhost:8000"); !strings.Contains(out, "<html") {
		t.Error(out)
	}
	out := s.run("curl -sS -D - -o /dev/null -H 'Origin: http://localhost:8000' http://localhost:" + port + "/v1alpha1/admin/indexes")
	if want := "access-control-allow-origin: http://localhost:" + pagePort; !strings.Contains(strings.ToLower(out), want) {
		t.Error(out)
	}
}

// bucketVariables returns the replacements that point the variables of a guide
// to a test server.
func bucketVariables(store *s3test.Server) []string {
	return []string{"https://store.example", store.URL, "https://s3.example.org", store.URL,
		"BUCKET=search", "BUCKET=" + store.Bucket, "BUCKET=quire", "BUCKET=" + store.Bucket,
		"ACCESS_KEY=…", "ACCESS_KEY=" + store.Access, "SECRET_KEY=…", "SECRET_KEY=" + store.Secret, "ROOT_KEY=…", "ROOT_KEY=" + rootKey}
}

func runBucketNode(t *testing.T, tools string, blocks []fence, at int) {
	port := freePort(t)
	s := newTerminal(t, tools, append(bucketVariables(s3test.Start(t)), "/var/lib/quire", filepath.Join(t.TempDir(), "data"), "http://10.0.0.7:8080", "http://127.0.0.1:"+port)...)
	s.set("SERVICE_HTTP_PORT=" + port)
	s.start(blocks[at].text, "listening")
	s.awaitNode("http://127.0.0.1:" + port)
}

// The variables alone start nothing; the guide to object mode has the remaining
// ones.
func runBucketVariables(t *testing.T, tools string, blocks []fence, at int) {
	s, port := newTerminal(t, tools, bucketVariables(s3test.Start(t))...), freePort(t)
	s.set("SERVICE_HTTP_PORT="+port, "SERVICE_NODE_ADDRESS=http://127.0.0.1:"+port, "SERVICE_STORAGE_LOCAL_DIRECTORY=data", "SERVICE_AUTH_ROOT_KEY="+rootKey)
	s.start(blocks[at].text+"quire serve", "listening")
	s.awaitNode("http://127.0.0.1:" + port)
}

// Two nodes on one machine share the store of the preceding block.
func runTwoNodes(t *testing.T, tools string, blocks []fence, at int) {
	store, first, second := freePort(t), freePort(t), freePort(t)
	s := newTerminal(t, tools, "/tmp/quire", filepath.Join(t.TempDir(), "quire"), "7070", store, "8080", first, "8081", second)
	if err := errors.Join(os.Mkdir(filepath.Join(s.directory, ".tools"), 0o700),
		os.Symlink(s3test.Program(t), filepath.Join(s.directory, ".tools", "versitygw"))); err != nil {
		t.Fatal(err)
	}
	prepare, serve, _ := strings.Cut(blocks[at-1].text, "\n")
	s.run(prepare)
	s.start(serve, "")
	awaitPort(t, store)
	s.start(blocks[at].text, "listening")
	s.start(strings.NewReplacer("8080", "8081", "node-1", "node-2").Replace(blocks[at].text), "listening")
	s.awaitNode("http://127.0.0.1:" + first)
	s.awaitNode("http://127.0.0.1:" + second)
	s.write("things.csv", things)
	out := s.run(`quire load things.csv --url http://127.0.0.1:8081
curl -sSf -X POST localhost:8080/v1alpha1/admin/indexes/things/actions/pull
quire search things words --url http://127.0.0.1:8080
quire search things words --url http://127.0.0.1:8081
curl -sSf localhost:8081/v1alpha1/admin/indexers`)
	if strings.Count(out, "Some plain words") != 2 {
		t.Error(out)
	}
}

// awaitPort waits until a port accepts connections.
func awaitPort(t *testing.T, port string) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 3000 {
		connection, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = connection.Close()
			return
		}
		<-tick.C
	}
	t.Fatalf("nothing listens on port %s", port)
}

// A node with data in a directory is migrated to a bucket, where a node with an
// empty directory finds them.
func runMigrate(t *testing.T, tools string, blocks []fence, at int) {
	store, directory, port := s3test.Start(t), t.TempDir(), freePort(t)
	s := newTerminal(t, tools)
	s.write("things.csv", things)
	node, err := Start(t.Context(), directory, "SERVICE_AUTH_MODE=none", "SERVICE_AUTH_ROOT_KEY=")
	if err != nil {
		t.Fatal(err)
	}
	s.run("quire load things.csv --url " + node.base)
	if err := node.Stop(); err != nil {
		t.Fatal(err)
	}
	s.set("SERVICE_STORAGE_MODE=object", "SERVICE_INDEXER_ENABLED=true", "SERVICE_AUTH_MODE=none", "SERVICE_HTTP_PORT="+port, "SERVICE_NODE_ADDRESS=http://127.0.0.1:"+port,
		"SERVICE_STORAGE_REMOTE_URL="+store.URL, "SERVICE_STORAGE_REMOTE_BUCKET="+store.Bucket,
		"SERVICE_STORAGE_REMOTE_ACCESS_KEY="+store.Access, "SERVICE_STORAGE_REMOTE_SECRET_KEY="+store.Secret, "SERVICE_STORAGE_LOCAL_DIRECTORY="+directory)
	s.run(blocks[at].text)
	s.set("SERVICE_STORAGE_LOCAL_DIRECTORY=" + t.TempDir())
	s.start("quire serve", "listening")
	s.awaitNode("http://127.0.0.1:" + port)
	if out := s.run("quire search things words --url http://127.0.0.1:" + port); !strings.Contains(out, "Some plain words") {
		t.Error(out)
	}
}
