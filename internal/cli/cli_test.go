package cli

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket/localdir"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

func run(environment []string, arguments ...string) (code int, out, err string) {
	var stdout, stderr bytes.Buffer
	code = Run(arguments, environment, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestVersion(t *testing.T) {
	if code, out, err := run(nil, "version"); code != exitDone || !strings.HasPrefix(out, "quire ") {
		t.Errorf("%d %q %q", code, out, err)
	}
}

func TestConfigPrintsValuesAndSourcesAndMasksSecrets(t *testing.T) {
	code, out, err := run([]string{"SERVICE_STORAGE_LOCAL_DIRECTORY=/d", "SERVICE_AUTH_ROOT_KEY=canary", "SERVICE_NOPE=1"}, "config")
	if code != exitDone {
		t.Fatalf("%d %q", code, err)
	}
	for _, want := range []string{"SERVICE_STORAGE_LOCAL_DIRECTORY", "/d", "environment", "SERVICE_HTTP_PORT", "8080", "default", "***"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	if strings.Contains(out+err, "canary") || !strings.Contains(err, "SERVICE_NOPE") {
		t.Errorf("output %q\nwarnings %q", out, err)
	}
}

func TestRefusalsAreExitCodeTwoAndNameTheReason(t *testing.T) {
	for _, test := range []struct {
		environment []string
		arguments   []string
		names       string
	}{
		{nil, []string{"serve"}, "SERVICE_STORAGE_LOCAL_DIRECTORY"},
		{[]string{"SERVICE_STORAGE_LOCAL_DIRECTORY=/d", "SERVICE_HTTP_PORT=x"}, []string{"serve"}, "SERVICE_HTTP_PORT"},
		{[]string{"SERVICE_HTTP_HOST=0.0.0.0"}, []string{"serve", "--dev"}, "SERVICE_HTTP_HOST"},
		{nil, []string{"config"}, "SERVICE_STORAGE_LOCAL_DIRECTORY"},
		{nil, []string{"fly"}, "fly"},
		{nil, nil, "--help"},
		{[]string{"SERVICE_STORAGE_LOCAL_DIRECTRY=/d"}, []string{"serve"}, "SERVICE_STORAGE_LOCAL_DIRECTRY"},
		{nil, []string{"locale-data", "build", "de"}, "--hunspell"},
	} {
		if code, _, err := run(test.environment, test.arguments...); code != exitRefused || !strings.Contains(err, test.names) {
			t.Errorf("%v: %d %q", test.arguments, code, err)
		}
	}
}

func TestARefusedConfigurationIsPrintedNonetheless(t *testing.T) {
	code, out, err := run([]string{"SERVICE_HTTP_PORT=x"}, "config")
	if code != exitRefused || !strings.Contains(err, "SERVICE_HTTP_PORT") || !strings.Contains(err, "SERVICE_STORAGE_LOCAL_DIRECTORY") {
		t.Errorf("%d %q", code, err)
	}
	if !strings.Contains(out, "SERVICE_AUTH_ROOT_KEY") {
		t.Errorf("the variables are not printed: %q", out)
	}
}

func TestWhoeverNamesNoCommandIsToldAllOfThem(t *testing.T) {
	code, out, err := run(nil)
	if code != exitRefused || out != "" || !strings.Contains(err, "serve") || !strings.Contains(err, "locale-data build") {
		t.Errorf("%d %q %q", code, out, err)
	}
}

func TestANodeWithoutAnyKeyRefusesToStart(t *testing.T) {
	code, _, err := run([]string{"SERVICE_STORAGE_LOCAL_DIRECTORY=" + t.TempDir(), "SERVICE_HTTP_PORT=0"}, "serve")
	if code != exitRefused || !strings.Contains(err, "SERVICE_AUTH_ROOT_KEY") {
		t.Errorf("%d %q", code, err)
	}
}

func TestTheDescriptionIsPrintedWithoutANode(t *testing.T) {
	if code, out, err := run(nil, "openapi"); code != exitDone || !strings.Contains(out, "openapi: 3.1.0") || err != "" {
		t.Errorf("%d %q", code, err)
	}
	if code, out, err := run(nil, "openapi", "--json"); code != exitDone || !strings.HasPrefix(out, "{") || err != "" {
		t.Errorf("%d %q", code, err)
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	if code, out, err := run(nil, "--help"); code != exitDone || !strings.Contains(out, "serve") {
		t.Errorf("%d %q %q", code, out, err)
	}
}

func TestCheckTellsAnEmptyDirectoryFromADamagedOne(t *testing.T) {
	empty := t.TempDir()
	if err := os.Mkdir(filepath.Join(empty, "generations"), 0o700); err != nil {
		t.Fatal(err)
	}
	if code, out, err := run(nil, "check", empty); code != exitDone || !strings.Contains(out, "no generation there") || err != "" {
		t.Errorf("%d %q %q", code, out, err)
	}
	generation := filepath.Join(empty, "generations", "0123")
	if err := os.MkdirAll(generation, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(generation, manifest.Name), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, err := run(nil, "check", empty); code != exitFailed || !strings.Contains(err, "damaged") || !strings.Contains(out, "generations/0123") {
		t.Errorf("%d %q %q", code, out, err)
	}
	if code, _, err := run(nil, "check", filepath.Join(empty, "elsewhere")); code != exitRefused || !strings.Contains(err, "elsewhere") {
		t.Errorf("%d %q", code, err)
	}
}

// A wrong path is an error, not a sound directory. Checking it creates nothing.
func TestCheckRejectsDirectoriesOfOtherContent(t *testing.T) {
	directory := t.TempDir()
	refused := func(what string) {
		t.Helper()
		if code, _, err := run(nil, "check", directory); code != exitRefused || !strings.Contains(err, directory+" is not the data directory of a node") {
			t.Errorf("%s: %d %q", what, code, err)
		}
	}
	refused("an empty directory")
	if err := os.WriteFile(filepath.Join(directory, "notes.txt"), []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a directory with other files")
	if err := os.Remove(filepath.Join(directory, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(directory, "bucket"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused("an empty bucket")
	if entries, err := os.ReadDir(directory); err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v afterwards, %v", entries, err)
	}
}

// A backup is checked completely: an index whose files are missing, and an
// unreadable registry or unreadable keys, are damage too.
func TestCheckAndInspectKnowWhatIsKeptBesideTheGenerations(t *testing.T) {
	directory := t.TempDir()
	store, err := localdir.Open(filepath.Join(directory, "bucket"))
	if err != nil {
		t.Fatal(err)
	}
	generation := filepath.Join(directory, "generations", "0123")
	if err := os.MkdirAll(generation, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := manifest.Write(vfs.OS(generation), ".", &manifest.Manifest{Generation: strings.Repeat("0", 32)}); err != nil {
		t.Fatal(err)
	}
	if code, _, err := run(nil, "check", directory); code != exitFailed || !strings.Contains(err, "bucket/registry: missing") {
		t.Errorf("a generation without a registry: %d %q", code, err)
	}
	if err := os.RemoveAll(generation); err != nil {
		t.Fatal(err)
	}
	known, err := registry.Open(t.Context(), store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if code, out, err := run(nil, "check", directory); code != exitDone || !strings.Contains(out, "bucket: ok, 2 objects") {
		t.Errorf("%d %q %q", code, out, err)
	}
	if err := known.CreateIndex(t.Context(), registry.Name{Index: "books", Generation: "1"}, registry.NewID(), registry.NewID(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if code, _, err := run(nil, "check", directory); code != exitFailed || !strings.Contains(err, "books@1") {
		t.Errorf("an index without files: %d %q", code, err)
	}
	stored := filepath.Join(directory, "bucket", "registry")
	if code, out, err := run(nil, "inspect", stored); code != exitDone || !strings.Contains(out, `"books"`) {
		t.Errorf("%d %q %q", code, out, err)
	}
	content, err := os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stored, bytes.Replace(content, []byte("books"), []byte("hooks"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"check", directory}, {"inspect", stored}} {
		if code, _, err := run(nil, command...); code != exitFailed || !strings.Contains(err, "registry: object is corrupt") {
			t.Errorf("%s of a damaged registry: %d %q", command[0], code, err)
		}
	}
	if err := os.Remove(stored); err != nil {
		t.Fatal(err)
	}
	if code, _, err := run(nil, "check", directory); code != exitFailed || !strings.Contains(err, "bucket/registry: missing") {
		t.Errorf("a deployment without a registry: %d %q", code, err)
	}
}

// A running node writes while its files are checked, so findings may not be
// damage. The output says so.
func TestCheckOfARunningNodeSaysSo(t *testing.T) {
	directory := t.TempDir()
	store, err := localdir.Open(filepath.Join(directory, "bucket"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Open(t.Context(), store, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run(nil, "check", directory); !strings.Contains(err, "A node is running") {
		t.Errorf("told %q", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run(nil, "check", directory); err != "" {
		t.Errorf("told %q of a stopped node", err)
	}
}
