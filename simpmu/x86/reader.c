/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of an instruction up to its operands: prefixes, opcode and ModRM,
 * as chapter 2 of the Intel SDM's volume 2 lays them out.
 */
#include "simpmu/x86/reader.h"
#include "simpmu/x86/optable.h"

uint8_t reader_byte(struct reader *r)
{
	if (r->at >= r->capacity) {
		r->short_of_bytes = true;
		return 0;
	}
	return r->code[r->at++];
}

int64_t reader_signed(struct reader *r, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)reader_byte(r) << 8 * i;
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
		r->gs = byte == 0x65;
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
	r->vector = byte & 4 ? 32 : 16;
	r->vvvv = (uint8_t)(~byte >> 3 & 15);
}

static bool take_vex(struct reader *r, uint8_t byte)
{
	uint8_t second = reader_byte(r), third;

	r->rex_r = !(second & 0x80);
	if (byte == 0xc5) {
		r->map = 1;
		take_vex_payload(r, second);
		return true;
	}
	r->rex_x = !(second & 0x40);
	r->rex_b = !(second & 0x20);
	r->map = second & 31;
	third = reader_byte(r);
	r->rex_w = third >> 7;
	take_vex_payload(r, third);
	return r->map >= 1 && r->map <= 3;
}

/*
 * The prefix of AVX-512: bits 3 of registers as VEX has them, then two bits of
 * vector length, a broadcast bit and a mask. Registers 16 to 31 are told as 0
 * to 15: nobody asks for them.
 */
static bool take_evex(struct reader *r)
{
	static const uint8_t bytes[4] = { 16, 32, 64, 64 };
	uint8_t first = reader_byte(r), second = reader_byte(r),
		third = reader_byte(r);

	r->rex_r = !(first & 0x80);
	r->rex_x = !(first & 0x40);
	r->rex_b = !(first & 0x20);
	r->map = first & 7;
	r->rex_w = second >> 7;
	take_vex_payload(r, second);
	r->evex = true;
	r->vector = bytes[third >> 5 & 3];
	r->broadcast = third >> 4 & 1;
	return (second & 4) && !(first & 8) && r->map != 0 && r->map != 4 &&
	       r->map != 7;
}

static bool is_rex(uint8_t byte)
{
	return (byte & 0xf0) == 0x40;
}

/* 0: there is none. */
static void take_rex(struct reader *r, uint8_t byte)
{
	r->rex = byte != 0;
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
	r->opcode = reader_byte(r);
	r->map = 1;
	if (r->opcode == 0x38 || r->opcode == 0x3a) {
		r->map = r->opcode == 0x38 ? 2 : 3;
		r->opcode = reader_byte(r);
	}
}

bool reader_take_opcode(struct reader *r)
{
	uint8_t byte = reader_byte(r);

	r->vector = 16;
	/* a REX prefix that is not the last prefix is ignored */
	for (; take_legacy_prefix(r, byte) || is_rex(byte);
	     byte = reader_byte(r))
		take_rex(r, is_rex(byte) ? byte : 0);
	if (byte == 0xc4 || byte == 0xc5) {
		if (!take_vex(r, byte))
			return false;
		r->opcode = reader_byte(r);
	} else if (byte == 0x62) {
		if (!take_evex(r))
			return false;
		r->opcode = reader_byte(r);
	} else {
		r->opcode = byte;
		choose_map(r);
	}
	return !r->short_of_bytes;
}

/* ---- ModRM ---- */

static void take_sib(struct reader *r, bool vector_index)
{
	uint8_t sib = reader_byte(r);
	unsigned base = sib & 7, index = (sib >> 3 & 7) | r->rex_x << 3;

	r->scale = (uint8_t)(1u << (sib >> 6));
	if (vector_index)
		r->index = (uint8_t)(REG_VEC + index);
	else if (index != 4)
		r->index = (uint8_t)(REG_GP + index);
	if (base == 5 && !r->mod)
		r->disp = (int32_t)reader_signed(r, 4);
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
		r->disp = (int32_t)reader_signed(r, 4);
	} else {
		r->base = (uint8_t)(rm | r->rex_b << 3);
	}
	if (r->mod == 1)
		r->disp = (int32_t)reader_signed(r, 1);
	else if (r->mod == 2)
		r->disp = (int32_t)reader_signed(r, 4);
}

void reader_take_modrm(struct reader *r, bool vector_index)
{
	r->modrm_at = (uint8_t)r->at;
	r->modrm = reader_byte(r);
	r->mod = r->modrm >> 6;
	r->reg = (uint8_t)((r->modrm >> 3 & 7) | r->rex_r << 3);
	r->rm = (uint8_t)((r->modrm & 7) | r->rex_b << 3);
	if (r->mod != 3)
		take_address(r, vector_index);
}
