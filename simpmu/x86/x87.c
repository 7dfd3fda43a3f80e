/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The x87: opcodes D8 to DF. The cycle model treats its register stack as one
 * register.
 */
#include "simpmu/x86/reader.h"

struct memory_form {
	uint8_t kind;
	uint8_t size;
	char access;
};

#define FORM(kind, size, access)                                               \
	{                                                                      \
		X86_##kind, size, access                                       \
	}
#define ARITHMETIC(size)                                                       \
	{                                                                      \
		FORM(FADD, size, 'r'), FORM(FMUL, size, 'r'),                  \
			FORM(FCMP, size, 'r'), FORM(FCMP, size, 'r'),          \
			FORM(FADD, size, 'r'), FORM(FADD, size, 'r'),          \
			FORM(FDIV, size, 'r'), FORM(FDIV, size, 'r')           \
	}

/* By opcode and ModRM.reg, with a memory operand. */
static const struct memory_form memory_forms[8][8] = {
	ARITHMETIC(4),
	{ FORM(FMOVE, 4, 'r'), FORM(OTHER, 4, 'r'), FORM(FMOVE, 4, '='),
	  FORM(FMOVE, 4, '='), FORM(OTHER, 28, 'r'), FORM(OTHER, 2, 'r'),
	  FORM(OTHER, 28, '='), FORM(OTHER, 2, '=') },
	ARITHMETIC(4),
	{ FORM(FCVT, 4, 'r'), FORM(FCVT, 4, '='), FORM(FCVT, 4, '='),
	  FORM(FCVT, 4, '='), FORM(OTHER, 4, 'r'), FORM(FMOVE, 10, 'r'),
	  FORM(OTHER, 4, 'r'), FORM(FMOVE, 10, '=') },
	ARITHMETIC(8),
	{ FORM(FMOVE, 8, 'r'), FORM(FCVT, 8, '='), FORM(FMOVE, 8, '='),
	  FORM(FMOVE, 8, '='), FORM(OTHER, 108, 'r'), FORM(OTHER, 2, 'r'),
	  FORM(OTHER, 108, '='), FORM(OTHER, 2, '=') },
	ARITHMETIC(2),
	{ FORM(FCVT, 2, 'r'), FORM(FCVT, 2, '='), FORM(FCVT, 2, '='),
	  FORM(FCVT, 2, '='), FORM(FCVT, 10, 'r'), FORM(FCVT, 8, 'r'),
	  FORM(FCVT, 10, '='), FORM(FCVT, 8, '=') },
};

/* By ModRM.reg: arithmetic between registers of D8, DC and DE. */
static const uint8_t arithmetic[8] = { X86_FADD, X86_FMUL, X86_FCMP, X86_FCMP,
				       X86_FADD, X86_FADD, X86_FDIV, X86_FDIV };

/* D9 E0 to D9 FF: constants, signs, tests, functions. */
static uint8_t d9_kind(uint8_t modrm)
{
	if (modrm < 0xd0)
		return X86_FMOVE; /* fld, fxch */
	if (modrm == 0xd0)
		return X86_NOP;
	if (modrm == 0xe4 || modrm == 0xe5)
		return X86_FCMP;
	if (modrm == 0xe0 || modrm == 0xe1)
		return X86_FMISC; /* fchs, fabs */
	if (modrm >= 0xe8 && modrm <= 0xee)
		return X86_FMOVE;
	if (modrm == 0xfa)
		return X86_FSQRT;
	if (modrm == 0xfc)
		return X86_FCVT; /* frndint */
	if (modrm == 0xf6 || modrm == 0xf7)
		return X86_OTHER; /* fdecstp, fincstp */
	return modrm >= 0xf0 ? X86_FMISC : X86_OTHER;
}

static uint8_t register_kind(uint8_t opcode, uint8_t modrm)
{
	unsigned reg = modrm >> 3 & 7;

	switch (opcode) {
	case 0xd8:
	case 0xdc:
	case 0xde:
		return arithmetic[reg];
	case 0xd9:
		return d9_kind(modrm);
	case 0xda:
		return reg < 4 ? X86_FMOVE : X86_FCMP;
	case 0xdb:
		if (reg < 4)
			return X86_FMOVE;
		return reg == 5 || reg == 6 ? X86_FCMP : X86_OTHER;
	case 0xdd:
		if (reg == 2 || reg == 3)
			return X86_FMOVE;
		return reg == 4 || reg == 5 ? X86_FCMP : X86_OTHER;
	default:
		return reg == 5 || reg == 6 ? X86_FCMP : X86_OTHER;
	}
}

static bool is_arithmetic(uint8_t kind)
{
	return kind == X86_FADD || kind == X86_FMUL || kind == X86_FDIV ||
	       kind == X86_FSQRT || kind == X86_FCMP || kind == X86_FMISC;
}

void x87_decode(const struct reader *r, struct x86 *out)
{
	if (r->mod == 3) {
		out->kind = register_kind(r->opcode, r->modrm);
		if (r->opcode == 0xdf && r->modrm == 0xe0)
			reader_add_register(out, REG_GP, '=');
		if ((r->opcode == 0xdb || r->opcode == 0xdf) &&
		    out->kind == X86_FCMP)
			reader_add_register(out, REG_FLAGS, '=');
	} else {
		const struct memory_form *form =
			&memory_forms[r->opcode & 7][r->modrm >> 3 & 7];

		out->kind = form->kind;
		out->addr[0] = r->base;
		out->addr[1] = r->index;
		reader_add_memory(out, form->size, form->access);
		if (r->rip)
			out->flags |= X86_RIP;
		if (r->segment)
			out->flags |= X86_SEGMENT;
		if (r->gs)
			out->flags |= X86_GS;
	}
	reader_add_register(out, REG_X87, '+');
	if (is_arithmetic(out->kind)) {
		out->fp = FP_X87;
		out->lanes = 1;
	}
}
