#include "textflag.h"

// The kernels over rows keep the rows in R8 (or pointers to them in R10), the number
// of bytes of a row in R9, the ids in R10, their number in R11, the query in R12, the
// results in R13, how many rows ahead they prefetch in R15 and the index of the current
// row in BX.

// ROWS_ARGUMENTS loads the arguments of a kernel over rows given by ids.
#define ROWS_ARGUMENTS \
	MOVQ rows+0(FP), R8; \
	MOVQ stride+8(FP), R9; \
	MOVQ ids+16(FP), R10; \
	MOVQ count+24(FP), R11; \
	MOVQ q+32(FP), R12; \
	MOVQ out+40(FP), R13; \
	MOVQ ahead+48(FP), R15; \
	XORQ BX, BX

// LOAD_ROW points SI at the row of the current id and DI at the query, sets CX to the
// number of bytes of a row, and prefetches a row ahead: rows are scattered in memory,
// and waiting for them costs more than the arithmetic.
#define LOAD_ROW(fetch, load) \
	LEAQ (BX)(R15*1), AX; \
	CMPQ AX, R11; \
	JGE load; \
	MOVL (R10)(AX*4), DX; \
	IMULQ R9, DX; \
	ADDQ R8, DX; \
	LEAQ (DX)(R9*1), AX; \
	fetch: \
	PREFETCHT0 (DX); \
	ADDQ $64, DX; \
	CMPQ DX, AX; \
	JLT fetch; \
	load: \
	MOVL (R10)(BX*4), SI; \
	IMULQ R9, SI; \
	ADDQ R8, SI; \
	MOVQ R12, DI; \
	MOVQ R9, CX

// EACH_ARGUMENTS loads the arguments of a kernel over pointers to rows, and the mask
// of the values of a row after the last full 16.
#define EACH_ARGUMENTS \
	MOVQ rows+0(FP), R10; \
	MOVQ n+8(FP), R9; \
	MOVQ count+16(FP), R11; \
	MOVQ q+24(FP), R12; \
	MOVQ out+32(FP), R13; \
	MOVQ R9, CX; \
	ANDQ $15, CX; \
	MOVL $1, AX; \
	SHLL CX, AX; \
	DECL AX; \
	KMOVW AX, K1; \
	SHLQ $2, R9; \
	XORQ BX, BX

// LOAD_EACH is LOAD_ROW for a pointer to a row; it prefetches the second row ahead
// and clears the four sums.
#define LOAD_EACH(fetch, load) \
	LEAQ 2(BX), AX; \
	CMPQ AX, R11; \
	JGE load; \
	MOVQ (R10)(AX*8), DX; \
	LEAQ (DX)(R9*1), AX; \
	fetch: \
	PREFETCHT0 (DX); \
	ADDQ $64, DX; \
	CMPQ DX, AX; \
	JLT fetch; \
	load: \
	MOVQ (R10)(BX*8), SI; \
	MOVQ R12, DI; \
	MOVQ R9, CX; \
	VPXORD Z0, Z0, Z0; \
	VPXORD Z1, Z1, Z1; \
	VPXORD Z2, Z2, Z2; \
	VPXORD Z3, Z3, Z3

// STORE_SUM_INT32 stores the sum of the eight numbers in Y0 and advances to the next row.
#define STORE_SUM_INT32 \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0x4E, X0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0xB1, X0, X1; \
	VPADDD X1, X0, X0; \
	VMOVD X0, AX; \
	MOVL AX, (R13)(BX*4); \
	INCQ BX

// SUM_FLOAT32 adds up the eight numbers in Y0 into X0.
#define SUM_FLOAT32 \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS X1, X0, X0; \
	VHADDPS X0, X0, X0; \
	VHADDPS X0, X0, X0

// STORE_SUM_EACH stores the sum of the numbers in Z0 to Z3 and advances to the next row.
#define STORE_SUM_EACH \
	VADDPS Z1, Z0, Z0; \
	VADDPS Z3, Z2, Z2; \
	VADDPS Z2, Z0, Z0; \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VADDPS Y1, Y0, Y0; \
	SUM_FLOAT32; \
	VMOVSS X0, (R13)(BX*4); \
	INCQ BX

// func dotF32AVX2(a, b *float32, n int) float32
// n is a multiple of 8.
TEXT ·dotF32AVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

dot32:
	CMPQ CX, $32
	JL   dot8
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VFMADD231PS (DI), Y4, Y0
	VFMADD231PS 32(DI), Y5, Y1
	VFMADD231PS 64(DI), Y6, Y2
	VFMADD231PS 96(DI), Y7, Y3
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, CX
	JMP  dot32

dot8:
	CMPQ CX, $8
	JL   dotdone
	VMOVUPS (SI), Y4
	VFMADD231PS (DI), Y4, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JMP  dot8

dotdone:
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0
	SUM_FLOAT32
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET

