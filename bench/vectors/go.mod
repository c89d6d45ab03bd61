module github.com/quiresearch/quire/bench/vectors

go 1.26.0

require github.com/quiresearch/quire v0.0.0

require (
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/quiresearch/quire => ../..
