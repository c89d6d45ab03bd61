#include "textflag.h"

// The indexes of the last document of each group of sixteen in a block.
DATA lasts<>+0(SB)/4, $15
DATA lasts<>+4(SB)/4, $31
DATA lasts<>+8(SB)/4, $47
DATA lasts<>+12(SB)/4, $63
DATA lasts<>+16(SB)/4, $79
DATA lasts<>+20(SB)/4, $95
DATA lasts<>+24(SB)/4, $111
DATA lasts<>+28(SB)/4, $127
DATA lasts<>+32(SB)/4, $143
DATA lasts<>+36(SB)/4, $159
DATA lasts<>+40(SB)/4, $175
DATA lasts<>+44(SB)/4, $191
DATA lasts<>+48(SB)/4, $207
DATA lasts<>+52(SB)/4, $223
DATA lasts<>+56(SB)/4, $239
DATA lasts<>+60(SB)/4, $255
GLOBL lasts<>(SB), RODATA|NOPTR, $64

// The indexes of sixteen candidates.
DATA places<>+0(SB)/4, $0
DATA places<>+4(SB)/4, $1
DATA places<>+8(SB)/4, $2
DATA places<>+12(SB)/4, $3
DATA places<>+16(SB)/4, $4
DATA places<>+20(SB)/4, $5
DATA places<>+24(SB)/4, $6
DATA places<>+28(SB)/4, $7
DATA places<>+32(SB)/4, $8
DATA places<>+36(SB)/4, $9
DATA places<>+40(SB)/4, $10
DATA places<>+44(SB)/4, $11
DATA places<>+48(SB)/4, $12
DATA places<>+52(SB)/4, $13
DATA places<>+56(SB)/4, $14
DATA places<>+60(SB)/4, $15
GLOBL places<>(SB), RODATA|NOPTR, $64

// HALVE is one step of the binary search: where a candidate in Z0 is above the last
// document of the preceding sixteen, which lasts holds for the sixteen in Z1, it
// advances Z1 by step.
#define HALVE(lasts, step) \
	VPERMD  lasts, Z1, Z2; \
	VPCMPUD $1, Z0, Z2, K1; \
	VPADDD  step, Z1, K1, Z1

// SEARCH stores the index at which the sixteen of each candidate in Z0 starts to R14.
#define SEARCH \
	VPXORD Z1, Z1, Z1; \
	HALVE(Z10, Z9); \
	HALVE(Z11, Z8); \
	HALVE(Z12, Z6); \
	HALVE(Z13, Z5); \
	VPSLLD  $4, Z1, Z1; \
	VPMINUD Z14, Z1, Z1; \
	VMOVDQU32 Z1, (R14)

// COMPARE compares a candidate with the documents of its sixteen.
#define COMPARE(i) \
	MOVL (4*i)(R14), R12; \
	VMOVDQU32 (DI)(R12*4), Z3; \
	VPCMPEQD.BCST (4*i)(SI), Z3, K2; \
	KMOVW K2, (2*i)(R15)

