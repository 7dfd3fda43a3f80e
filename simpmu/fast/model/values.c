/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers that instructions change, so that their next use is logged anew.
 * Where an instruction changes more than the decoder tells, all are forgotten:
 * that costs a word, and nothing else.
 */
#include "simpmu/fast/model/values.h"

#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

void values_forget_all(struct values *v)
{
	memset(v->word, 0, sizeof(v->word));
}

void values_note(struct values *v, unsigned reg, uint16_t word)
{
	v->word[reg] = word;
	v->beyond[reg] = 0;
}

/* Whether the decoder names all registers that it writes. */
static bool is_plain(const struct x86 *x)
{
	switch (x->kind) {
	case X86_OTHER:
	case X86_MUL:
	case X86_DIV:
	case X86_STRING:
	case X86_SYSCALL:
	case X86_SERIAL:
		return false;
	default:
		break;
	}
	if (x->flags & X86_LOCK || (x->map == 1 && x->opcode == 0xc7))
		return false;
	/* enter and leave; cmpxchg */
	return !(x->map == 0 && (x->opcode == 0xc8 || x->opcode == 0xc9)) &&
	       !(x->map == 1 && (x->opcode & 0xfe) == 0xb0);
}

/* By how much a push, pop, call, return or addition moves rsp; 0: otherwise. */
static int64_t stack_move(uint64_t pc, const struct x86 *x)
{
	const uint8_t *code = (const uint8_t *)pc;
	unsigned op = x->opcode, group = x->modrm >> 3 & 7;
	int32_t constant;

	if (x->encoding != X86_LEGACY || x->map)
		return 0;
	if (x->branch == BRANCH_CALL || x->branch == BRANCH_IND_CALL)
		return -8;
	if (op == 0xc3)
		return 8;
	if ((op >= 0x50 && op <= 0x57) || op == 0x68 || op == 0x6a ||
	    (op == 0xff && group == 6))
		return -(int64_t)x->store_size;
	if (op >= 0x58 && op <= 0x5f && x->dst[0] != REG_GP + RSP)
		return x->load_size;
	/* add or sub rsp, constant */
	if ((op != 0x83 && op != 0x81) || (group != 0 && group != 5) ||
	    x->modrm >> 6 != 3 || code[0] != 0x48 || (x->modrm & 7) != RSP)
		return 0;
	constant = (int8_t)code[3];
	if (op == 0x81)
		memcpy(&constant, code + 3, sizeof(constant));
	return group ? -(int64_t)constant : constant;
}

void values_change(struct values *v, uint64_t pc, const struct x86 *x)
{
	int64_t move = stack_move(pc, x);

	if (!is_plain(x)) {
		values_forget_all(v);
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		if (x->dst[i] < REG_GP + 16 &&
		    !(move && x->dst[i] == REG_GP + RSP))
			v->word[x->dst[i] - REG_GP] = 0;
	v->beyond[RSP] += move;
}
