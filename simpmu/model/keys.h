/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a model file: where each value goes and what it may be. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum key_kind {
	KEY_TEXT,   /* the rest of the line */
	KEY_NUMBER, /* from min to max; suffixes K and M */
	KEY_WORD,   /* one of words[], stored as its position */
	KEY_LIST,   /* numbers; their count goes to the field at `count` */
	KEY_SIZE    /* bytes of a cache: sets times ways times line */
};

struct key {
	const char *section;
	const char *name;
	uint16_t offset; /* in struct params */
	uint8_t kind;
	uint16_t count; /* KEY_LIST: offset of the count */
	uint32_t min;
	uint32_t max; /* KEY_TEXT: bytes there are, KEY_LIST: of each number */
	const char *const *words; /* ends with NULL */
};

#define PARAMS_MAX_KEYS 256

extern const struct key params_keys[];
extern const size_t params_key_count;
