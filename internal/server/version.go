package server

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version of the product; CHANGELOG.md lists its changes.
const release = "0.1.0-dev"

// revision is set by the linker in a release, which is built without a repository.
var revision string

// Version returns release, revision and compiler on one line.
func Version() string {
	built, modified := "unknown revision", ""
	if info, ok := debug.ReadBuildInfo(); ok && revision == "" {
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				built = setting.Value[:min(12, len(setting.Value))]
			case "vcs.modified":
				if setting.Value == "true" {
					modified = "+"
				}
			}
		}
	}
	if revision != "" {
		built = revision[:min(12, len(revision))]
	}
	return fmt.Sprintf("quire %s (%s%s, %s, %s/%s)", release, built, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
