/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest instruction is, from its bytes alone: length, kind, memory
 * operands, registers. Freestanding, so that it can be tested natively.
 */
#ifndef SIMPMU_VG_DECODE_H
#define SIMPMU_VG_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simpmu/model/segment.h"

enum x86_flag {
	X86_REP = 1 << 0, /* a string instruction with a rep prefix */
	X86_LOCK = 1 << 1,
};

struct x86 {
	uint8_t length; /* 0: not an instruction this decoder knows */
	uint8_t branch; /* enum branch_kind */
	uint16_t flags;
	bool odd_condition; /* of a conditional branch */
	int32_t relative;   /* target of a direct branch, from its end */
};

/* Decode up to @room bytes at @code. False if that is no instruction. */
bool x86_decode(const uint8_t *code, size_t room, struct x86 *out);

#endif /* SIMPMU_VG_DECODE_H */
