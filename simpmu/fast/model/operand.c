/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory operands, from the bytes of an instruction. How many there are and
 * how large is the decoder's word; here is where.
 */
#include "simpmu/fast/model/operand.h"

#include "simpmu/fast/model/log.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

/* Bits that extend register numbers to 8 and more. */
struct extension {
	bool r, x, b;
};

static struct extension extension_of(const uint8_t *code, const struct x86 *x)
{
	static const uint8_t escape[] = { 0, 1, 2, 2 };
	struct extension e = { false, false, false };
	unsigned end = x->modrm_at ? x->modrm_at - 1u : x->length;
	unsigned at = 0;

	if (x->encoding == X86_EVEX || x->encoding == X86_VEX) {
		unsigned far = x->encoding == X86_EVEX ? 3 : 2;

		if (x->encoding == X86_VEX && code[end - 2] == 0xc5) {
			e.r = !(code[end - 1] & 0x80);
			return e;
		}
		e.r = !(code[end - far] & 0x80);
		e.x = !(code[end - far] & 0x40);
		e.b = !(code[end - far] & 0x20);
		return e;
	}
	if (x->modrm_at) {
		at = end - escape[x->map & 3];
	} else {
		while (code[at] == 0x66 || code[at] == 0x67 ||
		       code[at] == 0xf2 || code[at] == 0xf3 ||
		       code[at] == 0xf0 || code[at] == 0x64 ||
		       code[at] == 0x2e || code[at] == 0x3e ||
		       code[at] == 0x26 || code[at] == 0x36)
			at++;
		at++;
	}
	if (at && (code[at - 1] & 0xf0) == 0x40) {
		e.r = code[at - 1] & 4;
		e.x = code[at - 1] & 2;
		e.b = code[at - 1] & 1;
	}
	return e;
}

static bool has_short_address(const uint8_t *code, const struct x86 *x)
{
	unsigned end = x->modrm_at ? x->modrm_at - 1u : x->length;

	for (unsigned i = 0; i < end; i++)
		switch (code[i]) {
		case 0x67:
			return true;
		case 0x66:
		case 0xf0:
		case 0xf2:
		case 0xf3:
		case 0x64:
		case 0x2e:
		case 0x3e:
		case 0x26:
		case 0x36:
			break;
		default:
			return false;
		}
	return false;
}

static bool is_explicit(const struct x86 *x)
{
	return x->modrm_at && x->modrm >> 6 != 3;
}

void operand_address(uint64_t pc, const struct x86 *x, struct operand *out)
{
	const uint8_t *code = (const uint8_t *)pc;
	struct extension e = extension_of(code, x);
	uint8_t sib = code[x->modrm_at + 1];
	unsigned rm = x->modrm & 7;

	out->base = out->index = OPERAND_NONE;
	out->shift = 0;
	out->offset = x->disp;
	out->flags = x->flags & X86_SEGMENT ? ITEM_FS : 0;
	if (has_short_address(code, x))
		out->flags |= ITEM_32_BITS;
	if (x->flags & X86_RIP) {
		out->offset += (int64_t)(pc + x->length);
	} else if (rm == 4) {
		unsigned index = (sib >> 3 & 7u) | (unsigned)e.x << 3;

		out->shift = sib >> 6;
		if (index != 4 || x->flags & X86_GATHER)
			out->index = (uint8_t)index;
		if ((sib & 7) != 5 || x->modrm >> 6)
			out->base = (uint8_t)((sib & 7) | e.b << 3);
	} else {
		out->base = (uint8_t)(rm | (unsigned)e.b << 3);
	}
}

static struct operand at_register(uint8_t reg, int64_t offset)
{
	return (struct operand){ .base = reg,
				 .index = OPERAND_NONE,
				 .offset = offset };
}

/* mov between al, ax, eax, rax and an address in full */
static bool is_absolute(const struct x86 *x)
{
	return !x->map && x->encoding == X86_LEGACY && x->opcode >= 0xa0 &&
	       x->opcode <= 0xa3;
}

static struct operand absolute(uint64_t pc, const struct x86 *x)
{
	struct operand o = { .base = OPERAND_NONE, .index = OPERAND_NONE };
	const uint8_t *code = (const uint8_t *)pc;
	bool is_short = has_short_address(code, x);

	memcpy(&o.offset, code + x->length - (is_short ? 4 : 8),
	       is_short ? 4 : 8);
	o.flags = x->flags & X86_SEGMENT ? ITEM_FS : 0;
	return o;
}

/* Bit tests with a register: the address is that of the bit's byte. */
static bool is_bit_string(const struct x86 *x)
{
	return x->map == 1 && x->encoding == X86_LEGACY &&
	       (x->opcode == 0xa3 || x->opcode == 0xab || x->opcode == 0xb3 ||
		x->opcode == 0xbb);
}

static void set_bits(uint64_t pc, const struct x86 *x, struct operand *o,
		     unsigned size)
{
	struct extension e = extension_of((const uint8_t *)pc, x);
	unsigned bit = (x->modrm >> 3 & 7u) | (unsigned)e.r << 3;

	o->index = (uint8_t)bit;
	o->shift = (uint8_t)size;
	o->flags |= ITEM_BITS;
}

