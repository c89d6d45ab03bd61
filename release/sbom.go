package main

import (
	"encoding/json"
	"runtime/debug"
	"time"
)

// The parts of CycloneDX 1.6 that a bill of materials of Go modules needs, see
// https://cyclonedx.org/docs/1.6/json/.
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     bomMetadata  `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type bomMetadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string             `json:"type"`
	Reference  string             `json:"bom-ref"`
	Name       string             `json:"name"`
	Version    string             `json:"version"`
	Scope      string             `json:"scope,omitempty"`
	Licences   []licenceReference `json:"licenses,omitempty"`
	PackageURL string             `json:"purl"`
	Properties []property         `json:"properties,omitempty"`
}

type licenceReference struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Reference string   `json:"ref"`
	On        []string `json:"dependsOn"`
}

// sbom returns the bill of materials of a program as CycloneDX JSON. The
// modules, their versions and checksums are those that the compiler recorded in
// the program.
func (r *release) sbom(p platform, modules *debug.BuildInfo) ([]byte, error) {
	found, err := r.licences(modules)
	if err != nil {
		return nil, err
	}
	program := newComponent("application", "github.com/quiresearch/quire", r.version, "Apache-2.0")
	program.Properties = []property{{"platform", p.String()}, {"revision", r.revision}}
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: bomMetadata{Timestamp: r.at.Format(time.RFC3339), Component: program}}
	linked := dependency{Reference: program.Reference}
	for _, module := range sorted(modules) {
		c := newComponent("library", module.Path, module.Version, found[module.Path].id)
		c.Scope = "required"
		if module.Sum != "" {
			// A sum over a file tree, not over one file, so it is not among the hashes.
			c.Properties = []property{{"go.sum", module.Sum}}
		}
		b.Components, linked.On = append(b.Components, c), append(linked.On, c.Reference)
	}
	b.Dependencies = []dependency{linked}
	return json.MarshalIndent(b, "", "  ")
}

func newComponent(kind, path, version, licence string) component {
	reference := "pkg:golang/" + path + "@" + version
	c := component{Type: kind, Reference: reference, PackageURL: reference, Name: path, Version: version}
	if licence != "" {
		c.Licences = make([]licenceReference, 1)
		c.Licences[0].Licence.ID = licence
	}
	return c
}
