/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branches and rep strings, from the bytes of an instruction. */
#include "simpmu/vg/decode.h"

static bool is_prefix(uint8_t b)
{
	return (b >= 0x40 && b <= 0x4f) || b == 0x66 || b == 0x67 ||
	       b == 0xf2 || b == 0xf3 || b == 0xf0 || b == 0x2e || b == 0x36 ||
	       b == 0x3e || b == 0x26 || b == 0x64 || b == 0x65;
}

static bool is_string(uint8_t b)
{
	return (b >= 0xa4 && b <= 0xa7) || (b >= 0xaa && b <= 0xaf);
}

static int32_t get_i32(const uint8_t *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 |
			 (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

bool x86_decode(const uint8_t *code, size_t room, struct x86 *out)
{
	bool rep = false;
	size_t i = 0;
	uint8_t b;

	*out = (struct x86){ 0 };
	for (; i < room && is_prefix(code[i]); i++)
		rep |= code[i] == 0xf2 || code[i] == 0xf3;
	if (i == room)
		return false;
	out->length = (uint8_t)room;
	b = code[i++];
	if ((b >= 0x70 && b <= 0x7f) || (b >= 0xe0 && b <= 0xe3)) {
		out->branch = BRANCH_COND;
		out->odd_condition = b < 0xe0 && (b & 1);
		out->relative = (int8_t)code[i];
	} else if (b == 0x0f && code[i] >= 0x80 && code[i] <= 0x8f) {
		out->branch = BRANCH_COND;
		out->odd_condition = code[i] & 1;
		out->relative = get_i32(code + i + 1);
	} else if (b == 0xeb || b == 0xe9) {
		out->branch = BRANCH_JUMP;
		out->relative = b == 0xeb ? (int8_t)code[i] : get_i32(code + i);
	} else if (b == 0xe8) {
		out->branch = BRANCH_CALL;
		out->relative = get_i32(code + i);
	} else if (b == 0xc3 || b == 0xc2) {
		out->branch = BRANCH_RETURN;
	} else if (b == 0xff) {
		unsigned reg = code[i] >> 3 & 7;

		if (reg == 2)
			out->branch = BRANCH_IND_CALL;
		if (reg == 4)
			out->branch = BRANCH_IND_JUMP;
	} else if (rep && is_string(b)) {
		out->flags |= X86_REP;
	}
	return true;
}