/* A bit test has one register more than there is room for, if it has an index.
 */
bool operand_has_room(uint64_t pc, const struct x86 *x)
{
	struct operand o;

	if (!is_bit_string(x) || !is_explicit(x))
		return true;
	operand_address(pc, x, &o);
	return o.index == OPERAND_NONE;
}

static bool pops(const struct x86 *x)
{
	return x->branch == BRANCH_RETURN ||
	       (x->kind == X86_STACK && x->loads &&
		(!is_explicit(x) || x->opcode == 0x8f));
}

static bool pushes(const struct x86 *x)
{
	return x->branch == BRANCH_CALL || x->branch == BRANCH_IND_CALL ||
	       (x->kind == X86_STACK && x->stores &&
		(!is_explicit(x) || x->opcode == 0xff));
}

static struct operand string_operand(const struct x86 *x, bool store)
{
	unsigned op = x->opcode & 0xfe;
	bool by_di = store || op == 0xae; /* scas */

	return at_register(by_di ? RDI : RSI, 0);
}

/* The one that is read (@store: written) last, or alone. */
static struct operand main_operand(uint64_t pc, const struct x86 *x, bool store)
{
	struct operand o;

	if (x->kind == X86_STRING)
		return string_operand(x, store);
	if (!store && pops(x))
		return at_register(x->opcode == 0xc9 && !x->map ? RBP : RSP, 0);
	if (store && pushes(x))
		return at_register(RSP, -(int64_t)x->store_size);
	if (is_explicit(x)) {
		operand_address(pc, x, &o);
		if (is_bit_string(x))
			set_bits(pc, x, &o,
				 x->store_size ? x->store_size : x->load_size);
		/* pop to an address by rsp: as it is behind the pop */
		if (store && pops(x) && o.base == RSP)
			o.offset += x->load_size;
		return o;
	}
	if (is_absolute(x))
		return absolute(pc, x);
	if (x->opcode == 0xd7 && !x->map) { /* xlat */
		o = at_register(RBX, 0);
		o.index = RAX;
		o.flags = ITEM_BYTE;
		return o;
	}
	return at_register(RDI, 0); /* masked moves of bytes */
}

static enum log_access prefetch_of(const struct x86 *x)
{
	if (x->kind == X86_PREFETCH_T1)
		return LOG_TO_L2;
	return x->kind == X86_PREFETCH_W ? LOG_TO_WRITE : LOG_TO_L1;
}

static bool is_prefetch(const struct x86 *x)
{
	return x->kind == X86_PREFETCH_T0 || x->kind == X86_PREFETCH_T1 ||
	       x->kind == X86_PREFETCH_NTA || x->kind == X86_PREFETCH_W;
}

static unsigned load_size(const struct x86 *x)
{
	/* all that is touched of a string of bits is a byte */
	if (is_bit_string(x) && !(x->flags & X86_LOCK))
		return 1;
	return x->load_size;
}

unsigned operand_find(uint64_t pc, const struct x86 *x,
		      struct operand out[OPERAND_MOST])
{
	unsigned n = 0;

	if (x->loads == 2) { /* cmps: first the one at rdi */
		out[n] = at_register(RDI, 0);
		out[n++].size = x->load_size;
	}
	if (x->loads) {
		out[n] = main_operand(pc, x, false);
		out[n].access = LOG_LOADS;
		out[n++].size = (uint16_t)load_size(x);
	}
	if (x->stores && n < OPERAND_MOST) {
		out[n] = main_operand(pc, x, true);
		out[n].access = x->flags & X86_NT ? LOG_NT : LOG_STORES;
		out[n++].size = x->store_size;
	}
	if (!n && is_explicit(x) && (x->flags & X86_FLUSH || is_prefetch(x))) {
		operand_address(pc, x, &out[n]);
		out[n].access =
			(uint8_t)(x->flags & X86_FLUSH ? LOG_FLUSH
						       : prefetch_of(x));
		out[n++].size = 1;
	}
	return n;
}

unsigned operand_high_registers(uint64_t pc, const struct x86 *x)
{
	const uint8_t *code = (const uint8_t *)pc;
	struct extension e = extension_of(code, x);
	unsigned mask = 0;

	if (x->encoding != X86_LEGACY && x->vvvv >= 8)
		mask |= 1u << (x->vvvv & 7);
	if (!x->modrm_at)
		return e.b ? mask | 1u << (code[x->length - 1] & 7) |
				       1u << (x->opcode & 7)
			   : mask;
	if (e.r)
		mask |= 1u << (x->modrm >> 3 & 7);
	if (e.b)
		mask |= 1u << (x->modrm & 7);
	if (x->modrm >> 6 != 3 && (x->modrm & 7) == 4) {
		uint8_t sib = code[x->modrm_at + 1];

		if (e.b)
			mask |= 1u << (sib & 7);
		if (e.x)
			mask |= 1u << (sib >> 3 & 7);
	}
	return mask;
}
