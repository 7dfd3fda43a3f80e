/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decoder: finds the row of the opcode maps (optable.c) that an instruction
 * is of, and what follows from it. Prefixes and ModRM are read in reader.c,
 * operands in notation.c, the x87 in x87.c. Follows the instruction format of
 * the processor manuals (Intel SDM volume 2, chapter 2 and appendix A).
 */
#include "simpmu/x86/decode.h"
#include "simpmu/x86/optable.h"
#include "simpmu/x86/reader.h"

static const uint8_t kind_class[X86_KIND_COUNT] = {
#define X(name, class) [X86_##name] = class,
	X86_KINDS(X)
#undef X
};

static bool is_integer(uint8_t reg)
{
	return reg < REG_VEC;
}

static bool is_vector(uint8_t reg)
{
	return reg >= REG_VEC && reg < REG_FLAGS;
}

/* From an integer register to a vector register, or the other way. */
static bool crosses(const struct x86 *insn)
{
	bool to_integer = is_integer(insn->dst[0]) && is_vector(insn->src[0]);
	bool to_vector = is_vector(insn->dst[0]) &&
			 (is_integer(insn->src[0]) || is_integer(insn->src[1]));

	return (insn->kind == X86_FMOVE || insn->kind == X86_VMOVE ||
		insn->kind == X86_VINT || insn->kind == X86_VSHUFFLE) &&
	       !insn->loads && !insn->stores && (to_integer || to_vector);
}

static bool has_three_parts(const struct x86 *insn)
{
	return insn->kind == X86_LEA && insn->addr[0] != REG_NONE &&
	       insn->addr[1] != REG_NONE && insn->disp;
}

/*
 * A move to a register that makes another value, or keeps part of the old one:
 * of a constant, an extension, or a move of bytes. Renaming alone cannot do
 * that.
 */
static bool makes_value(const struct x86 *insn)
{
	if (insn->kind != X86_MOVE || insn->loads || insn->stores)
		return false;
	if (insn->map == 1) /* movzx, movsx */
		return (insn->opcode & 0xf6) == 0xb6;
	return !insn->map &&
	       (insn->opcode == 0x63 || insn->opcode == 0x88 ||
		insn->opcode == 0x8a || (insn->opcode & 0xf0) == 0xb0 ||
		insn->opcode == 0xc6 || insn->opcode == 0xc7 ||
		insn->opcode == 0x98 || insn->opcode == 0x99 ||
		insn->opcode == 0x9e || insn->opcode == 0x9f);
}

enum insn_class x86_class(const struct x86 *insn)
{
	if (insn->flags & X86_LOCK)
		return INSN_SERIAL;
	if (insn->flags & X86_ZERO) /* renaming does it: no unit */
		return INSN_NOP;
	if (makes_value(insn))
		return INSN_ALU;
	if (insn->kind == X86_FDIV && insn->fp != FP_SINGLE)
		return INSN_FDIV_D;
	if (insn->kind == X86_FSQRT && insn->fp != FP_SINGLE)
		return INSN_FSQRT_D;
	if (has_three_parts(insn))
		return INSN_LEA3;
	if (crosses(insn))
		return INSN_CROSS;
	return kind_class[insn->kind];
}

void x86_unknown(size_t length, struct x86 *out)
{
	*out = (struct x86){
		.length = (uint8_t)length,
		.kind = X86_OTHER,
		.addr = { REG_NONE, REG_NONE },
		.src = { REG_NONE, REG_NONE, REG_NONE },
		.dst = { REG_NONE, REG_NONE },
	};
}

/* ---- rows ---- */

static bool row_fits(const struct reader *r, const struct row *row)
{
	bool is_memory = r->modrm >> 6 != 3;

	if (!(row->on & ON_ANY & r->on))
		return false;
	if (row->reg != ANY_REG && row->reg != (r->modrm >> 3 & 7))
		return false;
	if (((row->on & ON_MEM) && !is_memory) ||
	    ((row->on & ON_REG) && is_memory))
		return false;
	return true;
}

