#include "textflag.h"

// func countWide(words *uint64, n int) int
TEXT ·countWide(SB), NOSPLIT, $0-24
	MOVQ words+0(FP), SI
	MOVQ n+8(FP), CX
	VPXORQ Z0, Z0, Z0
loop:
	VPOPCNTQ (SI), Z1
	VPADDQ Z1, Z0, Z0
	ADDQ $64, SI
	SUBQ $8, CX
	JGT  loop
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDQ Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ X1, X0, X0
	VPSRLDQ $8, X0, X1
	VPADDQ X1, X0, X0
	VMOVQ X0, AX
	VZEROUPPER
	MOVQ AX, ret+16(FP)
	RET

// func countBothWide(a, b *uint64, n int) int
TEXT ·countBothWide(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VPXORQ Z0, Z0, Z0
both:
	VMOVDQU64 (SI), Z1
	VPANDQ (DI), Z1, Z1
	VPOPCNTQ Z1, Z1
	VPADDQ Z1, Z0, Z0
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JGT  both
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDQ Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ X1, X0, X0
	VPSRLDQ $8, X0, X1
	VPADDQ X1, X0, X0
	VMOVQ X0, AX
	VZEROUPPER
	MOVQ AX, ret+24(FP)
	RET

// The number of one bits in each number below 16.
DATA bitsOfNibble<>+0(SB)/8, $0x0302020102010100
DATA bitsOfNibble<>+8(SB)/8, $0x0403030203020201
GLOBL bitsOfNibble<>(SB), RODATA|NOPTR, $16

// READY loads the table and the mask of a nibble, and clears zero and the total.
#define READY \
	VBROADCASTI128 bitsOfNibble<>(SB), Y5; \
	MOVL $0x0f0f0f0f, AX; \
	VMOVD AX, X6; \
	VPBROADCASTD X6, Y6; \
	VPXOR Y7, Y7, Y7; \
	VPXOR Y0, Y0, Y0

// COUNT adds the one bits of Y1 and Y2 to the total in Y0.
#define COUNT \
	VPAND Y6, Y1, Y3; \
	VPAND Y6, Y2, Y4; \
	VPSRLW $4, Y1, Y1; \
	VPSRLW $4, Y2, Y2; \
	VPAND Y6, Y1, Y1; \
	VPAND Y6, Y2, Y2; \
	VPSHUFB Y3, Y5, Y3; \
	VPSHUFB Y4, Y5, Y4; \
	VPSHUFB Y1, Y5, Y1; \
	VPSHUFB Y2, Y5, Y2; \
	VPADDB Y3, Y1, Y1; \
	VPADDB Y4, Y2, Y2; \
	VPADDB Y2, Y1, Y1; \
	VPSADBW Y7, Y1, Y1; \
	VPADDQ Y1, Y0, Y0

// TOTAL stores the sum of Y0 in AX.
#define TOTAL \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDQ X1, X0, X0; \
	VPSRLDQ $8, X0, X1; \
	VPADDQ X1, X0, X0; \
	VMOVQ X0, AX; \
	VZEROUPPER

// func countAVX2(words *uint64, n int) int
TEXT ·countAVX2(SB), NOSPLIT, $0-24
	MOVQ words+0(FP), SI
	MOVQ n+8(FP), CX
	READY
words:
	VMOVDQU (SI), Y1
	VMOVDQU 32(SI), Y2
	COUNT
	ADDQ $64, SI
	SUBQ $8, CX
	JGT  words
	TOTAL
	MOVQ AX, ret+16(FP)
	RET

// func countBothAVX2(a, b *uint64, n int) int
TEXT ·countBothAVX2(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	READY
shared:
	VMOVDQU (SI), Y1
	VMOVDQU 32(SI), Y2
	VPAND (DI), Y1, Y1
	VPAND 32(DI), Y2, Y2
	COUNT
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JGT  shared
	TOTAL
	MOVQ AX, ret+24(FP)
	RET
