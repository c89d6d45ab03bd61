//go:build !amd64

package columns

func narrow8(ordinals []uint8, words []uint64, least, most uint8) {
	narrow(ordinals, words, least, most)
}

func narrow16(ordinals []uint16, words []uint64, least, most uint16) {
	narrow(ordinals, words, least, most)
}
