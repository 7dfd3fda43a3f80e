/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which condition flags an instruction reads and writes, by opcode. What it
 * leaves undefined counts as written, where processors do change it; what is
 * not known here reads all and writes none, which is always safe. The
 * direction flag is none of these.
 */
#include "simpmu/x86/optable.h"
#include "simpmu/x86/reader.h"

#define ALL    X86_ALL_FLAGS
#define LOADED (X86_CF | X86_PF | X86_AF | X86_ZF | X86_SF) /* by sahf */

/* Both as one number: what is read above what is written. */
static unsigned use(unsigned read, unsigned written)
{
	return read << 8 | written;
}

/* The flags that condition @code of jcc, setcc and cmovcc looks at. */
static unsigned condition(unsigned code)
{
	static const uint8_t flags[8] = {
		X86_OF, X86_CF, X86_ZF,          X86_CF | X86_ZF,
		X86_SF, X86_PF, X86_SF | X86_OF, X86_ZF | X86_SF | X86_OF
	};

	return flags[code >> 1 & 7];
}

/* add, or, adc, sbb, and, sub, xor, cmp */
static unsigned two_operands(unsigned which)
{
	return use(which == 2 || which == 3 ? X86_CF : 0, ALL);
}

/* Shifts and rotates; @count is 0 where it is not known. */
static unsigned shift(unsigned which, unsigned count)
{
	unsigned written = which < 4 ? X86_CF | X86_OF : ALL;

	return use(which == 2 || which == 3 ? X86_CF : 0, count ? written : 0);
}

static unsigned immediate_count(const struct reader *r)
{
	return r->code[r->at - 1] & (r->rex_w ? 63 : 31);
}

static unsigned group3(unsigned which)
{
	return use(0, which == 2 || which >= 6 ? 0 : ALL); /* not, div */
}

static unsigned x87_flags(const struct reader *r)
{
	static const uint8_t moved[4] = { X86_CF, X86_ZF, X86_CF | X86_ZF,
					  X86_PF };
	unsigned reg = r->modrm >> 3 & 7;

	if (r->mod != 3)
		return 0;
	if ((r->opcode == 0xda || r->opcode == 0xdb) && reg < 4)
		return use(moved[reg], 0);
	if ((r->opcode == 0xdb || r->opcode == 0xdf) && (reg == 5 || reg == 6))
		return use(0, X86_ZF | X86_PF | X86_CF);
	return 0;
}

static unsigned one_byte(const struct reader *r, const struct x86 *out)
{
	unsigned op = r->opcode, reg = r->modrm >> 3 & 7;

	if (op < 0x40 && (op & 7) < 6)
		return two_operands(op >> 3);
	if ((op & 0xf0) == 0x70)
		return use(condition(op), 0);
	if ((op & 0xf8) == 0xd8)
		return x87_flags(r);
	switch (op) {
	case 0x69:
	case 0x6b:
	case 0x84:
	case 0x85:
	case 0xa8:
	case 0xa9:
		return use(0, ALL);
	case 0x80:
	case 0x81:
	case 0x83:
		return two_operands(reg);
	case 0x9c:
		return use(ALL, 0);
	case 0x9d:
		return use(0, ALL);
	case 0x9e:
		return use(0, LOADED);
	case 0x9f:
		return use(LOADED, 0);
	case 0xa6:
	case 0xa7:
	case 0xae:
	case 0xaf: /* with rep there may be nothing to compare */
		return r->repeat ? use(X86_ZF, 0) : use(0, ALL);
	case 0xc0:
	case 0xc1:
		return shift(reg, immediate_count(r));
	case 0xd0:
	case 0xd1:
		return shift(reg, 1);
	case 0xd2:
	case 0xd3:
		return shift(reg, 0);
	case 0xe0:
	case 0xe1:
		return use(X86_ZF, 0);
	case 0xf5:
		return use(X86_CF, X86_CF);
	case 0xf8:
	case 0xf9:
		return use(0, X86_CF);
	case 0xf6:
	case 0xf7:
		return group3(reg);
	case 0xfe:
	case 0xff:
		return use(0, reg < 2 ? ALL & ~X86_CF : 0);
	default:
		return use(out->branch == BRANCH_STOP ? ALL : 0, 0);
	}
}

static unsigned two_byte(const struct reader *r, const struct x86 *out)
{
	unsigned op = r->opcode, reg = r->modrm >> 3 & 7;

	if ((op & 0xf0) == 0x40 || (op & 0xf0) == 0x80 || (op & 0xf0) == 0x90)
		return use(condition(op), 0);
	switch (op) {
	case 0x00:
	case 0x01:
	case 0x02:
	case 0x03:
		return use(ALL, 0);
	case 0x2e:
	case 0x2f:
	case 0xaf:
	case 0xb0:
	case 0xb1:
	case 0xb8:
	case 0xc0:
	case 0xc1:
		return use(0, ALL);
	case 0xa3:
	case 0xab:
	case 0xb3:
	case 0xba:
	case 0xbb:
		return use(0, X86_CF);
	case 0xa4:
	case 0xac:
		return shift(4, immediate_count(r));
	case 0xa5:
	case 0xad:
		return shift(4, 0);
	case 0xbc:
	case 0xbd:
		return use(0, r->on == ON_F3 ? X86_CF | X86_ZF : X86_ZF);
	case 0xc7:
		if (r->mod != 3)
			return use(0, reg == 1 ? X86_ZF : 0);
		return use(0, r->on == ON_F3 ? 0 : ALL);
	default:
		return use(out->branch == BRANCH_STOP ? ALL : 0, 0);
	}
}

/* 0F 38 without VEX: ptest, adcx, adox */
static unsigned map_38(const struct reader *r)
{
	if (r->opcode == 0x17)
		return use(0, ALL);
	if (r->opcode == 0xf6 && r->on == ON_66)
		return use(X86_CF, X86_CF);
	if (r->opcode == 0xf6 && r->on == ON_F3)
		return use(X86_OF, X86_OF);
	return 0;
}

static unsigned vex_flags(const struct reader *r)
{
	unsigned op = r->opcode;
	bool sets = false;

	if (r->map == 1 || r->map == 5)
		sets = op == 0x2e || op == 0x2f ||
		       (!r->evex && (op == 0x98 || op == 0x99));
	else if (r->map == 2 && !r->evex)
		sets = op == 0x0e || op == 0x0f || op == 0x17 || op == 0xf2 ||
		       op == 0xf3 ||
		       (r->on == ON_NONE && (op == 0xf5 || op == 0xf7));
	else if (r->map == 3 && !r->evex)
		sets = op >= 0x60 && op <= 0x63;
	return use(0, sets ? ALL : 0);
}

static unsigned use_of(const struct reader *r, const struct x86 *out)
{
	if (r->vex)
		return vex_flags(r);
	if (r->map == 0)
		return one_byte(r, out);
	if (r->map == 1)
		return two_byte(r, out);
	if (r->map == 2)
		return map_38(r);
	return use(0, r->opcode >= 0x60 && r->opcode <= 0x63 ? ALL : 0);
}

void flags_decode(const struct reader *r, struct x86 *out)
{
	unsigned both = use_of(r, out);

	out->flags_read = (uint8_t)(both >> 8);
	out->flags_written = (uint8_t)both;
}
