#include "go_asm.h"
#include "textflag.h"

// func mergeWide(l *lists, least float64, docs *uint32, sums *float64) (i, j, n int)
//
// Branches only on the ends of the lists: a document in only one list adds zero for
// the other. The next document of each list is read before it is known which list
// advances, so one document past the end of each list is read too.
TEXT ·mergeWide(SB), NOSPLIT, $8-56
	MOVQ l+0(FP), R10
	MOVQ lists_x(R10), SI
	MOVQ (lists_x+8)(R10), AX
	MOVQ lists_xSums(R10), DI
	MOVQ lists_y(R10), R8
	MOVQ (lists_y+8)(R10), BX
	MOVQ lists_ySums(R10), R9
	VMOVSD least+8(FP), X3
	MOVQ docs+16(FP), R11
	MOVQ sums+24(FP), R12
	MOVL (SI), R13          // next document of x
	MOVL (R8), R14          // next document of y
	LEAQ (SI)(AX*4), SI
	LEAQ (DI)(AX*8), DI
	LEAQ (R8)(BX*4), R8
	LEAQ (R9)(BX*8), R9
	NEGQ AX                 // negated number of documents left in x
	NEGQ BX                 // and of y
	XORQ DX, DX             // written
merge:
	XORL R15, R15
	XORL CX, CX
	CMPL R14, R13
	SETCC R15               // x has the next document
	CMPL R13, R14
	SETCC CX                // y has it
	MOVL R13, BP
	CMOVLCC R14, BP
	MOVL 4(R8)(BX*4), R10
	CMOVLCC R10, R14
	KMOVW R15, K1
	VMOVSD.Z (DI)(AX*8), K1, X0
	KMOVW CX, K2
	VMOVSD.Z (R9)(BX*8), K2, X1
	MOVL BP, (R11)(DX*4)
	MOVL 4(SI)(AX*4), R10
	TESTL R15, R15
	CMOVLNE R10, R13
	VADDSD X1, X0, X0
	VCMPSD $0x1E, X3, X0, K3 // above least
	VMOVSD X0, (R12)(DX*8)
	KMOVW K3, BP
	ADDQ BP, DX
	ADDQ CX, BX
	ADDQ R15, AX
	JEQ  merged
	TESTQ BX, BX
	JNE  merge
merged:
	MOVQ l+0(FP), R10
	ADDQ (lists_x+8)(R10), AX
	ADDQ (lists_y+8)(R10), BX
	MOVQ AX, i+32(FP)
	MOVQ BX, j+40(FP)
	MOVQ DX, n+48(FP)
	RET

// func keepAboveWide(docs *uint32, sums *float64, count int, rest, least float64, to *uint32, toSums *float64) int
//
// Compresses sixteen documents at once. Writes never overtake reads, so source and
// destination may be the same. The last documents are read and written with masks.
TEXT ·keepAboveWide(SB), NOSPLIT, $0-64
	MOVQ docs+0(FP), SI
	MOVQ sums+8(FP), DI
	MOVQ count+16(FP), CX
	VBROADCASTSD rest+24(FP), Z10
	VBROADCASTSD least+32(FP), Z11
	MOVQ to+40(FP), R8
	MOVQ toSums+48(FP), R9
	XORQ DX, DX             // kept
	SUBQ $16, CX
	JLT  last
sixteen:
	VMOVDQU32 (SI), Z0
	VMOVUPD (DI), Z1
	VMOVUPD 64(DI), Z2
	VADDPD Z10, Z1, Z3
	VADDPD Z10, Z2, Z4
	VCMPPD $0x1E, Z11, Z3, K1
	VCMPPD $0x1E, Z11, Z4, K2
	KUNPCKBW K1, K2, K3     // K2 in the upper half
	KMOVW K1, AX
	KMOVW K2, BX
	POPCNTL AX, AX
	POPCNTL BX, BX
	VPCOMPRESSD.Z Z0, K3, Z0
	VCOMPRESSPD.Z Z1, K1, Z1
	VCOMPRESSPD.Z Z2, K2, Z2
	VMOVDQU32 Z0, (R8)(DX*4)
	VMOVUPD Z1, (R9)(DX*8)
	ADDQ AX, DX
	VMOVUPD Z2, (R9)(DX*8)
	ADDQ BX, DX
	ADDQ $64, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JGE  sixteen
last:
	ADDQ $16, CX
	JEQ  kept
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K4
	SHRL $8, AX
	KMOVW AX, K5
	VMOVDQU32.Z (SI), K4, Z0
	VMOVUPD.Z (DI), K4, Z1
	VMOVUPD.Z 64(DI), K5, Z2
	VADDPD Z10, Z1, Z3
	VADDPD Z10, Z2, Z4
	VCMPPD $0x1E, Z11, Z3, K4, K1
	VCMPPD $0x1E, Z11, Z4, K5, K2
	KUNPCKBW K1, K2, K3
	VPCOMPRESSD.Z Z0, K3, Z0
	VCOMPRESSPD.Z Z1, K1, Z1
	VCOMPRESSPD.Z Z2, K2, Z2
	KMOVW K1, AX
	KMOVW K2, BX
	POPCNTL AX, R10
	POPCNTL BX, R11
	MOVL $1, AX
	MOVL R10, CX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1            // mask of the number kept of the first eight
	MOVL $1, AX
	MOVL R11, CX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K2            // and of the second eight
	ADDL R10, R11
	MOVL $1, AX
	MOVL R11, CX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K3
	VMOVDQU32 Z0, K3, (R8)(DX*4)
	VMOVUPD Z1, K1, (R9)(DX*8)
	LEAQ (R9)(DX*8), R9
	VMOVUPD Z2, K2, (R9)(R10*8)
	ADDQ R11, DX
kept:
	VZEROUPPER
	MOVQ DX, ret+56(FP)
	RET