// func squaredDistanceF32AVX2(a, b *float32, n int) float32
// n is a multiple of 8.
TEXT ·squaredDistanceF32AVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

far32:
	CMPQ CX, $32
	JL   far8
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VSUBPS (DI), Y4, Y4
	VSUBPS 32(DI), Y5, Y5
	VSUBPS 64(DI), Y6, Y6
	VSUBPS 96(DI), Y7, Y7
	VFMADD231PS Y4, Y4, Y0
	VFMADD231PS Y5, Y5, Y1
	VFMADD231PS Y6, Y6, Y2
	VFMADD231PS Y7, Y7, Y3
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, CX
	JMP  far32

far8:
	CMPQ CX, $8
	JL   fardone
	VMOVUPS (SI), Y4
	VSUBPS (DI), Y4, Y4
	VFMADD231PS Y4, Y4, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JMP  far8

fardone:
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0
	SUM_FLOAT32
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET

// func dotU8RowsVNNI(rows *byte, stride int, ids *uint32, count int, q *int8, out *int32, ahead int)
TEXT ·dotU8RowsVNNI(SB), NOSPLIT, $0-56
	ROWS_ARGUMENTS

vnnirow:
	CMPQ BX, R11
	JGE  vnnidone
	LOAD_ROW(vnnifetch, vnniload)
	VPXORD Z0, Z0, Z0

vnniblock:
	VMOVDQU8 (SI), Z1
	VPDPBUSD (DI), Z1, Z0
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JNZ  vnniblock
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD Y1, Y0, Y0
	STORE_SUM_INT32
	JMP  vnnirow

vnnidone:
	VZEROUPPER
	RET

// func dotU8RowsAVX2(rows *byte, stride int, ids *uint32, count int, q *int8, out *int32, ahead int)
TEXT ·dotU8RowsAVX2(SB), NOSPLIT, $0-56
	ROWS_ARGUMENTS

u8row:
	CMPQ BX, R11
	JGE  u8done
	LOAD_ROW(u8fetch, u8load)
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

u8block:
	VPMOVZXBW (SI), Y2
	VPMOVSXBW (DI), Y3
	VPMADDWD Y3, Y2, Y2
	VPADDD Y2, Y0, Y0
	VPMOVZXBW 16(SI), Y4
	VPMOVSXBW 16(DI), Y5
	VPMADDWD Y5, Y4, Y4
	VPADDD Y4, Y1, Y1
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $32, CX
	JNZ  u8block
	VPADDD Y1, Y0, Y0
	STORE_SUM_INT32
	JMP  u8row

u8done:
	VZEROUPPER
	RET

DATA lowHalves<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL lowHalves<>(SB), RODATA|NOPTR, $8
DATA oneWords<>+0(SB)/8, $0x0001000100010001
GLOBL oneWords<>(SB), RODATA|NOPTR, $8

// func dotU4RowsAVX2(rows *byte, stride int, ids *uint32, count int, q *int8, out *int32, ahead int)
TEXT ·dotU4RowsAVX2(SB), NOSPLIT, $0-56
	ROWS_ARGUMENTS
	VPBROADCASTQ lowHalves<>(SB), Y6
	VPBROADCASTQ oneWords<>(SB), Y7

u4row:
	CMPQ BX, R11
	JGE  u4done
	LOAD_ROW(u4fetch, u4load)
	VPXOR Y0, Y0, Y0

u4block:
	VMOVDQU (SI), Y1
	VPAND Y6, Y1, Y2
	VPSRLW $4, Y1, Y3
	VPAND Y6, Y3, Y3
	VPMADDUBSW (DI), Y2, Y4
	VPMADDUBSW 32(DI), Y3, Y5
	VPADDW Y5, Y4, Y4
	VPMADDWD Y7, Y4, Y4
	VPADDD Y4, Y0, Y0
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $32, CX
	JNZ  u4block
	STORE_SUM_INT32
	JMP  u4row

u4done:
	VZEROUPPER
	RET

// func dotU4RowsVNNI(rows *byte, stride int, ids *uint32, count int, q *int8, out *int32, ahead int)
TEXT ·dotU4RowsVNNI(SB), NOSPLIT, $0-56
	ROWS_ARGUMENTS
	VPBROADCASTQ lowHalves<>(SB), Z6

v4row:
	CMPQ BX, R11
	JGE  v4done
	LOAD_ROW(v4fetch, v4load)
	VPXORD Z0, Z0, Z0

v4block:
	VMOVDQU (SI), Y1
	VPSRLW $4, Y1, Y2
	VINSERTI64X4 $1, Y2, Z1, Z1
	VPANDQ Z6, Z1, Z1
	VPDPBUSD (DI), Z1, Z0
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $32, CX
	JNZ  v4block
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD Y1, Y0, Y0
	STORE_SUM_INT32
	JMP  v4row

v4done:
	VZEROUPPER
	RET

