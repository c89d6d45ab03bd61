//go:build !amd64

package simd

func dotF32(a, b []float32) float32             { return dotF32Go(a, b) }
func squaredDistanceF32(a, b []float32) float32 { return squaredDistanceF32Go(a, b) }
func dotF32Each(rows []*float32, q, out []float32) {
	dotF32EachGo(rows, q, out)
}
func squaredDistanceF32Each(rows []*float32, q, out []float32) {
	squaredDistanceF32EachGo(rows, q, out)
}
func dotU8Rows(rows []byte, ids []uint32, q []int8, out []int32, _ int) {
	dotU8RowsGo(rows, ids, q, out)
}
func dotU4Rows(rows []byte, ids []uint32, q []int8, out []int32, _ int) {
	dotU4RowsGo(rows, ids, q, out)
}
func fetch(*uint32, int) {}
func unseen(words []uint64, ids, into []uint32, _ []byte, _ int, _ []float32) int {
	return unseenGo(words, ids, into)
}
