#include "go_asm.h"
#include "textflag.h"

// func mergeWide(l *lists, least float64, docs *uint32, sums *float64) (i, j, n int)
//
// Branches on nothing but the ends of the lists: a document of one list alone adds
// zero for the other.
TEXT ·mergeWide(SB), NOSPLIT, $0-56
	MOVQ l+0(FP), AX
	MOVQ lists_x(AX), SI
	MOVQ (lists_x+8)(AX), CX
	MOVQ lists_xSums(AX), DI
	MOVQ lists_y(AX), R8
	MOVQ (lists_y+8)(AX), R10
	MOVQ lists_ySums(AX), R9
	VMOVSD least+8(FP), X3
	MOVQ docs+16(FP), R11
	MOVQ sums+24(FP), R12
	XORQ AX, AX             // read of x
	XORQ BX, BX             // read of y
	XORQ DX, DX             // written
merge:
	MOVL (SI)(AX*4), R13
	MOVL (R8)(BX*4), R14
	XORL R15, R15
	CMPL R13, R14
	SETLS R15               // x has the next document
	VMOVSD (DI)(AX*8), X0
	ADDQ R15, AX
	NEGQ R15
	VMOVQ R15, X1
	VANDPD X1, X0, X0
	XORL R15, R15
	CMPL R14, R13
	SETLS R15               // y has it
	CMOVLLS R14, R13
	VMOVSD (R9)(BX*8), X2
	ADDQ R15, BX
	NEGQ R15
	VMOVQ R15, X1
	VANDPD X1, X2, X2
	VADDSD X2, X0, X0
	MOVL R13, (R11)(DX*4)
	VMOVSD X0, (R12)(DX*8)
	XORL R15, R15
	VUCOMISD X3, X0
	SETHI R15
	ADDQ R15, DX
	CMPQ AX, CX
	JGE  merged
	CMPQ BX, R10
	JLT  merge
merged:
	MOVQ AX, i+32(FP)
	MOVQ BX, j+40(FP)
	MOVQ DX, n+48(FP)
	RET

// func keepAboveWide(docs *uint32, sums *float64, count int, rest, least float64, to *uint32, toSums *float64) int
//
// Sixteen documents at once are moved together. Those read are never behind those
// written, so that the places may be the same. The last ones are read and written by
// masks.
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
	KUNPCKBW K1, K2, K3     // K2 above K1
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
	KMOVW AX, K1            // as many as were kept of the first eight
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