/* The first row whose last opcode is not below the one at hand. */
static const struct row *first_row(const struct reader *r)
{
	const struct row *rows = optable_maps[r->map];
	size_t low = 0, high = optable_sizes[r->map];

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rows[middle].last < r->opcode)
			low = middle + 1;
		else
			high = middle;
	}
	return rows + low;
}

/*
 * Rows of the map 0F that hold only without a VEX prefix: with one, their
 * opcodes mean something else, masks mostly.
 */
static bool is_legacy_only(const struct reader *r)
{
	unsigned op = r->opcode;

	if (r->map != 1)
		return false;
	return op < 0x10 || (op >= 0x18 && op < 0x28) ||
	       (op >= 0x30 && op < 0x50) || op == 0x78 || op == 0x79 ||
	       (op >= 0x80 && op < 0xc2 && op != 0xae) || op == 0xc3 ||
	       (op >= 0xc7 && op < 0xd0);
}

/* For what the maps do not name, the encoding alone tells length and operands.
 */
static const struct row *unnamed_row(const struct reader *r)
{
	static const struct row plain = { .kind = X86_VINT,
					  .operands = "Vx= Hx Wx" };
	static const struct row immediate = { .kind = X86_VINT,
					      .operands = "Vx= Hx Wx Ib" };
	static const struct row masks = { .kind = X86_OTHER,
					  .operands = "Vy= Wk" };
	static const struct row mask_store = { .kind = X86_OTHER,
					       .operands = "Wk= Vy" };

	if (r->map == 2 || (r->vex && r->map > 3))
		return &plain;
	if (r->map == 3)
		return &immediate;
	if (!r->vex || r->map != 1)
		return NULL;
	if (!r->evex && r->opcode >= 0x41 && r->opcode <= 0x99)
		return r->opcode == 0x91 ? &mask_store : &masks;
	return &plain;
}

static const struct row *find_row(struct reader *r)
{
	const struct row *end;

	/* groups look at ModRM, which nobody has taken yet */
	r->modrm = r->at < r->capacity ? r->code[r->at] : 0;
	if (r->map > 3 || (r->vex && is_legacy_only(r)))
		return unnamed_row(r);
	end = optable_maps[r->map] + optable_sizes[r->map];
	for (const struct row *row = first_row(r); row < end; row++) {
		if (row->opcode > r->opcode)
			break;
		if (r->opcode <= row->last && row_fits(r, row))
			return row;
	}
	return unnamed_row(r);
}

/* ---- what follows from the row ---- */

static void set_branch(const struct reader *r, const struct row *row,
		       struct x86 *out)
{
	bool direct = row->operands[0] == 'J';

	if (row->flags & ROW_COND) {
		out->branch = BRANCH_COND;
		if ((r->opcode & 0xf0) != 0xe0 && (r->opcode & 1))
			out->flags |= X86_ODD;
	} else if (row->flags & ROW_JUMP) {
		out->branch = direct ? BRANCH_JUMP : BRANCH_IND_JUMP;
	} else if (row->flags & ROW_CALL) {
		out->branch = direct ? BRANCH_CALL : BRANCH_IND_CALL;
	} else if (row->flags & ROW_RETURN) {
		out->branch = BRANCH_RETURN;
	} else if (row->flags & ROW_STOP) {
		out->branch = BRANCH_STOP;
	}
}

static void set_fp(const struct reader *r, const struct row *row,
		   struct x86 *out)
{
	bool is_double = false, is_scalar = false;

	switch (row->fp) {
	case RF_NONE:
		return;
	case RF_PREFIX:
		is_double = r->on & (ON_66 | ON_F2);
		is_scalar = r->on & (ON_F3 | ON_F2);
		break;
	case RF_W_PACKED:
	case RF_W_SCALAR:
		is_double = r->rex_w;
		is_scalar = row->fp == RF_W_SCALAR;
		break;
	default:
		is_double = row->fp == RF_PD || row->fp == RF_SD;
		is_scalar = row->fp == RF_SS || row->fp == RF_SD;
	}
	out->fp = is_double ? FP_DOUBLE : FP_SINGLE;
	out->lanes = 1;
	if (!is_scalar)
		out->lanes = (uint8_t)(r->vector / (is_double ? 8 : 4));
}

