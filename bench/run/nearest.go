package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// peersOfVectors are the libraries that nearest-neighbour search is compared
// with, installed in their own environment.
var peersOfVectors = []string{"numpy==2.4.6", "hnswlib==0.8.0", "usearch==2.26.6", "faiss-cpu==1.15.1", "qdrant-edge-py==0.9.0", "milvus-lite==3.2.2"}

// nearest measures nearest-neighbour search with bench/vectors and its peers.
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

// installPeers creates the environment of python if it is missing and installs
// missing peers. A complete environment is left unchanged.
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
