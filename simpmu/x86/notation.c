/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands, from the notation of the opcode maps; see optable.h. */
#include "simpmu/x86/optable.h"
#include "simpmu/x86/reader.h"

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
	unsigned vector = r->vector;

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
	case 'k': /* mask: 1, 2, 4 or 8 */
		return (r->on == ON_66 ? 1u : 2u) << (r->rex_w ? 2 : 0);
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
		return r->vector == 16 ? 8 : r->vector;
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

/* A byte that is written leaves the rest of its register as it was. */
static void add_integer(const struct reader *r, struct x86 *out, unsigned reg,
			const char *operand)
{
	bool is_merged = operand[1] == 'b' && operand[2] == '=';

	reader_add_register(out, REG_GP + byte_register(r, reg, operand[1]),
			    is_merged ? '+' : operand[2]);
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
	reader_signed(r, type == 'z' ? type_size(r, 'z') : type_size(r, type));
}

/* An operand that ModRM.rm selects, register or memory. */
static void take_rm(struct reader *r, struct x86 *out, const char *operand)
{
	bool is_vector = operand[0] == 'W' || operand[0] == 'U';

	if (r->mod != 3) {
		unsigned size = type_size(r, operand[1]);

		if (is_vector && r->broadcast && size > 8)
			size = r->rex_w ? 8 : 4;
		if (operand[0] != 'm')
			reader_add_memory(out, size, operand[2]);
	} else if (is_vector) {
		add_vector(r, out, r->rm, operand);
	} else if (operand[0] == 'E') {
		add_integer(r, out, r->rm, operand);
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

/* An operand that can only be a register. False if it is another. */
static bool take_register(struct reader *r, struct x86 *out,
			  const char *operand)
{
	switch (operand[0]) {
	case 'G':
		add_integer(r, out, r->reg, operand);
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
		reader_add_register(out, REG_VEC + (reader_byte(r) >> 4), ' ');
		break;
	case 'Z':
		add_integer(r, out, (r->opcode & 7u) | r->rex_b << 3, operand);
		break;
	default:
		return false;
	}
	return true;
}

static void take_operand(struct reader *r, struct x86 *out, const char *operand)
{
	if (take_register(r, out, operand))
		return;
	switch (operand[0]) {
	case 'E':
	case 'W':
	case 'U':
	case 'M':
	case 'm':
		take_rm(r, out, operand);
		break;
	case 'I':
		take_immediate(r, operand[1]);
		break;
	case 'J':
		out->relative =
			(int32_t)reader_signed(r, operand[1] == 'b' ? 1 : 4);
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
		reader_signed(r, r->address_prefix ? 4 : 8);
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

void notation_read(struct reader *r, struct x86 *out, const char *text)
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