/* How many elements a gather loads: one per index or per element, whichever
 * are fewer. */
static void set_gather(const struct reader *r, struct x86 *out)
{
	unsigned vector = r->vector;
	unsigned wider = r->rex_w || (r->opcode & 1) ? 8 : 4;

	out->flags |= X86_GATHER;
	out->loads = (uint8_t)(vector / wider);
}

/* xor of a register with itself, and its like, wait for nothing. */
static bool is_zero_idiom(const struct reader *r)
{
	if (r->mod != 3)
		return false;
	if (r->map == 0)
		return r->reg == r->rm && ((r->opcode & 0xfd) == 0x31 ||
					   (r->opcode & 0xfd) == 0x29);
	if (r->map != 1 || (r->opcode != 0xef && r->opcode != 0x57))
		return false;
	return r->rm == (r->vex ? r->vvvv : r->reg);
}

static void set_flags(const struct reader *r, const struct row *row,
		      struct x86 *out)
{
	if (row->flags & ROW_USES)
		reader_add_register(out, REG_FLAGS, ' ');
	if (row->flags & ROW_SETS)
		reader_add_register(out, REG_FLAGS, '=');
	if (out->kind == X86_STRING && r->repeat)
		out->flags |= X86_REP;
	if (r->lock || ((row->flags & ROW_LOCK) && out->stores))
		out->flags |= X86_LOCK;
	if ((row->flags & ROW_NT) && out->stores)
		out->flags |= X86_NT;
	if (row->flags & ROW_FLUSH)
		out->flags |= X86_FLUSH;
	if (r->rip)
		out->flags |= X86_RIP;
	if (r->segment)
		out->flags |= X86_SEGMENT;
	if (r->gs)
		out->flags |= X86_GS;
	if (r->broadcast && r->mod != 3)
		out->flags |= X86_BROADCAST;
	if (row->flags & ROW_GATHER)
		set_gather(r, out);
}

static void set_layout(const struct reader *r, struct x86 *out)
{
	out->map = r->map;
	out->opcode = r->opcode;
	out->modrm = r->modrm;
	out->modrm_at = r->modrm_at;
	out->vvvv = r->vvvv;
	out->encoding = r->evex ? X86_EVEX : r->vex ? X86_VEX : X86_LEGACY;
	/* EVEX counts a displacement of one byte in memory operands */
	if (r->evex && r->mod == 1)
		out->disp *= out->loads ? out->load_size : out->store_size;
}

bool x86_decode(const uint8_t *code, size_t capacity, struct x86 *out)
{
	struct reader r = { .code = code,
			    .capacity = capacity < X86_MAX_LENGTH
						? capacity
						: X86_MAX_LENGTH,
			    .base = REG_NONE,
			    .index = REG_NONE };
	const struct row *row;

	x86_unknown(0, out);
	if (!reader_take_opcode(&r))
		return false;
	if (!r.map && !r.vex && (r.opcode & 0xf8) == 0xd8) {
		reader_take_modrm(&r, false);
		x87_decode(&r, out);
	} else {
		row = find_row(&r);
		if (!row)
			return false;
		if (row->flags & ROW_BARE)
			r.mod = 3;
		else
			reader_take_modrm(&r, row->flags & ROW_GATHER);
		r.wide = row->flags & ROW_WIDE;
		out->kind = row->kind;
		if (!(row->flags & ROW_BARE)) {
			out->addr[0] = r.base;
			out->addr[1] = r.index;
		}
		notation_read(&r, out, row->operands);
		set_branch(&r, row, out);
		set_fp(&r, row, out);
		set_flags(&r, row, out);
		if (is_zero_idiom(&r)) {
			out->src[0] = out->src[1] = REG_NONE;
			out->flags |= X86_ZERO;
		}
		/* xchg of r8 with rax uses the opcode of nop */
		if (!r.map && r.opcode == 0x90 && r.rex_b)
			out->kind = X86_MOVE;
	}
	out->scale = r.scale;
	out->disp = r.disp;
	out->length = (uint8_t)r.at;
	set_layout(&r, out);
	flags_decode(&r, out);
	return !r.short_of_bytes;
}
