/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder: prefixes and ModRM here, what opcodes mean in optable.c, the
 * x87 in x87.c. Follows the instruction format of the processor manuals
 * (Intel SDM volume 2, chapter 2 and appendix A).
 */
#include "simpmu/vg/decode.h"
#include "simpmu/vg/optable.h"
#include "simpmu/vg/reader.h"

static const uint8_t kind_class[X86_KIND_COUNT] = {
#define X(name, class) [X86_##name] = class,
	X86_KINDS(X)
#undef X
};

enum insn_class x86_class(const struct x86 *insn)
{
	if (insn->flags & X86_LOCK)
		return INSN_SERIAL;
	if (insn->kind == X86_FDIV && insn->fp != FP_SINGLE)
		return INSN_FDIV_D;
	if (insn->kind == X86_FSQRT && insn->fp != FP_SINGLE)
		return INSN_FSQRT_D;
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

static uint8_t next_byte(struct reader *r)
{
	if (r->at >= r->room) {
		r->short_of_bytes = true;
		return 0;
	}
	return r->code[r->at++];
}

static int64_t next_signed(struct reader *r, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)next_byte(r) << 8 * i;
	if (bytes < 8 && value >> (8 * bytes - 1) & 1)
		value |= ~UINT64_C(0) << 8 * bytes;
	return (int64_t)value;
}

/* ---- prefixes ---- */

static bool take_legacy_prefix(struct reader *r, uint8_t byte)
{
	switch (byte) {
	case 0x66:
		r->size_prefix = true;
		return true;
	case 0x67:
		r->address_prefix = true;
		return true;
	case 0xf0:
		r->lock = true;
		return true;
	case 0xf2:
	case 0xf3:
		r->repeat = byte;
		return true;
	case 0x64:
	case 0x65:
		r->segment = true;
		return true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
		return true;
	default:
		return false;
	}
}

static void take_vex_payload(struct reader *r, uint8_t byte)
{
	static const uint8_t prefix[4] = { ON_NONE, ON_66, ON_F3, ON_F2 };

	r->on = prefix[byte & 3];
	r->vex = true;
	r->wide_vector = byte >> 2 & 1;
	r->vvvv = (uint8_t)(~byte >> 3 & 15);
}

static bool take_vex(struct reader *r, uint8_t byte)
{
	uint8_t second = next_byte(r), third;

	r->rex_r = !(second & 0x80);
	if (byte == 0xc5) {
		r->map = 1;
		take_vex_payload(r, second);
		return true;
	}
	r->rex_x = !(second & 0x40);
	r->rex_b = !(second & 0x20);
	r->map = second & 31;
	third = next_byte(r);
	r->rex_w = third >> 7;
	take_vex_payload(r, third);
	return r->map >= 1 && r->map <= 3;
}

static void take_rex(struct reader *r, uint8_t byte)
{
	r->rex = true;
	r->rex_w = byte >> 3 & 1;
	r->rex_r = byte >> 2 & 1;
	r->rex_x = byte >> 1 & 1;
	r->rex_b = byte & 1;
}

static void choose_map(struct reader *r)
{
	r->on = ON_NONE;
	if (r->size_prefix)
		r->on = ON_66;
	if (r->repeat)
		r->on = r->repeat == 0xf3 ? ON_F3 : ON_F2;
	if (r->opcode != 0x0f)
		return;
	r->opcode = next_byte(r);
	r->map = 1;
	if (r->opcode == 0x38 || r->opcode == 0x3a) {
		r->map = r->opcode == 0x38 ? 2 : 3;
		r->opcode = next_byte(r);
	}
}

/* Everything up to and including the opcode. */
static bool take_opcode(struct reader *r)
{
	uint8_t byte = next_byte(r);

	while (take_legacy_prefix(r, byte))
		byte = next_byte(r);
	if ((byte & 0xf0) == 0x40) {
		take_rex(r, byte);
		byte = next_byte(r);
	}
	if (byte == 0xc4 || byte == 0xc5) {
		if (!take_vex(r, byte))
			return false;
		r->opcode = next_byte(r);
	} else {
		r->opcode = byte;
		choose_map(r);
	}
	return !r->short_of_bytes;
}

/* ---- ModRM ---- */

static void take_sib(struct reader *r, bool vector_index)
{
	uint8_t sib = next_byte(r);
	unsigned base = sib & 7, index = (sib >> 3 & 7) | r->rex_x << 3;

	r->scale = (uint8_t)(1u << (sib >> 6));
	if (vector_index)
		r->index = (uint8_t)(REG_VEC + index);
	else if (index != 4)
		r->index = (uint8_t)(REG_GP + index);
	if (base == 5 && !r->mod)
		r->disp = (int32_t)next_signed(r, 4);
	else
		r->base = (uint8_t)(base | r->rex_b << 3);
}

