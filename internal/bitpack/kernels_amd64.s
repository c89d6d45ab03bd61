//go:build !purego

#include "textflag.h"

// func addAVX2(values *uint32, n int, v uint32)
TEXT ·addAVX2(SB), NOSPLIT, $0-20
	MOVQ values+0(FP), AX
	MOVQ n+8(FP), CX
	MOVL v+16(FP), DX
	VMOVD DX, X0
	VPBROADCASTD X0, Y0

four:
	CMPQ CX, $32
	JLT  one
	VPADDD (AX), Y0, Y1
	VPADDD 32(AX), Y0, Y2
	VPADDD 64(AX), Y0, Y3
	VPADDD 96(AX), Y0, Y4
	VMOVDQU Y1, (AX)
	VMOVDQU Y2, 32(AX)
	VMOVDQU Y3, 64(AX)
	VMOVDQU Y4, 96(AX)
	ADDQ $128, AX
	SUBQ $32, CX
	JMP  four

one:
	CMPQ CX, $8
	JLT  done
	VPADDD (AX), Y0, Y1
	VMOVDQU Y1, (AX)
	ADDQ $32, AX
	SUBQ $8, CX
	JMP  one

done:
	VZEROUPPER
	RET

DATA iota<>+0(SB)/4, $0
DATA iota<>+4(SB)/4, $1
DATA iota<>+8(SB)/4, $2
DATA iota<>+12(SB)/4, $3
DATA iota<>+16(SB)/4, $4
DATA iota<>+20(SB)/4, $5
DATA iota<>+24(SB)/4, $6
DATA iota<>+28(SB)/4, $7
DATA iota<>+32(SB)/4, $8
DATA iota<>+36(SB)/4, $9
DATA iota<>+40(SB)/4, $10
DATA iota<>+44(SB)/4, $11
DATA iota<>+48(SB)/4, $12
DATA iota<>+52(SB)/4, $13
DATA iota<>+56(SB)/4, $14
DATA iota<>+60(SB)/4, $15
GLOBL iota<>(SB), RODATA|NOPTR, $64

// func expandAVX512(dst *uint32, words *byte, n int, base uint32)
//
// Handles sixteen numbers at a time: those whose bit is set are compressed and
// stored; the next store overwrites the rest of the register.
TEXT ·expandAVX512(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), DI
	MOVQ words+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL base+24(FP), DX
	VPBROADCASTD DX, Z0
	VPADDD iota<>(SB), Z0, Z0
	MOVL $16, AX
	VPBROADCASTD AX, Z1

word:
	TESTQ CX, CX
	JEQ   end
	MOVQ  (SI), R8
	ADDQ  $8, SI
	DECQ  CX
	MOVQ  $4, R9

part:
	KMOVW   R8, K1
	MOVWLZX R8, R10
	POPCNTL R10, R10
	VPCOMPRESSD.Z Z0, K1, Z2
	VMOVDQU32 Z2, (DI)
	LEAQ    (DI)(R10*4), DI
	VPADDD  Z1, Z0, Z0
	SHRQ    $16, R8
	DECQ    R9
	JNE     part
	JMP     word

end:
	VZEROUPPER
	RET

// func sumAVX2(values *uint32, n int, base uint32)
//
// Sums eight values at a time: first within each half, then it adds the last sum
// of the lower half to the upper half, then the total so far to all eight.
TEXT ·sumAVX2(SB), NOSPLIT, $0-20
	MOVQ values+0(FP), AX
	MOVQ n+8(FP), CX
	MOVL base+16(FP), DX
	VMOVD DX, X0
	VPBROADCASTD X0, Y0

eight:
	CMPQ CX, $8
	JLT  summed
	VMOVDQU (AX), Y1
	VPSLLDQ $4, Y1, Y2
	VPADDD  Y2, Y1, Y1
	VPSLLDQ $8, Y1, Y2
	VPADDD  Y2, Y1, Y1
	VPSHUFD $0xff, Y1, Y2
	VPERM2I128 $0x08, Y2, Y2, Y2
	VPADDD  Y2, Y1, Y1
	VPADDD  Y0, Y1, Y3
	VMOVDQU Y3, (AX)
	VPSHUFD $0xff, Y1, Y4
	VPERM2I128 $0x11, Y4, Y4, Y4
	VPADDD  Y4, Y0, Y0
	ADDQ $32, AX
	SUBQ $8, CX
	JMP  eight

summed:
	VZEROUPPER
	RET

// func unpackAVX512(dst *uint32, src *byte, n, width int, v uint32)
//
// Sixteen values take as many 16-bit words as a value has bits. Each value begins
// in some word and ends in the next one at the latest: these two words are put
// together, shifted and masked. No byte after the values is read.
TEXT ·unpackAVX512(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ width+24(FP), CX
	MOVL v+32(FP), AX
	VPBROADCASTD AX, Z0
	VPBROADCASTD CX, Z1
	VPMULLD iota<>(SB), Z1, Z2 // first bit of each value
	VPSRLD  $4, Z2, Z3
	VPSLLD  $16, Z3, Z1
	VPORD   Z1, Z3, Z3
	MOVL $0x10000, AX
	VPBROADCASTD AX, Z1
	VPADDD  Z1, Z3, Z3         // the two words of each value
	MOVL $15, AX
	VPBROADCASTD AX, Z1
	VPANDD  Z1, Z2, Z2         // and its first bit in them
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	VPBROADCASTD AX, Z4        // mask of a value
	KMOVD AX, K1               // and of the words of sixteen values
	LEAQ (CX)(CX*1), DX
	MOVQ n+16(FP), CX

sixteen:
	VMOVDQU16.Z (SI), K1, Z1
	VPERMW  Z1, Z3, Z1
	VPSRLVD Z2, Z1, Z1
	VPANDD  Z4, Z1, Z1
	VPADDD  Z0, Z1, Z1
	VMOVDQU32 Z1, (DI)
	ADDQ DX, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JGT  sixteen
	VZEROUPPER
	RET
