package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// peersOfVectors are the libraries that nearest neighbours are measured
// beside, in an environment of their own.
var peersOfVectors = []string{"numpy==2.4.6", "hnswlib==0.8.0", "usearch==2.26.6", "faiss-cpu==1.15.1", "qdrant-edge-py==0.9.0", "milvus-lite==3.2.2"}

// nearest measures nearest neighbours: bench/vectors with its peers.
func nearest(o options, quick bool) error {
	python := filepath.Join(o.work, "venv", "bin", "python")
	if err := installPeers(python); err != nil {
		fmt.Fprintln(os.Stderr, "bench: without peers:", err)
		python = ""
	}
	if err := shell("go", "build", "-C", "bench/vectors", "-o", "../../bin/bench-vectors", "."); err != nil {
		return err
	}
	sets := "glove,384,128"
	if quick {
		sets = "glove"
	}
	return shell("bin/bench-vectors", "-data", o.data, "-work", o.work, "-python", python, "-sets", sets, "-out", strings.TrimSuffix(o.out, ".md")+"-vectors.md")
}

// installPeers makes the environment of python if it is missing and installs
// the peers that it lacks. An environment that has them all is left as it is.
func installPeers(python string) error {
	if _, err := os.Stat(python); err != nil {
		if err := shell("python3", "-m", "venv", filepath.Dir(filepath.Dir(python))); err != nil {
			return err
		}
	}
	fmt.Println("installing the peers of vector search")
	return shell(python, append([]string{"-m", "pip", "install", "-q"}, peersOfVectors...)...)
}

func shell(name string, arguments ...string) error {
	c := exec.Command(name, arguments...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}
