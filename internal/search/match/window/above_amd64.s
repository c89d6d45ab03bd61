#include "textflag.h"

// func aboveWide(sums *Sums, least float64, out *Bits)
TEXT ·aboveWide(SB), NOSPLIT, $0-24
	MOVQ sums+0(FP), SI
	VBROADCASTSD least+8(FP), Z0
	MOVQ out+16(FP), DI
	XORQ BX, BX
loop:
	VMOVUPD (SI), Z1
	VMOVUPD 64(SI), Z2
	VMOVUPD 128(SI), Z3
	VMOVUPD 192(SI), Z4
	VCMPPD $0x1E, Z0, Z1, K1 // sums above least
	VCMPPD $0x1E, Z0, Z2, K2
	VCMPPD $0x1E, Z0, Z3, K3
	VCMPPD $0x1E, Z0, Z4, K4
	KMOVW K1, R8
	KMOVW K2, R9
	KMOVW K3, R10
	KMOVW K4, R11
	MOVB R8, (DI)(BX*1)
	MOVB R9, 1(DI)(BX*1)
	MOVB R10, 2(DI)(BX*1)
	MOVB R11, 3(DI)(BX*1)
	ADDQ $256, SI
	ADDQ $4, BX
	CMPQ BX, $512
	JLT  loop
	VZEROUPPER
	RET
