/* SPDX-License-Identifier: BSD-3-Clause */
/* An architecture whose instructions nobody has written loads of yet. */

#include "machine/arch.h"

#include "base/clock.h"

struct arch_operands arch_operands;
const struct arch_row arch_rows[] = { { 0 } };
uint64_t arch_ticks(void *unused)
{
	(void)unused;
	return clock_real_ns();
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
