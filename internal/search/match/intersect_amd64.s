#include "textflag.h"

// func intersectWide(candidates *uint32, count int, docs *uint32, documents int, found, places *uint16) int
//
// For each candidate sixteen documents are compared at once; the first that is
// not below it tells where to go on. The last load starts sixteen documents
// before the end: those before the place reached are below the candidate and
// do not show.
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
next:
	CMPQ BX, CX
	JGE  done
	MOVL (SI)(BX*4), R11
	VPBROADCASTD R11, Z0
search:
	MOVQ DX, R12
	CMPQ R12, R8
	CMOVQGT R8, R12
	VMOVDQU32 (DI)(R12*4), Z1
	VPCMPUD $5, Z0, Z1, K1  // docs not below the candidate
	KMOVW K1, R13
	TESTL R13, R13
	JZ   forward
	TZCNTL R13, R13
	LEAQ (R12)(R13*1), DX
	MOVW BX, (R9)(AX*2)
	MOVW DX, (R10)(AX*2)
	XORL R14, R14
	CMPL R11, (DI)(DX*4)
	SETEQ R14
	ADDQ R14, AX
	INCQ BX
	JMP  next
forward:
	CMPQ R12, R8
	JGE  done               // the candidate is above all documents
	LEAQ 16(R12), DX
	JMP  search
done:
	VZEROUPPER
	MOVQ AX, ret+48(FP)
	RET
