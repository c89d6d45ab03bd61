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
var peersOfVectors = []string{"numpy==2.4.6", "hnswlib==0.8.0", "usearch==2.26.6", "faiss-cpu==1.15.1"}

// nearest measures nearest neighbours: bench/vectors with its peers.
func nearest(o options, quick bool) error {
	python := filepath.Join(o.work, "venv", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		fmt.Println("installing the peers of vector search")
		err := shell("python3", "-m", "venv", filepath.Join(o.work, "venv"))
		if err == nil {
			err = shell(python, append([]string{"-m", "pip", "install", "-q"}, peersOfVectors...)...)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: without peers:", err)
			python = ""
		}
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

func shell(name string, arguments ...string) error {
	c := exec.Command(name, arguments...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}
