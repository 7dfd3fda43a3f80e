/* SPDX-License-Identifier: BSD-3-Clause */
/* An architecture whose instructions nobody has written loads of yet. */

#include "machine/arch.h"

#include "base/clock.h"
#include "machine/code.h"

struct arch_operands arch_operands;
const struct arch_row arch_rows[] = { { 0 } };
uint64_t arch_ticks(void *unused)
{
	(void)unused;
	return clock_real_ns();
}

void arch_fence(void)
{
	__sync_synchronize();
}

bool arch_flush(const void *address)
{
	(void)address;
	return false;
}

unsigned arch_stream_width(void)
{
	return 0;
}

arch_run_fn arch_stream(enum arch_stream kind)
{
	(void)kind;
	return NULL;
}

arch_run_fn arch_narrow_stream(enum arch_stream kind)
{
	(void)kind;
	return NULL;
}

bool arch_write_code(struct code_ring *ring, unsigned char *to)
{
	(void)ring;
	(void)to;
	return false;
}

void arch_run_code(void *entry, uint64_t times)
{
	(void)entry;
	(void)times;
}
