#include "go_asm.h"
#include "textflag.h"

// A row of the table holds 256 values, one per length byte. The index of a value is
// frequency × 256 + length byte. There are rows for frequencies below 16.

// POSTINGS_ARGUMENTS loads documents into SI, frequencies into DI, their number
// into CX, lengths into R8, the table into R9, the weight into Z10 and the last
// document whose length may be read into Z14.
#define POSTINGS_ARGUMENTS \
	MOVQ p+0(FP), AX; \
	MOVQ Postings_Docs(AX), SI; \
	MOVQ Postings_Frequencies(AX), DI; \
	MOVQ (Postings_Docs+8)(AX), CX; \
	MOVQ Postings_Lengths(AX), R8; \
	MOVQ parts+8(FP), R9; \
	VBROADCASTSS weight+16(FP), Z10; \
	MOVQ (Postings_Lengths+8)(AX), AX; \
	SUBQ $4, AX; \
	VPBROADCASTD AX, Z14

// SCORE_CONSTANTS loads the constants that SCORE_SIXTEEN compares and masks with, and
// sets BX to the first document.
#define SCORE_CONSTANTS \
	MOVL $16, AX; \
	VPBROADCASTD AX, Z12; \
	MOVL $255, AX; \
	VPBROADCASTD AX, Z13; \
	XORQ BX, BX

// SCORE_SIXTEEN loads sixteen documents, starting at BX, into Z0, their scores into Z3
// and the index after them into R12. It jumps to end if fewer are left or a frequency
// is 16 or more. The documents of a damaged block may not be in ascending order: one
// that has no length is scored with the length of another.
#define SCORE_SIXTEEN(end) \
	LEAQ 16(BX), R12; \
	CMPQ R12, CX; \
	JGT end; \
	VMOVDQU32 (SI)(BX*4), Z0; \
	VMOVDQU32 (DI)(BX*4), Z1; \
	VPCMPUD $5, Z12, Z1, K1; \
	KORTESTW K1, K1; \
	JNE end; \
	KXNORW K2, K2, K2; \
	VPXORD Z2, Z2, Z2; \
	VPMINUD Z14, Z0, Z9; \
	VPGATHERDD (R8)(Z9*1), K2, Z2; \
	VPANDD Z13, Z2, Z2; \
	VPSLLD $8, Z1, Z1; \
	VPORD Z1, Z2, Z2; \
	KXNORW K2, K2, K2; \
	VXORPS X3, X3, X3; \
	VGATHERDPS (R9)(Z2*4), K2, Z3; \
	VMULPS Z10, Z3, Z3

// func scoreWide(p *Postings, parts *float32, weight, threshold float32, docs *uint32, sums *float64) (scored, kept int)
//
// Scores sixteen documents at once and compresses those above the threshold. It
// ends early at a group of sixteen in which a frequency is beyond the table.
TEXT ·scoreWide(SB), NOSPLIT, $0-56
	POSTINGS_ARGUMENTS
	VBROADCASTSS threshold+20(FP), Z11
	MOVQ docs+24(FP), R10
	MOVQ sums+32(FP), R11
	SCORE_CONSTANTS
	XORQ DX, DX
loop:
	SCORE_SIXTEEN(done)
	VCMPPS $0x1E, Z11, Z3, K3 // above the threshold
	KMOVW K3, R13
	MOVQ  R12, BX
	TESTL R13, R13
	JEQ   loop
	POPCNTL R13, R14
	VPCOMPRESSD.Z Z0, K3, Z4
	VMOVDQU32 Z4, (R10)(DX*4)
	VCOMPRESSPS.Z Z3, K3, Z5
	VCVTPS2PD Y5, Z6
	VMOVUPD Z6, (R11)(DX*8)
	CMPL R14, $8
	JLS  few
	VEXTRACTF64X4 $1, Z5, Y7
	VCVTPS2PD Y7, Z8
	VMOVUPD Z8, 64(R11)(DX*8)
few:
	ADDQ R14, DX
	JMP  loop
done:
	VZEROUPPER
	MOVQ BX, scored+40(FP)
	MOVQ DX, kept+48(FP)
	RET

// func addWide(p *Postings, parts *float32, weight float32, base uint32, sums *float64, last uint32) (added int)
//
// Adds the scores of the documents of a window to its sums, sixteen at once. The
// documents must be distinct. It ends early like scoreWide.
TEXT ·addWide(SB), NOSPLIT, $0-48
	POSTINGS_ARGUMENTS
	MOVL base+20(FP), AX
	VPBROADCASTD AX, Z11
	MOVQ sums+24(FP), R11
	MOVL last+32(FP), AX
	VPBROADCASTD AX, Z15
	SCORE_CONSTANTS
add:
	SCORE_SIXTEEN(end)
	VPSUBD Z11, Z0, Z0      // indexes in the window
	VPANDD Z15, Z0, Z0      // within the sums, whatever the documents are
	KXNORW K2, K2, K2
	VXORPD X4, X4, X4
	VGATHERDPD (R11)(Y0*8), K2, Z4
	VEXTRACTI64X4 $1, Z0, Y5
	KXNORW K3, K3, K3
	VXORPD X6, X6, X6
	VGATHERDPD (R11)(Y5*8), K3, Z6
	VCVTPS2PD Y3, Z7
	VEXTRACTF64X4 $1, Z3, Y8
	VCVTPS2PD Y8, Z8
	VADDPD Z7, Z4, Z4
	VADDPD Z8, Z6, Z6
	KXNORW K2, K2, K2
	VSCATTERDPD Z4, K2, (R11)(Y0*8)
	KXNORW K3, K3, K3
	VSCATTERDPD Z6, K3, (R11)(Y5*8)
	MOVQ R12, BX
	JMP  add
end:
	VZEROUPPER
	MOVQ BX, added+40(FP)
	RET

// func prefetch(docs []uint32, lengths *byte)
TEXT ·prefetch(SB), NOSPLIT, $0-32
	MOVQ docs_base+0(FP), SI
	MOVQ docs_len+8(FP), CX
	MOVQ lengths+24(FP), R8
	LEAQ (SI)(CX*4), DI

prefetchNext:
	CMPQ SI, DI
	JGE  prefetchDone
	MOVL (SI), AX
	PREFETCHT0 (R8)(AX*1)
	ADDQ $4, SI
	JMP  prefetchNext

prefetchDone:
	RET
