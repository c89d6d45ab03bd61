module github.com/quiresearch/quire/bench/run

go 1.26.0

require (
	github.com/klauspost/compress v1.20.3
	github.com/quiresearch/quire v0.0.0
	golang.org/x/text v0.43.0
)

replace github.com/quiresearch/quire => ../..
