// Package docs embeds the documents that a node serves: the guides and the
// reference pages.
package docs

import "embed"

// Files holds the documents, under guides and reference.
//
//go:embed guides/*.md guides/*.png guides/*.svg reference/*.md
var Files embed.FS