static void take_address(struct reader *r, bool vector_index)
{
	unsigned rm = r->modrm & 7;

	r->base = r->index = REG_NONE;
	r->scale = 1;
	if (rm == 4) {
		take_sib(r, vector_index);
	} else if (rm == 5 && !r->mod) {
		r->rip = true;
		r->disp = (int32_t)next_signed(r, 4);
	} else {
		r->base = (uint8_t)(rm | r->rex_b << 3);
	}
	if (r->mod == 1)
		r->disp = (int32_t)next_signed(r, 1);
	else if (r->mod == 2)
		r->disp = (int32_t)next_signed(r, 4);
}

static void take_modrm(struct reader *r, bool vector_index)
{
	r->modrm = next_byte(r);
	r->mod = r->modrm >> 6;
	r->reg = (uint8_t)((r->modrm >> 3 & 7) | r->rex_r << 3);
	r->rm = (uint8_t)((r->modrm & 7) | r->rex_b << 3);
	if (r->mod != 3)
		take_address(r, vector_index);
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

static const struct row *find_row(struct reader *r)
{
	const struct row *end = optable_maps[r->map] + optable_sizes[r->map];

	/* groups look at ModRM, which nobody has taken yet */
	r->modrm = r->at < r->room ? r->code[r->at] : 0;
	for (const struct row *row = first_row(r); row < end; row++) {
		if (row->opcode > r->opcode)
			return NULL;
		if (r->opcode <= row->last && row_fits(r, row))
			return row;
	}
	return NULL;
}

/* ---- operands ---- */

static unsigned operand_size(const struct reader *r)
{
	if (r->rex_w)
		return 8;
	if (r->size_prefix)
		return 2;
	return r->wide ? 8 : 4;
}

static bool is_mmx(const struct reader *r)
{
	return !r->vex && r->on == ON_NONE;
}

static unsigned type_size(const struct reader *r, char type)
{
	unsigned vector = r->wide_vector ? 32 : 16;

	switch (type) {
	case 'b':
		return 1;
	case 'w':
		return 2;
	case 'd':
		return 4;
	case 'q':
		return 8;
	case 'o':
		return 16;
	case '5':
		return 512;
	case '2':
		return r->rex_w ? 16 : 8;
	case 'v':
		return operand_size(r);
	case 'y':
	case 's':
		return r->rex_w ? 8 : 4;
	case 'z':
		return r->size_prefix && !r->rex_w ? 2 : 4;
	case 'f':
		return r->on == ON_F3 ? 4 : r->on == ON_F2 ? 8 : vector;
	case 'i':
		return is_mmx(r) ? 8 : vector;
	case 'n':
		return is_mmx(r) ? 8 : 16;
	case 'h':
		return vector / 2;
	case 'c':
		return vector / 4;
	case 'e':
		return vector / 8;
	case 'p':
		return r->wide_vector ? 32 : 8;
	default:
		return vector;
	}
}

void reader_add_register(struct x86 *out, unsigned reg, char access)
{
	if (access != '=')
		for (unsigned i = 0; i < 3; i++) {
			if (out->src[i] == reg)
				break;
			if (out->src[i] == REG_NONE) {
				out->src[i] = (uint8_t)reg;
				break;
			}
		}
	if (access == '=' || access == '+')
		for (unsigned i = 0; i < 2; i++)
			if (out->dst[i] == REG_NONE) {
				out->dst[i] = (uint8_t)reg;
				break;
			}
}

void reader_add_memory(struct x86 *out, unsigned size, char access)
{
	if (access != '=') {
		out->loads++;
		out->load_size = (uint16_t)size;
	}
	if (access == '=' || access == '+') {
		out->stores++;
		out->store_size = (uint16_t)size;
	}
}

static void add_address(struct x86 *out, unsigned reg)
{
	if (out->addr[0] == REG_NONE)
		out->addr[0] = (uint8_t)reg;
	else if (out->addr[1] == REG_NONE)
		out->addr[1] = (uint8_t)reg;
}

/* Without REX, byte registers 4 to 7 are ah, ch, dh, bh. */
static unsigned byte_register(const struct reader *r, unsigned reg, char type)
{
	return type == 'b' && !r->rex && reg >= 4 && reg < 8 ? reg - 4 : reg;
}

static void add_vector(const struct reader *r, struct x86 *out, unsigned reg,
		       const char *operand)
{
	bool mmx = is_mmx(r) && (operand[1] == 'i' || operand[1] == 'n');

	reader_add_register(out, mmx ? REG_X87 : REG_VEC + reg, operand[2]);
}

static void add_stack(const struct reader *r, struct x86 *out, char access)
{
	add_address(out, REG_GP + 4);
	reader_add_register(out, REG_GP + 4, '+');
	reader_add_memory(out, operand_size(r), access);
}

static void add_string(const struct reader *r, struct x86 *out, unsigned reg,
		       const char *operand)
{
	add_address(out, REG_GP + reg);
	reader_add_register(out, REG_GP + reg, '+');
	reader_add_memory(out, type_size(r, operand[1]), operand[2]);
	if (r->repeat)
		reader_add_register(out, REG_GP + 1, '+');
}

static void take_immediate(struct reader *r, char type)
{
	next_signed(r, type == 'z' ? type_size(r, 'z') : type_size(r, type));
}

/* An operand that ModRM.rm selects, register or memory. */
static void take_rm(struct reader *r, struct x86 *out, const char *operand)
{
	bool is_vector = operand[0] == 'W' || operand[0] == 'U';

	if (r->mod != 3) {
		if (operand[0] != 'm')
			reader_add_memory(out, type_size(r, operand[1]),
					  operand[2]);
	} else if (is_vector) {
		add_vector(r, out, r->rm, operand);
	} else if (operand[0] == 'E') {
		reader_add_register(
			out, REG_GP + byte_register(r, r->rm, operand[1]),
			operand[2]);
	}
}

static void take_fixed(const struct reader *r, struct x86 *out,
		       const char *operand)
{
	static const struct {
		char name;
		uint8_t reg;
	} fixed[] = { { 'A', 0 }, { 'C', 1 }, { 'D', 2 } };

	(void)r;
	for (unsigned i = 0; i < 3; i++)
		if (fixed[i].name == operand[0])
			reader_add_register(out, REG_GP + fixed[i].reg,
					    operand[2]);
}

static void take_operand(struct reader *r, struct x86 *out, const char *operand)
{
	switch (operand[0]) {
	case 'E':
	case 'W':
	case 'U':
	case 'M':
	case 'm':
		take_rm(r, out, operand);
		break;
	case 'G':
		reader_add_register(
			out, REG_GP + byte_register(r, r->reg, operand[1]),
			operand[2]);
		break;
	case 'V':
		add_vector(r, out, r->reg, operand);
		break;
	case 'H':
		add_vector(r, out, r->vex ? r->vvvv : r->reg, operand);
		break;
	case 'B':
		reader_add_register(out, REG_GP + r->vvvv, operand[2]);
		break;
	case 'L':
		reader_add_register(out, REG_VEC + (next_byte(r) >> 4), ' ');
		break;
	case 'Z':
		reader_add_register(
			out,
			REG_GP + byte_register(r,
					       (r->opcode & 7u) | r->rex_b << 3,
					       operand[1]),
			operand[2]);
		break;
	case 'I':
		take_immediate(r, operand[1]);
		break;
	case 'J':
		out->relative =
			(int32_t)next_signed(r, operand[1] == 'b' ? 1 : 4);
		break;
	case 'S':
		add_stack(r, out, operand[2]);
		break;
	case 'X':
		add_string(r, out, 6, operand);
		break;
	case 'Y':
		add_string(r, out, 7, operand);
		break;
	case 'O':
		next_signed(r, r->address_prefix ? 4 : 8);
		reader_add_memory(out, type_size(r, operand[1]), operand[2]);
		break;
	case 'T':
		add_address(out, REG_GP + 3);
		add_address(out, REG_GP + 0);
		reader_add_memory(out, 1, ' ');
		break;
	default:
		take_fixed(r, out, operand);
	}
}

static void take_operands(struct reader *r, struct x86 *out, const char *text)
{
	while (*text) {
		char operand[3] = { text[0], ' ', ' ' };

		text++;
		if (*text && *text != ' ')
			operand[1] = *text++;
		if (*text && *text != ' ')
			operand[2] = *text++;
		take_operand(r, out, operand);
		while (*text == ' ')
			text++;
	}
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
		out->lanes = (uint8_t)((r->wide_vector ? 32 : 16) /
				       (is_double ? 8 : 4));
}

/* How many elements a gather loads: one per index or per element, whichever
 * are fewer. */
static void set_gather(const struct reader *r, struct x86 *out)
{
	unsigned vector = r->wide_vector ? 32 : 16;
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
	if (row->flags & ROW_GATHER)
		set_gather(r, out);
}

bool x86_decode(const uint8_t *code, size_t room, struct x86 *out)
{
	struct reader r = { .code = code,
			    .room = room < X86_MAX_LENGTH ? room
							  : X86_MAX_LENGTH,
			    .base = REG_NONE,
			    .index = REG_NONE };
	const struct row *row;

	x86_unknown(0, out);
	if (!take_opcode(&r))
		return false;
	if (!r.map && !r.vex && (r.opcode & 0xf8) == 0xd8) {
		take_modrm(&r, false);
		x87_decode(&r, out);
	} else {
		row = find_row(&r);
		if (!row)
			return false;
		if (row->flags & ROW_BARE)
			r.mod = 3;
		else
			take_modrm(&r, row->flags & ROW_GATHER);
		r.wide = row->flags & ROW_WIDE;
		out->kind = row->kind;
		if (!(row->flags & ROW_BARE)) {
			out->addr[0] = r.base;
			out->addr[1] = r.index;
		}
		take_operands(&r, out, row->operands);
		set_branch(&r, row, out);
		set_fp(&r, row, out);
		set_flags(&r, row, out);
		if (is_zero_idiom(&r))
			out->src[0] = out->src[1] = REG_NONE;
		/* xchg of r8 with rax uses the opcode of nop */
		if (!r.map && r.opcode == 0x90 && r.rex_b)
			out->kind = X86_MOVE;
	}
	out->scale = r.scale;
	out->disp = r.disp;
	out->length = (uint8_t)r.at;
	return !r.short_of_bytes;
}
