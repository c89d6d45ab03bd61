package bitpack

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian reports whether stored bytes can be viewed without conversion.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func viewable(b []byte, align uintptr) bool {
	return littleEndian && uintptr(unsafe.Pointer(unsafe.SliceData(b)))%align == 0
}

// Uint16s views little-endian bytes as integers. It copies them if alignment or
// byte order require it. Extra bytes at the end are dropped.
func Uint16s(b []byte) []uint16 {
	n := len(b) / 2
	if n == 0 {
		return nil
	}
	if viewable(b, 2) {
		return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(b))), n)
	}
	out := make([]uint16, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(b[i*2:])
	}
	return out
}

// Uint32s views little-endian bytes as integers, like Uint16s.
func Uint32s(b []byte) []uint32 {
	n := len(b) / 4
	if n == 0 {
		return nil
	}
	if viewable(b, 4) {
		return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), n)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[i*4:])
	}
	return out
}

// Uint64s views little-endian bytes as integers, like Uint16s.
func Uint64s(b []byte) []uint64 {
	n := len(b) / 8
	if n == 0 {
		return nil
	}
	if viewable(b, 8) {
		return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), n)
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[i*8:])
	}
	return out
}

// Int64s views little-endian bytes as integers, like Uint16s.
func Int64s(b []byte) []int64 {
	u := Uint64s(b)
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(u))), len(u))
}

// Int32s views little-endian bytes as integers, like Uint16s.
func Int32s(b []byte) []int32 {
	u := Uint32s(b)
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(u))), len(u))
}

// Bytes32 views integers as little-endian bytes. It copies them if the byte order
// requires it.
func Bytes32(src []uint32) []byte {
	if len(src) == 0 {
		return nil
	}
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(src))), len(src)*4)
	}
	return AppendUint32s(nil, src)
}

// Bytes64 views integers as little-endian bytes, like Bytes32.
func Bytes64(src []uint64) []byte {
	if len(src) == 0 {
		return nil
	}
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(src))), len(src)*8)
	}
	return AppendUint64s(nil, src)
}

// AppendUint32s appends integers in little-endian order.
func AppendUint32s(dst []byte, src []uint32) []byte {
	if littleEndian {
		return append(dst, Bytes32(src)...)
	}
	for _, v := range src {
		dst = binary.LittleEndian.AppendUint32(dst, v)
	}
	return dst
}

// AppendUint64s appends integers in little-endian order.
func AppendUint64s(dst []byte, src []uint64) []byte {
	if littleEndian {
		return append(dst, Bytes64(src)...)
	}
	for _, v := range src {
		dst = binary.LittleEndian.AppendUint64(dst, v)
	}
	return dst
}
