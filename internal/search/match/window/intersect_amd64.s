#include "textflag.h"

// func intersectWide(candidates *uint32, count int, docs *uint32, documents int, found, places *uint16) int
//
// Sixteen documents are held at once and every candidate is compared with all
// of them; one above the last of them moves on to the next sixteen. No
// candidate waits for the result of the one before. The last sixteen start
// sixteen before the end, whatever the length.
TEXT ·intersectWide(SB), NOSPLIT, $0-56
	MOVQ candidates+0(FP), SI
	MOVQ count+8(FP), CX
	MOVQ docs+16(FP), DI
	MOVQ documents+24(FP), R8
	MOVQ found+32(FP), R9
	MOVQ places+40(FP), R10
	SUBQ $16, R8            // last place a load may start at
	XORQ AX, AX             // found so far
	XORQ BX, BX             // candidate
	XORQ DX, DX             // place in docs
	VMOVDQU32 (DI), Z1
	MOVL 60(DI), R15        // last of those held
next:
	CMPQ BX, CX
	JGE  done
	MOVL (SI)(BX*4), R11
	CMPL R11, R15
	JHI  forward
compare:
	VPBROADCASTD R11, Z0
	VPCMPEQD Z0, Z1, K1
	KMOVW K1, R13
	MOVW BX, (R9)(AX*2)
	BSFL R13, R12
	LEAQ (DX)(R12*1), R14
	MOVW R14, (R10)(AX*2)
	CMPL R13, $1
	SBBQ $-1, AX            // one more unless no bit is set
	INCQ BX
	JMP  next
forward:
	CMPQ DX, R8
	JGE  done               // the candidate is above all documents
	LEAQ 64(DX), R12
	CMPQ R12, R8
	JGT  single
	CMPL R11, -4(DI)(R12*4) // above the next sixty-four too
	JLS  single
	MOVQ R12, DX
	JMP  load
single:
	ADDQ $16, DX
	CMPQ DX, R8
	CMOVQGT R8, DX
load:
	MOVL 60(DI)(DX*4), R15
	CMPL R11, R15
	JHI  forward
	VMOVDQU32 (DI)(DX*4), Z1
	JMP  compare
done:
	VZEROUPPER
	MOVQ AX, ret+48(FP)
	RET
