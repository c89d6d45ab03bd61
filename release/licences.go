package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// licence is what a module says of its use.
type licence struct {
	id   string // SPDX; empty when the text is not a well-known one
	text []byte
}

var licenceName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice)`)

// licenceOf reads the licence and notice files at the top of a module.
func licenceOf(directory string) (licence, error) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return licence{}, err
	}
	var l licence
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !licenceName.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(directory, entry.Name()))
		if err != nil {
			return licence{}, err
		}
		if l.id == "" {
			l.id = spdx(string(text))
		}
		l.text = append(append(l.text, bytes.TrimSpace(text)...), '\n')
	}
	if l.text == nil {
		return licence{}, fmt.Errorf("%s has no licence file", directory)
	}
	return l, nil
}

// spdx returns the identifier of a licence text by sentences that only it has.
func spdx(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, known := range []struct{ id, sentence string }{
		{"Apache-2.0", "Apache License Version 2.0"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"},
		{"MIT", "Permission is hereby granted, free of charge"},
		{"ISC", "Permission to use, copy, modify, and/or distribute"},
		{"BSD-3-Clause", "Neither the name of"},
		{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
	} {
		if strings.Contains(text, known.sentence) {
			return known.id
		}
	}
	return ""
}

// licences returns the licence of every module that a program links, by path;
// std is that of Go itself.
func (r *release) licences(modules *debug.BuildInfo) (map[string]licence, error) {
	arguments := []string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}
	for _, module := range modules.Deps {
		arguments = append(arguments, module.Path)
	}
	lines, err := r.goCommand(arguments...)
	if err != nil {
		return nil, err
	}
	root, err := r.goCommand("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	found := make(map[string]licence)
	for line := range strings.Lines("std\t" + root + lines) {
		path, directory, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if found[path], err = licenceOf(directory); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return found, nil
}

func (r *release) goCommand(arguments ...string) (string, error) {
	command := exec.Command("go", arguments...)
	command.Dir, command.Env = r.source, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", arguments[0], err)
	}
	return string(output), nil
}

// notices returns the licence texts of everything linked, which those licences
// want to stand beside the program.
func (r *release) notices(modules *debug.BuildInfo) ([]byte, error) {
	found, err := r.licences(modules)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "The program links the following modules under their own licences.\n")
	for _, module := range sorted(modules) {
		title := module.Path + " " + module.Version
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s", title, strings.Repeat("=", len(title)), found[module.Path].text)
	}
	return out.Bytes(), nil
}

// sorted returns the modules by path, Go itself first.
func sorted(modules *debug.BuildInfo) []*debug.Module {
	all := slices.Clone(modules.Deps)
	slices.SortFunc(all, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return append([]*debug.Module{{Path: "std", Version: strings.TrimPrefix(modules.GoVersion, "go")}}, all...)
}
