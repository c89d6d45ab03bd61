package server

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version of the product; CHANGELOG.md lists what it brought.
const release = "0.1.0-dev"

// Version returns release, revision and compiler on one line.
func Version() string {
	revision, modified := "unknown revision", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				revision = setting.Value[:min(12, len(setting.Value))]
			case "vcs.modified":
				if setting.Value == "true" {
					modified = "+"
				}
			}
		}
	}
	return fmt.Sprintf("quire %s (%s%s, %s, %s/%s)", release, revision, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
