package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"encoding/json"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

func testRelease() *release {
	return &release{source: "..", version: "1.2.3", revision: strings.Repeat("ab", 20), at: time.Unix(1763300000, 0).UTC()}
}

// Every file is what its digest says, from the index down to the layer, and the
// image is run as the Dockerfile says. make release-check has crane read it too.
func TestImageIsWhatItsDigestsSay(t *testing.T) {
	content, err := testRelease().image(platform{"linux", "arm64"}, []byte("program"))
	if err != nil {
		t.Fatal(err)
	}
	files := untar(t, content)
	follow := func(d descriptor) []byte {
		t.Helper()
		body := files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
		if body == nil || digest(body) != d.Digest || len(body) != d.Size {
			t.Fatalf("%+v leads to %d bytes", d, len(body))
		}
		return body
	}
	var index struct{ Manifests []descriptor }
	decode(t, files["index.json"], &index)
	if len(index.Manifests) != 1 || index.Manifests[0].Platform["architecture"] != "arm64" {
		t.Fatalf("%+v", index)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	decode(t, follow(index.Manifests[0]), &manifest)
	var image struct {
		OS, Architecture string
		Config           config
		RootFS           struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	decode(t, follow(manifest.Config), &image)
	run := image.Config
	_, port := run.ExposedPorts["8080/tcp"]
	if run.User != "65532:65532" || !port || !slices.Equal(run.Entrypoint, []string{"/quire"}) || !slices.Equal(run.Cmd, []string{"serve"}) ||
		!slices.Contains(run.Env, "SERVICE_STORAGE_LOCAL_DIRECTORY=/data") || image.OS != "linux" || image.Architecture != "arm64" {
		t.Errorf("%+v", image)
	}
	if run.Labels["org.opencontainers.image.version"] != "1.2.3" || run.Labels["org.opencontainers.image.licenses"] != "Apache-2.0" {
		t.Errorf("labels %v", run.Labels)
	}
	compressed, err := gzip.NewReader(bytes.NewReader(follow(manifest.Layers[0])))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := io.ReadAll(compressed)
	if err != nil || len(manifest.Layers) != 1 || !slices.Equal(image.RootFS.DiffIDs, []string{digest(layer)}) {
		t.Errorf("%+v, the layer is %s: %v", image.RootFS, digest(layer), err)
	}
	checkFiles(t, layer)

	var docker []struct {
		Config string
		Layers []string
	}
	decode(t, files["manifest.json"], &docker)
	if files[docker[0].Config] == nil || files[docker[0].Layers[0]] == nil {
		t.Errorf("docker load finds nothing: %+v", docker)
	}
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// checkFiles looks at the files of the layer and whom they belong to.
func checkFiles(t *testing.T, layer []byte) {
	t.Helper()
	modes := make(map[string]int64)
	for r := tar.NewReader(bytes.NewReader(layer)); ; {
		header, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		modes[header.Name] = header.Mode
		if owned := header.Name == "data/"; owned != (header.Uid == 65532) || owned != (header.Gid == 65532) {
			t.Errorf("%s belongs to %d:%d", header.Name, header.Uid, header.Gid)
		}
	}
	if modes["quire"] != 0o755 || modes["data/"] != 0o700 || modes["etc/ssl/certs/ca-certificates.crt"] != 0o644 || len(modes) != 6 {
		t.Errorf("%v", modes)
	}
	if trusted := x509.NewCertPool(); !trusted.AppendCertsFromPEM(roots) || bytes.Count(roots, []byte("BEGIN CERTIFICATE")) < 50 {
		t.Error("no certificate authorities")
	}
}

func untar(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	found := make(map[string][]byte)
	for r := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := r.Next()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if found[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// An instruction that the image would not follow is not skipped in silence.
func TestUnknownInstructionsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"FROM golang AS build\n":             "no stage from scratch",
		"\nFROM scratch\nHEALTHCHECK NONE\n": "HEALTHCHECK",
		"\nFROM scratch\nUSER nobody\n":      "USER nobody",
		"\nFROM scratch\nCMD serve\n":        "CMD serve",
	} {
		if _, err := readDockerfile(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The SBOM names every module of the program with version, checksum and licence.
func TestSBOMNamesEveryModule(t *testing.T) {
	kong := &debug.Module{Path: "github.com/alecthomas/kong", Version: "v1.16.1", Sum: "h1:sum"}
	encoded, err := testRelease().sbom(platform{"darwin", "arm64"}, &debug.BuildInfo{GoVersion: "go1.26.8", Deps: []*debug.Module{kong}})
	if err != nil {
		t.Fatal(err)
	}
	var read bom
	decode(t, encoded, &read)
	var got []string
	for _, c := range read.Components {
		got = append(got, c.PackageURL+" "+c.Licences[0].Licence.ID)
	}
	want := []string{"pkg:golang/std@1.26.8 BSD-3-Clause", "pkg:golang/github.com/alecthomas/kong@v1.16.1 MIT"}
	if !slices.Equal(got, want) || read.Metadata.Component.Version != "1.2.3" || read.Metadata.Timestamp != "2025-11-16T13:33:20Z" {
		t.Errorf("%q %+v", got, read.Metadata)
	}
	if !strings.Contains(string(encoded), "h1:sum") {
		t.Errorf("%s", encoded)
	}
}

func TestArchivesDependOnTheirContentAlone(t *testing.T) {
	at := time.Unix(1763300000, 0).UTC()
	files := []file{{"quire", 0o755, []byte("program")}, {"LICENSE", 0o644, []byte("text")}}
	for _, p := range []platform{{"linux", "amd64"}, {"windows", "amd64"}} {
		first, err := packed(p, at, files)
		if err != nil {
			t.Fatal(err)
		}
		again, err := packed(p, at.In(time.FixedZone("elsewhere", 3600)), files)
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: %v", p, err)
		}
	}
}
