// Package docs holds the documents that a node serves: the guides and the
// reference pages.
package docs

import "embed"

// Files are the documents, under guides and reference.
//
//go:embed guides/*.md guides/*.png guides/*.svg reference/*.md
var Files embed.FS
