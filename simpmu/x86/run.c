/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of code up to a branch, for wrong paths; see decode.h. */
#include "simpmu/x86/decode.h"

#define MAX_RUN 64 /* a bit each in the masks */

void x86_decode_run(uint64_t address, x86_read_fn *read, struct code_run *run)
{
	*run = (struct code_run){ .end = BRANCH_NONE };
	while (run->count < MAX_RUN) {
		struct x86 x;

		if (!read(address, &x)) {
			run->end = BRANCH_STOP;
			break;
		}
		run->load_mask |= (uint64_t)(x.loads > 0) << run->count;
		run->store_mask |= (uint64_t)(x.stores > 0) << run->count;
		run->count++;
		run->end_pc = address;
		address += x.length;
		run->end = x.branch;
		run->target = address + (uint64_t)(int64_t)x.relative;
		/* nothing behind a fence starts before the branch is done */
		if (x86_class(&x) == INSN_SERIAL)
			run->end = BRANCH_STOP;
		if (run->end)
			break;
	}
	run->next = address;
}
