/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a program or library that was sampled: refused with a sentence,
 * or every address in it has a place, and a stack through it an end.
 */
#include <assert.h>
#include <string.h>

#include "symbol/symbol.h"
#include "symbol/unwind.h"
#include "tests/fuzz/input.h"

#define ENTRY 24 /* of a 64-bit ELF file: where it says where it begins */

static void find(struct symbol_object *object, uint64_t address)
{
	struct symbol_place place;

	symbol_find(object, address, &place);
	assert(place.n >= 1 && place.n <= SYMBOL_FRAMES);
	for (size_t i = 0; i < place.n; i++)
		assert(place.frames[i].function && *place.frames[i].function);
}

/* Registers and stack are of the input as well: all is what a stranger says. */
static void unwind(const char *path, uint64_t entry, const uint8_t *data,
		   size_t size)
{
	const struct unwind_module module = { .path = path, .bias = 0x400000 };
	uint64_t registers[17], pcs[40];
	struct unwind_state state = {
		.registers = registers,
		.known = 0x1ffff,
		.stack_start = 0x7fff0000,
		.stack = data,
		.stack_bytes = size,
	};
	struct unwinder *u = unwinder_new(&module, 1);

	for (size_t i = 0; i < 17; i++)
		registers[i] = 0x7fff0000 + 8 * i;
	for (uint64_t at = 0; u && at < 64; at += 9) {
		state.pc = module.bias + entry + at;
		assert(unwinder_run(u, &state, pcs, 40) <= 40);
	}
	unwinder_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = input_path(data, size);
	struct symbol_object *object;
	struct diag diag = { .text = "" };
	uint64_t entry = 0;

	if (symbol_open(path, &object, &diag)) {
		assert(diag.text[0]);
		return 0;
	}
	symbol_source(object);
	symbol_build_id(object);
	if (size >= ENTRY + sizeof(entry))
		memcpy(&entry, data + ENTRY, sizeof(entry));
	for (uint64_t at = 0; at < 96; at += 7) {
		find(object, entry + at - 32);
		find(object, symbol_address(object, entry + at));
	}
	symbol_close(object);
	unwind(path, entry, data, size);
	return 0;
}