// func dotF32EachAVX512(rows **float32, n, count int, q, out *float32)
TEXT ·dotF32EachAVX512(SB), NOSPLIT, $0-40
	EACH_ARGUMENTS

zdrow:
	CMPQ BX, R11
	JGE  zddone
	LOAD_EACH(zdfetch, zdload)

zd64:
	CMPQ CX, $256
	JL   zd16
	VMOVUPS (SI), Z4
	VMOVUPS 64(SI), Z5
	VMOVUPS 128(SI), Z6
	VMOVUPS 192(SI), Z7
	VFMADD231PS (DI), Z4, Z0
	VFMADD231PS 64(DI), Z5, Z1
	VFMADD231PS 128(DI), Z6, Z2
	VFMADD231PS 192(DI), Z7, Z3
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $256, CX
	JMP  zd64

zd16:
	CMPQ CX, $64
	JL   zdrest
	VMOVUPS (SI), Z4
	VFMADD231PS (DI), Z4, Z0
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JMP  zd16

zdrest:
	TESTQ CX, CX
	JZ   zdsum
	VMOVUPS.Z (SI), K1, Z4
	VMOVUPS.Z (DI), K1, Z5
	VFMADD231PS Z5, Z4, Z1

zdsum:
	STORE_SUM_EACH
	JMP  zdrow

zddone:
	VZEROUPPER
	RET

// func squaredDistanceF32EachAVX512(rows **float32, n, count int, q, out *float32)
TEXT ·squaredDistanceF32EachAVX512(SB), NOSPLIT, $0-40
	EACH_ARGUMENTS

zfrow:
	CMPQ BX, R11
	JGE  zfdone
	LOAD_EACH(zffetch, zfload)

zf64:
	CMPQ CX, $256
	JL   zf16
	VMOVUPS (SI), Z4
	VMOVUPS 64(SI), Z5
	VMOVUPS 128(SI), Z6
	VMOVUPS 192(SI), Z7
	VSUBPS (DI), Z4, Z4
	VFMADD231PS Z4, Z4, Z0
	VSUBPS 64(DI), Z5, Z5
	VFMADD231PS Z5, Z5, Z1
	VSUBPS 128(DI), Z6, Z6
	VFMADD231PS Z6, Z6, Z2
	VSUBPS 192(DI), Z7, Z7
	VFMADD231PS Z7, Z7, Z3
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $256, CX
	JMP  zf64

zf16:
	CMPQ CX, $64
	JL   zfrest
	VMOVUPS (SI), Z4
	VSUBPS (DI), Z4, Z4
	VFMADD231PS Z4, Z4, Z0
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JMP  zf16

zfrest:
	TESTQ CX, CX
	JZ   zfsum
	VMOVUPS.Z (SI), K1, Z4
	VMOVUPS.Z (DI), K1, Z5
	VSUBPS Z5, Z4, Z4
	VFMADD231PS Z4, Z4, Z1

zfsum:
	STORE_SUM_EACH
	JMP  zfrow

zfdone:
	VZEROUPPER
	RET

// func fetch(values *uint32, count int)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVQ values+0(FP), SI
	MOVQ count+8(FP), CX
	LEAQ (SI)(CX*4), CX

fetchline:
	PREFETCHT0 (SI)
	ADDQ $64, SI
	CMPQ SI, CX
	JLT  fetchline
	RET

// func unseenIn(words *uint64, length int, ids *uint32, count int, into *uint32, rows *byte, stride int, beside *float32) int
// Writes every id after the new ones; whether it stays depends on its bit, without a
// branch. An id past the words ends it with -1.
TEXT ·unseenIn(SB), NOSPLIT, $0-72
	MOVQ words+0(FP), R8
	MOVQ length+8(FP), CX
	MOVQ ids+16(FP), SI
	MOVQ count+24(FP), R12
	MOVQ into+32(FP), DI
	MOVQ rows+40(FP), R9
	MOVQ stride+48(FP), R10
	MOVQ beside+56(FP), R11
	XORQ BX, BX
	LEAQ (SI)(R12*4), R12

unseennext:
	CMPQ SI, R12
	JGE  unseendone
	MOVL (SI), AX
	MOVL AX, (DI)(BX*4)
	MOVQ AX, DX
	SHRQ $6, DX
	CMPQ DX, CX
	JGE  unseenpast
	MOVQ (R8)(DX*8), R13
	XORL R15, R15
	BTSQ AX, R13
	SETCC R15
	MOVQ R13, (R8)(DX*8)
	ADDQ R15, BX
	PREFETCHT0 (R11)(AX*4)
	IMULQ R10, AX
	ADDQ R9, AX
	LEAQ (AX)(R10*1), DX

unseenfetch:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	CMPQ AX, DX
	JLT  unseenfetch
	ADDQ $4, SI
	JMP  unseennext

unseenpast:
	MOVQ $-1, BX

unseendone:
	MOVQ BX, ret+64(FP)
	RET
