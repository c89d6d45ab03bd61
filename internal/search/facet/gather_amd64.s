#include "textflag.h"

// GATHER_ARGUMENTS loads the ordinals into SI, the words into DX, their number into CX,
// the mask that flips them into R8, and the destination into DI and R9.
#define GATHER_ARGUMENTS \
	MOVQ ordinals+0(FP), SI; \
	MOVQ words+8(FP), DX; \
	MOVQ n+16(FP), CX; \
	MOVQ flip+24(FP), R8; \
	MOVQ to+32(FP), DI; \
	MOVQ DI, R9

// func gatherBytes(ordinals *uint8, words *uint64, n int, flip uint64, to *uint8) int
//
// The bits of a word are the mask that compresses its 64 ordinals.
TEXT ·gatherBytes(SB), NOSPLIT, $0-48
	GATHER_ARGUMENTS
next:
	MOVQ (DX), AX
	XORQ R8, AX
	KMOVQ AX, K1
	POPCNTQ AX, AX
	VMOVDQU8 (SI), Z0
	VPCOMPRESSB.Z Z0, K1, Z0
	VMOVDQU8 Z0, (DI)
	ADDQ AX, DI
	ADDQ $64, SI
	ADDQ $8, DX
	DECQ CX
	JNE  next
	VZEROUPPER
	SUBQ R9, DI
	MOVQ DI, ret+40(FP)
	RET

// SHORTS writes those of 32 ordinals whose bit in the low half of AX is set and that are not 0.
#define SHORTS(at) \
	KMOVD AX, K1; \
	VMOVDQU16 at(SI), Z0; \
	VPTESTMW Z0, Z0, K1, K2; \
	KMOVD K2, R10; \
	VPCOMPRESSW.Z Z0, K2, Z0; \
	VMOVDQU16 Z0, (DI); \
	POPCNTL R10, R10; \
	LEAQ (DI)(R10*2), DI

// func gatherShorts(ordinals *uint16, words *uint64, n int, flip uint64, to *uint16) int
TEXT ·gatherShorts(SB), NOSPLIT, $0-48
	GATHER_ARGUMENTS
next:
	MOVQ (DX), AX
	XORQ R8, AX
	SHORTS(0)
	SHRQ $32, AX
	SHORTS(64)
	ADDQ $128, SI
	ADDQ $8, DX
	DECQ CX
	JNE  next
	VZEROUPPER
	SUBQ R9, DI
	SHRQ $1, DI
	MOVQ DI, ret+40(FP)
	RET
