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

/* By how much a push, pop, call or return moves rsp; 0: otherwise. */
static int64_t stack_move(const struct x86 *x)
{
	unsigned op = x->opcode, group = x->modrm >> 3 & 7;

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
	return 0;
}

/* A register that becomes another, or itself, plus a constant. */
struct sum {
	unsigned to, from;
	int64_t constant;
};

#define REX_B 1u
#define REX_X 2u
#define REX_R 4u

static int64_t constant_at(const uint8_t *code, bool is_short)
{
	int32_t constant = (int8_t)*code;

	if (!is_short)
		memcpy(&constant, code, sizeof(constant));
	return constant;
}

/* lea to, [from + constant], without an index */
static bool is_lea_sum(const uint8_t *code, unsigned modrm, struct sum *sum)
{
	unsigned mod = modrm >> 6;
	bool has_sib = (modrm & 7) == 4;

	if (mod == 3 || (mod == 0 && (modrm & 7) == 5) ||
	    (has_sib && (code[3] >> 3 & 7) != 4) ||
	    (has_sib && mod == 0 && (code[3] & 7) == 5))
		return false;
	if (has_sib)
		sum->from = (sum->from & 8) | (code[3] & 7);
	sum->constant = mod ? constant_at(code + 3 + has_sib, mod == 1) : 0;
	return true;
}

/* Whether the instruction is such a sum of 64 bits: add, sub, inc, dec, mov,
 * lea. */
static bool is_sum(const uint8_t *code, const struct x86 *x, struct sum *sum)
{
	unsigned op = x->opcode, modrm = x->modrm, rex = code[0];
	unsigned group = modrm >> 3 & 7;

	if (x->encoding != X86_LEGACY || x->map || (rex & 0xf8) != 0x48 ||
	    code[1] != op || rex & REX_X)
		return false;
	sum->to = sum->from = (modrm & 7) | (rex & REX_B) << 3;
	sum->constant = 0;
	if (op == 0x8d) {
		sum->to = group | (rex & REX_R) << 1;
		return is_lea_sum(code, modrm, sum);
	}
	if (modrm >> 6 != 3)
		return false;
	switch (op) {
	case 0x81:
	case 0x83:
		sum->constant = constant_at(code + 3, op == 0x83);
		if (group == 5)
			sum->constant = -sum->constant;
		return group == 0 || group == 5;
	case 0xff:
		sum->constant = group ? -1 : 1;
		return group <= 1;
	case 0x89:
		sum->from = group | (rex & REX_R) << 1;
		return true;
	case 0x8b:
		sum->to = group | (rex & REX_R) << 1;
		return true;
	default:
		return false;
	}
}

void values_change(struct values *v, uint64_t pc, const struct x86 *x)
{
	int64_t move = stack_move(x);
	struct sum sum;

	if (!is_plain(x)) {
		values_forget_all(v);
		return;
	}
	if (is_sum((const uint8_t *)pc, x, &sum)) {
		v->word[sum.to] = v->word[sum.from];
		v->beyond[sum.to] = v->beyond[sum.from] + sum.constant;
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		if (x->dst[i] < REG_GP + 16 &&
		    !(move && x->dst[i] == REG_GP + RSP))
			v->word[x->dst[i] - REG_GP] = 0;
	v->beyond[RSP] += move;
}
