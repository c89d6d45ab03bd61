// Program release builds what a release consists of into a directory: an
// archive of the program for every platform, an SBOM for each, container images
// for Linux, and the checksums of all of them.
//
// The result depends on the sources, the revision and its time, the version of
// the compiler and the modules of go.sum, and on nothing else: built twice, in
// any directory, it has the same bytes.
//
//	go run ./release -revision 0123abcd… -time 1763300000 -out dist
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	source := flag.String("source", ".", "directory of the sources")
	revision := flag.String("revision", "", "revision of the sources")
	seconds := flag.Int64("time", 0, "when the revision was made, in seconds since 1970")
	out := flag.String("out", "dist", "directory to write to")
	only := flag.String("only", "", "one platform, such as linux/amd64, instead of all")
	flag.Parse()
	if err := run(*source, *revision, time.Unix(*seconds, 0).UTC(), *out, *only); err != nil {
		log.Fatal(err)
	}
}

// platforms are what programs are built for; images are made of those of Linux.
var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func run(source, revision string, at time.Time, out, only string) error {
	if !regexp.MustCompile(`^[0-9a-f]{40}\+?$`).MatchString(revision) {
		return fmt.Errorf("-revision: expected 40 hexadecimal digits, found %q", revision)
	}
	version, err := versionOf(source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	r := &release{source: source, version: version, revision: revision, at: at, out: out}
	for _, p := range platforms {
		if only != "" && only != p.String() {
			continue
		}
		log.Println(p)
		if err := r.publish(p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if r.files == nil {
		return fmt.Errorf("-only: %s is not a platform of a release", only)
	}
	return r.sums()
}

// release is one release on its way into a directory.
type release struct {
	source   string
	version  string
	revision string
	at       time.Time
	out      string
	files    []string // written so far
}

// versionOf reads the version that the sources declare.
func versionOf(source string) (string, error) {
	text, err := os.ReadFile(filepath.Join(source, "internal/server/version.go"))
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`const release = "([^"]+)"`).FindSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("internal/server/version.go declares no release")
	}
	return string(found[1]), nil
}

// publish writes the files of one platform.
func (r *release) publish(p platform) error {
	program, err := r.build(p)
	if err != nil {
		return err
	}
	modules, err := modulesOf(program)
	if err != nil {
		return err
	}
	notices, err := r.notices(modules)
	if err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return err
	}
	archive, err := packed(p, r.at, []file{
		{"quire" + p.suffix(), 0o755, program}, {"LICENSE", 0o644, licence}, {"THIRD-PARTY-LICENCES", 0o644, notices},
	})
	if err != nil {
		return err
	}
	if err := r.write(r.name(p, p.archive()), archive); err != nil {
		return err
	}
	bom, err := r.sbom(p, modules)
	if err != nil {
		return err
	}
	if err := r.write(r.name(p, ".cdx.json"), bom); err != nil {
		return err
	}
	if p.system != "linux" {
		return nil
	}
	image, err := r.image(p, program)
	if err != nil {
		return err
	}
	return r.write(r.name(p, ".oci.tar"), image)
}

func (r *release) name(p platform, suffix string) string {
	return fmt.Sprintf("quire_%s_%s_%s%s", r.version, p.system, p.architecture, suffix)
}

func (r *release) write(name string, content []byte) error {
	r.files = append(r.files, name)
	return os.WriteFile(filepath.Join(r.out, name), content, 0o644)
}

// sums writes the checksums of all files, as sha256sum -c reads them.
func (r *release) sums() error {
	var lines strings.Builder
	for _, name := range r.files {
		content, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(content), name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(lines.String()), 0o644)
}
