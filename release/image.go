package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The image as the OCI image specification 1.1 wants it, see
// https://github.com/opencontainers/image-spec/blob/main/image-layout.md:
//
//	oci-layout        the version of the layout
//	index.json        names the manifest
//	blobs/sha256/…    the manifest, which names the config and one layer
//	manifest.json     the same for docker load, which is older than the layout
//
// The layer holds the program, the roots of TLS and the directory for data.
const (
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// roots are the certificate authorities that Mozilla trusts without conditions;
// scripts/release-roots writes them. Those of the machine that builds would make
// the image depend on it.
//
//go:embed roots.pem
var roots []byte

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    map[string]string `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// image returns a tar of the image of a program for Linux.
func (r *release) image(p platform, program []byte) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(r.source, "Dockerfile"))
	if err != nil {
		return nil, err
	}
	promised, err := readDockerfile(string(text))
	if err != nil {
		return nil, err
	}
	layer, diff, err := r.layer(program, promised.owner)
	if err != nil {
		return nil, err
	}
	promised.config.Labels["org.opencontainers.image.version"] = r.version
	promised.config.Labels["org.opencontainers.image.revision"] = r.revision
	created := r.at.Format(time.RFC3339)
	config, err := json.Marshal(map[string]any{
		"created": created, "os": p.system, "architecture": p.architecture, "config": promised.config,
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{diff}},
		"history": []map[string]string{{"created": created, "created_by": "make release"}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": typeManifest, "config": describe(typeConfig, config), "layers": []descriptor{describe(typeLayer, layer)},
	})
	if err != nil {
		return nil, err
	}
	return r.layout(p, manifest, config, layer)
}

// layout returns the tar of an image from its parts.
func (r *release) layout(p platform, manifest, config, layer []byte) ([]byte, error) {
	tag := "quire:" + r.version
	root := describe(typeManifest, manifest)
	root.Platform = map[string]string{"os": p.system, "architecture": p.architecture}
	root.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.version, "io.containerd.image.name": "docker.io/library/" + tag}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []descriptor{root}})
	if err != nil {
		return nil, err
	}
	docker, err := json.Marshal([]map[string]any{{"Config": blob(config), "RepoTags": []string{tag}, "Layers": []string{blob(layer)}}})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range []file{
		{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", 0o644, index}, {"manifest.json", 0o644, docker},
		{blob(manifest), 0o644, manifest}, {blob(config), 0o644, config}, {blob(layer), 0o644, layer},
	} {
		if err := add(w, &tar.Header{Name: f.name, Mode: f.mode, ModTime: r.at}, f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func describe(mediaType string, content []byte) descriptor {
	return descriptor{MediaType: mediaType, Digest: digest(content), Size: len(content)}
}

func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

func blob(content []byte) string { return fmt.Sprintf("blobs/sha256/%x", sha256.Sum256(content)) }

// layer returns the files of the image, compressed, and the digest of the tar
// before compression.
func (r *release) layer(program []byte, owner int) (compressed []byte, diff string, err error) {
	hash := sha256.New()
	compressed, err = gzipped(func(compressing *tar.Writer) error {
		return r.fill(compressing, program, owner)
	})
	if err != nil {
		return nil, "", err
	}
	plain := tar.NewWriter(hash)
	if err := r.fill(plain, program, owner); err != nil {
		return nil, "", err
	}
	if err := plain.Close(); err != nil {
		return nil, "", err
	}
	return compressed, fmt.Sprintf("sha256:%x", hash.Sum(nil)), nil
}

func (r *release) fill(w *tar.Writer, program []byte, owner int) error {
	directory := func(name string, mode int64, owner int) error {
		return add(w, &tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode, Uid: owner, Gid: owner, ModTime: r.at}, nil)
	}
	for _, name := range []string{"etc/", "etc/ssl/", "etc/ssl/certs/"} {
		if err := directory(name, 0o755, 0); err != nil {
			return err
		}
	}
	if err := directory("data/", 0o700, owner); err != nil {
		return err
	}
	if err := add(w, &tar.Header{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644, ModTime: r.at}, roots); err != nil {
		return err
	}
	return add(w, &tar.Header{Name: "quire", Mode: 0o755, ModTime: r.at}, program)
}