// func intersectWide(candidates *uint32, count int, docs *uint32, documents int, found, places *uint16) int
//
// The last documents of all groups of sixteen fit in one register. A binary search
// in it finds the sixteen of each candidate, for sixteen candidates at once, and one
// comparison finds the candidate there. No candidate waits for another, and no
// branch depends on the documents. The last sixteen starts sixteen documents before
// the end, whatever the length. The results of up to 128 candidates are buffered
// before they are converted to indexes, because a vector can only be loaded after
// the narrower stores of its parts have reached the cache.
TEXT ·intersectWide(SB), 0, $832-56
	MOVQ candidates+0(FP), SI
	MOVQ count+8(FP), CX
	MOVQ docs+16(FP), DI
	MOVQ documents+24(FP), R8
	MOVQ found+32(FP), R9
	MOVQ places+40(FP), R10
	LEAQ scratch-832(SP), R13
	ADDQ $63, R13
	ANDQ $~63, R13          // start of the sixteen of each candidate; from 512 on, its bits
	VMOVDQU32 lasts<>(SB), Z0
	DECQ R8
	VPBROADCASTD R8, Z1
	VPMINUD Z1, Z0, Z0
	KXNORW  K1, K1, K1
	VPXORD  Z13, Z13, Z13
	VPGATHERDD (DI)(Z0*4), K1, Z13 // last documents of the sixteens
	SUBQ $15, R8
	VPBROADCASTD R8, Z14    // last index at which a load may start
	MOVL $8, R11
	VPBROADCASTD R11, Z9
	MOVL $4, R11
	VPBROADCASTD R11, Z8
	MOVL $2, R11
	VPBROADCASTD R11, Z6
	MOVL $1, R11
	VPBROADCASTD R11, Z5
	VALIGND $1, Z13, Z13, Z12
	VALIGND $3, Z13, Z13, Z11
	VALIGND $7, Z13, Z13, Z10
	XORQ AX, AX             // found so far
	XORQ BX, BX             // candidates looked up
	SUBQ $16, CX
	JLT  few
	MOVL $31, R11
	VPBROADCASTD R11, Z4
	MOVL $16, R11
	VPBROADCASTD R11, Z15
	VMOVDQU32 places<>(SB), Z7
group:
	MOVQ R13, R14
	LEAQ 512(R13), R15
	LEAQ 768(R13), R8
sixteen:
	VMOVDQU32 (SI), Z0
	SEARCH
	COMPARE(0)
	COMPARE(1)
	COMPARE(2)
	COMPARE(3)
	COMPARE(4)
	COMPARE(5)
	COMPARE(6)
	COMPARE(7)
	COMPARE(8)
	COMPARE(9)
	COMPARE(10)
	COMPARE(11)
	COMPARE(12)
	COMPARE(13)
	COMPARE(14)
	COMPARE(15)
	ADDQ $64, SI
	ADDQ $64, R14
	ADDQ $32, R15
	ADDQ $16, BX
	SUBQ $16, CX
	JLT  gather
	CMPQ R15, R8
	JLT  sixteen
gather:
	MOVQ R13, R14
	LEAQ 512(R13), R8
next:
	VPMOVZXWD (R8), Z0
	VPTESTMD Z0, Z0, K1
	VPLZCNTD Z0, Z0
	VPADDD (R14), Z4, Z1
	VPSUBD Z0, Z1, Z1
	KMOVW K1, R12
	POPCNTL R12, R12
	VPCOMPRESSD.Z Z7, K1, Z0
	VPCOMPRESSD.Z Z1, K1, Z1
	VPMOVDW Z0, (R9)(AX*2)
	VPMOVDW Z1, (R10)(AX*2)
	ADDQ R12, AX
	VPADDD Z15, Z7, Z7
	ADDQ $64, R14
	ADDQ $32, R8
	CMPQ R8, R15
	JLT  next
	TESTQ CX, CX
	JGE  group
few:
	// Fewer than sixteen candidates are left. Each writes its indexes; the next one
	// overwrites them if it was not found.
	ADDQ $16, CX
	JEQ  done
	MOVL $1, R12
	SHLL CX, R12
	DECL R12
	KMOVW R12, K1
	VMOVDQU32.Z (SI), K1, Z0
	MOVQ R13, R14
	SEARCH
one:
	MOVL (R14), R12
	VMOVDQU32 (DI)(R12*4), Z3
	VPCMPEQD.BCST (SI), Z3, K2
	KMOVW K2, R13
	MOVW BX, (R9)(AX*2)
	BSFL R13, R11
	ADDL R12, R11
	MOVW R11, (R10)(AX*2)
	CMPL R13, $1
	SBBQ $-1, AX            // plus one if a bit is set
	INCQ BX
	ADDQ $4, SI
	ADDQ $4, R14
	DECQ CX
	JNE  one
done:
	VZEROUPPER
	MOVQ AX, ret+48(FP)
	RET
