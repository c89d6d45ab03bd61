package simd

import "golang.org/x/sys/cpu"

var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ
	hasVNNI   = hasAVX512 && cpu.X86.HasAVX512VNNI
)

//go:noescape
func dotF32AVX2(a, b *float32, n int) float32

//go:noescape
func dotF32EachAVX512(rows **float32, n, count int, q, out *float32)

//go:noescape
func squaredDistanceF32AVX2(a, b *float32, n int) float32

//go:noescape
func squaredDistanceF32EachAVX512(rows **float32, n, count int, q, out *float32)

//go:noescape
func dotU8RowsVNNI(rows *byte, stride int, ids *uint32, count int, q *int8, out *int32, ahead int)

//go:noescape
func dotU8RowsAVX2(rows *byte, stride int, ids *uint32, count int, q *int8, out *int32, ahead int)

//go:noescape
func dotU4RowsVNNI(rows *byte, stride int, ids *uint32, count int, q *int8, out *int32, ahead int)

//go:noescape
func dotU4RowsAVX2(rows *byte, stride int, ids *uint32, count int, q *int8, out *int32, ahead int)

//go:noescape
func fetch(values *uint32, count int)

//go:noescape
func unseenIn(words *uint64, length int, ids *uint32, count int, into *uint32, rows *byte, stride int, beside *float32) int

func unseen(words []uint64, ids, into []uint32, rows []byte, stride int, beside []float32) int {
	return unseenIn(&words[0], len(words), &ids[0], len(ids), &into[0], &rows[0], stride, &beside[0])
}

func dotF32(a, b []float32) (sum float32) {
	if !hasAVX2 || len(a) < 8 {
		return dotF32Go(a, b)
	}
	if hasAVX512 {
		row := &a[0]
		dotF32EachAVX512(&row, len(a), 1, &b[0], &sum)
		return sum
	}
	whole := len(a) &^ 7
	sum = dotF32AVX2(&a[0], &b[0], whole)
	for i := whole; i < len(a); i++ {
		sum += a[i] * b[i]
	}
	return sum
}

func squaredDistanceF32(a, b []float32) (sum float32) {
	if !hasAVX2 || len(a) < 8 {
		return squaredDistanceF32Go(a, b)
	}
	if hasAVX512 {
		row := &a[0]
		squaredDistanceF32EachAVX512(&row, len(a), 1, &b[0], &sum)
		return sum
	}
	whole := len(a) &^ 7
	sum = squaredDistanceF32AVX2(&a[0], &b[0], whole)
	for i := whole; i < len(a); i++ {
		d := a[i] - b[i]
		sum += d * d
	}
	return sum
}

func dotF32Each(rows []*float32, q, out []float32) {
	if hasAVX512 && len(q) >= 8 {
		dotF32EachAVX512(&rows[0], len(q), len(rows), &q[0], &out[0])
		return
	}
	dotF32EachGo(rows, q, out)
}

func squaredDistanceF32Each(rows []*float32, q, out []float32) {
	if hasAVX512 && len(q) >= 8 {
		squaredDistanceF32EachAVX512(&rows[0], len(q), len(rows), &q[0], &out[0])
		return
	}
	squaredDistanceF32EachGo(rows, q, out)
}

func dotU8Rows(rows []byte, ids []uint32, q []int8, out []int32, ahead int) {
	switch {
	case hasVNNI:
		dotU8RowsVNNI(&rows[0], len(q), &ids[0], len(ids), &q[0], &out[0], ahead)
	case hasAVX2:
		dotU8RowsAVX2(&rows[0], len(q), &ids[0], len(ids), &q[0], &out[0], ahead)
	default:
		dotU8RowsGo(rows, ids, q, out)
	}
}

func dotU4Rows(rows []byte, ids []uint32, q []int8, out []int32, ahead int) {
	switch {
	case hasVNNI:
		dotU4RowsVNNI(&rows[0], len(q)/2, &ids[0], len(ids), &q[0], &out[0], ahead)
	case hasAVX2:
		dotU4RowsAVX2(&rows[0], len(q)/2, &ids[0], len(ids), &q[0], &out[0], ahead)
	default:
		dotU4RowsGo(rows, ids, q, out)
	}
}
