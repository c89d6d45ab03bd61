package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"time"
)

// file is a file of an archive.
type file struct {
	name    string
	mode    int64
	content []byte
}

// archive returns how archives for a platform end: people on Windows open zip
// files.
func (p platform) archive() string {
	if p.system == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// packed returns an archive of files in the form of a platform. All of them
// have the time of the release and belong to root.
func packed(p platform, at time.Time, files []file) ([]byte, error) {
	if p.system == "windows" {
		return zipped(at, files)
	}
	return gzipped(func(w *tar.Writer) error {
		for _, f := range files {
			if err := add(w, &tar.Header{Name: f.name, Mode: f.mode, ModTime: at}, f.content); err != nil {
				return err
			}
		}
		return nil
	})
}

// gzipped returns a compressed tar of what fill writes.
func gzipped(fill func(*tar.Writer) error) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressed)
	if err := fill(w); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// add writes an entry whose size and form follow from its content.
func add(w *tar.Writer, header *tar.Header, content []byte) error {
	header.Format, header.Size = tar.FormatUSTAR, int64(len(content))
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}

func zipped(at time.Time, files []file) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()})
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
