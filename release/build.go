package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
)

// platform is an operating system and an architecture, as Go names them.
type platform struct{ system, architecture string }

func (p platform) String() string { return p.system + "/" + p.architecture }

func (p platform) suffix() string {
	if p.system == "windows" {
		return ".exe"
	}
	return ""
}

// build compiles the program and returns its bytes. Paths, the state of the
// working copy, the settings of the caller and build ids stay out of it.
func (r *release) build(p platform) ([]byte, error) {
	directory, err := os.MkdirTemp("", "quire-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	target := filepath.Join(directory, "quire"+p.suffix())
	flags := "-s -w -buildid= -X github.com/quiresearch/quire/internal/server.revision=" + r.revision
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", flags, "-o", target, "./cmd/quire")
	command.Dir = r.source
	command.Env = append(os.Environ(), "GOOS="+p.system, "GOARCH="+p.architecture, "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off")
	if output, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, output)
	}
	return os.ReadFile(target)
}

// modulesOf returns what a program was built from.
func modulesOf(program []byte) (*debug.BuildInfo, error) {
	return buildinfo.Read(bytes.NewReader(program))
}
