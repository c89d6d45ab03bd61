#include "textflag.h"

// func narrowBytes(ordinals *uint8, words *uint64, n int, least, width uint8)
//
// The bits of a word mask the comparison of its 64 ordinals. Words without a bit are
// skipped, so that their ordinals are not loaded.
TEXT ·narrowBytes(SB), NOSPLIT, $0-26
	MOVQ ordinals+0(FP), SI
	MOVQ words+8(FP), DI
	MOVQ n+16(FP), CX
	VPBROADCASTB least+24(FP), Z1
	VPBROADCASTB width+25(FP), Z2
next:
	MOVQ (DI), AX
	TESTQ AX, AX
	JEQ  skip
	KMOVQ AX, K1
	VMOVDQU8 (SI), Z0
	VPSUBB Z1, Z0, Z0
	VPCMPUB $2, Z2, Z0, K1, K2 // at most width above least
	KMOVQ K2, (DI)
skip:
	ADDQ $64, SI
	ADDQ $8, DI
	DECQ CX
	JNE  next
	VZEROUPPER
	RET

// SHORTS leaves in K2 which of 32 ordinals at an offset from SI are in the range and
// among the low bits of AX.
#define SHORTS(at) \
	KMOVD AX, K1; \
	VMOVDQU16 at(SI), Z0; \
	VPSUBW Z1, Z0, Z0; \
	VPCMPUW $2, Z2, Z0, K1, K2

// func narrowShorts(ordinals *uint16, words *uint64, n int, least, width uint16)
TEXT ·narrowShorts(SB), NOSPLIT, $0-28
	MOVQ ordinals+0(FP), SI
	MOVQ words+8(FP), DI
	MOVQ n+16(FP), CX
	VPBROADCASTW least+24(FP), Z1
	VPBROADCASTW width+26(FP), Z2
next:
	MOVQ (DI), AX
	TESTQ AX, AX
	JEQ  skip
	SHORTS(0)
	KMOVD K2, (DI)
	SHRQ $32, AX
	SHORTS(64)
	KMOVD K2, 4(DI)
skip:
	ADDQ $128, SI
	ADDQ $8, DI
	DECQ CX
	JNE  next
	VZEROUPPER
	RET
