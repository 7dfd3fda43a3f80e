/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes instructions given as hexadecimal bytes, one a line, and prints
 * what the decoder says of each: for comparing it with a disassembler.
 */
#include <stdio.h>
#include <string.h>

#include "simpmu/x86/decode.h"

static const char *const kind_names[] = {
#define X(name, class) [X86_##name] = #name,
	X86_KINDS(X)
#undef X
};

static size_t read_bytes(const char *line, uint8_t *code, size_t room)
{
	unsigned byte;
	size_t n = 0;

	while (n < room && sscanf(line, "%2x", &byte) == 1) {
		code[n++] = (uint8_t)byte;
		line += 2;
	}
	return n;
}

int main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		uint8_t code[X86_MAX_LENGTH] = { 0 };
		struct x86 insn;

		read_bytes(line, code, sizeof(code));
		if (!x86_decode(code, sizeof(code), &insn)) {
			puts("0 UNKNOWN");
			continue;
		}
		printf("%u %s branch=%u loads=%u*%u stores=%u*%u fp=%u*%u "
		       "flags=%#x rel=%d lea3=%d cross=%d\n",
		       insn.length, kind_names[insn.kind], insn.branch,
		       insn.loads, insn.load_size, insn.stores, insn.store_size,
		       insn.fp, insn.lanes, insn.flags, insn.relative,
		       x86_class(&insn) == INSN_LEA3,
		       x86_class(&insn) == INSN_CROSS);
	}
	return 0;
}
