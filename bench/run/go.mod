module github.com/quiresearch/quire/bench/run

go 1.26.0

require (
	github.com/klauspost/compress v1.20.3
	github.com/quiresearch/quire v0.0.0
	golang.org/x/text v0.43.0
)

require golang.org/x/sys v0.49.0 // indirect

replace github.com/quiresearch/quire => ../..
