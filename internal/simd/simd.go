// Package simd contains the few arithmetic kernels that determine how fast vectors
// are compared: dot products and distances of float32 rows and of rows quantized to
// 8 and 4 bits.
//
// Every kernel has a pure-Go twin with the same result (exactly for integers, up to
// rounding for floats). On amd64 the assembly kernels are selected once, at start,
// by the features of the processor; elsewhere the twins run.
//
// Quantized rows are padded to a multiple of Lanes values. An 8-bit row has one
// unsigned byte per value. A 4-bit row stores Lanes values in Lanes/2 bytes: byte j
// contains value j in its low half and value j+Lanes/2 in its high half. The other
// side of a product always has a signed byte per value.
package simd

import "unsafe"

// Lanes is the granularity of quantized rows: the number of their values is padded to
// a multiple of it.
const Lanes = 64

// DotF32 returns the sum of a[i]*b[i]. The slices have equal length.
func DotF32(a, b []float32) float32 {
	if len(a) != len(b) {
		panic("simd: rows of different length")
	}
	return dotF32(a, b)
}

// SquaredDistanceF32 returns the sum of (a[i]-b[i])². The slices have equal
// length.
func SquaredDistanceF32(a, b []float32) float32 {
	if len(a) != len(b) {
		panic("simd: rows of different length")
	}
	return squaredDistanceF32(a, b)
}

// DotF32Rows sets out[i] to the dot product of q with row ids[i] of rows,
// whose rows have len(q) values each.
func DotF32Rows(rows []float32, ids []uint32, q []float32, out []float32) {
	var at [batch]*float32
	for len(ids) > 0 {
		n := locate(&at, rows, ids, len(q))
		dotF32Each(at[:n], q, out[:n])
		ids, out = ids[n:], out[n:]
	}
}

// SquaredDistanceF32Rows sets out[i] to the squared distance of q and row
// ids[i] of rows, whose rows have len(q) values each.
func SquaredDistanceF32Rows(rows []float32, ids []uint32, q []float32, out []float32) {
	var at [batch]*float32
	for len(ids) > 0 {
		n := locate(&at, rows, ids, len(q))
		squaredDistanceF32Each(at[:n], q, out[:n])
		ids, out = ids[n:], out[n:]
	}
}

// SquaredDistanceF32Of sets out[i] to the squared distance of q and the row
// that begins at table[ids[i]]. Every row has len(q) values, at least one.
func SquaredDistanceF32Of(table []*float32, ids []uint32, q []float32, out []float32) {
	var at [batch]*float32
	for len(ids) > 0 {
		n := min(len(ids), batch)
		for i, id := range ids[:n] {
			at[i] = table[id]
		}
		squaredDistanceF32Each(at[:n], q, out[:n])
		ids, out = ids[n:], out[n:]
	}
}

// batch is the number of rows passed to a kernel at once: the links of a node.
const batch = 64

// locate finds the first rows of ids and returns their number. Kernels use plain
// pointers, so it makes sure that these are inside the slice.
func locate(at *[batch]*float32, rows []float32, ids []uint32, values int) int {
	n := min(len(ids), batch)
	for i, id := range ids[:n] {
		at[i] = &rows[int(id)*values:][:values][0]
	}
	return n
}

// DotU8Rows sets out[i] to the dot product of q with row ids[i] of 8-bit rows.
// len(q), the length of a row, must be a multiple of Lanes. While a row is read, the
// one that is ahead places later in ids is prefetched.
func DotU8Rows(rows []byte, ids []uint32, q []int8, out []int32, ahead int) {
	checkLanes(len(q))
	checkRows(len(rows), len(q), ids, len(out), ahead)
	if len(ids) > 0 {
		dotU8Rows(rows, ids, q, out, ahead)
	}
}

// DotU4Rows is DotU8Rows for 4-bit rows, which have half as many bytes.
func DotU4Rows(rows []byte, ids []uint32, q []int8, out []int32, ahead int) {
	checkLanes(len(q))
	checkRows(len(rows), len(q)/2, ids, len(out), ahead)
	if len(ids) > 0 {
		dotU4Rows(rows, ids, q, out, ahead)
	}
}

// Fetch prefetches memory that will be read soon.
func Fetch(values []uint32) {
	if len(values) > 0 {
		fetch(&values[0], len(values))
	}
}

// Unseen sets the bits of ids in words, stores those that were not set in into,
// which must have space for all, and returns their number. It prefetches their rows
// of stride bytes and their values in beside.
func Unseen(words []uint64, ids, into []uint32, rows []byte, stride int, beside []float32) int {
	if len(into) < len(ids) || len(words) == 0 || len(rows) == 0 || len(beside) == 0 {
		panic("simd: not enough room")
	}
	if len(ids) == 0 {
		return 0
	}
	n := unseen(words, ids, into, rows, stride, beside)
	if n < 0 {
		panic("simd: number out of range")
	}
	return n
}

func unseenGo(words []uint64, ids, into []uint32) int {
	n := 0
	for _, id := range ids {
		bit := uint64(1) << (id % 64)
		if words[id/64]&bit == 0 {
			words[id/64] |= bit
			into[n] = id
			n++
		}
	}
	return n
}

func checkLanes(values int) {
	if values == 0 || values%Lanes != 0 {
		panic("simd: rows of the wrong length")
	}
}

// checkRows makes sure that the kernels, which use plain pointers, stay inside
// their slices.
func checkRows(length, stride int, ids []uint32, out, ahead int) {
	if stride == 0 || out < len(ids) {
		panic("simd: rows or results of the wrong length")
	}
	if ahead < 0 {
		panic("simd: prefetch of an earlier row")
	}
	count := uint32(length / stride)
	for _, id := range ids {
		if id >= count {
			panic("simd: row out of range")
		}
	}
}

func dotF32Go(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func squaredDistanceF32Go(a, b []float32) float32 {
	var s0, s1 float32
	i := 0
	for ; i+2 <= len(a); i += 2 {
		d0, d1 := a[i]-b[i], a[i+1]-b[i+1]
		s0 += d0 * d0
		s1 += d1 * d1
	}
	if i < len(a) {
		d := a[i] - b[i]
		s0 += d * d
	}
	return s0 + s1
}

func dotF32EachGo(rows []*float32, q, out []float32) {
	for i, row := range rows {
		out[i] = dotF32(unsafe.Slice(row, len(q)), q)
	}
}

func squaredDistanceF32EachGo(rows []*float32, q, out []float32) {
	for i, row := range rows {
		out[i] = squaredDistanceF32(unsafe.Slice(row, len(q)), q)
	}
}

func dotU8RowsGo(rows []byte, ids []uint32, q []int8, out []int32) {
	for i, id := range ids {
		row := rows[int(id)*len(q):][:len(q)]
		var sum int32
		for j, u := range row {
			sum += int32(u) * int32(q[j])
		}
		out[i] = sum
	}
}

func dotU4RowsGo(rows []byte, ids []uint32, q []int8, out []int32) {
	stride := len(q) / 2
	for i, id := range ids {
		row := rows[int(id)*stride:][:stride]
		var sum int32
		for block := 0; block < stride; block += Lanes / 2 {
			for j, u := range row[block : block+Lanes/2] {
				sum += int32(u&15)*int32(q[2*block+j]) + int32(u>>4)*int32(q[2*block+Lanes/2+j])
			}
		}
		out[i] = sum
	}
}
