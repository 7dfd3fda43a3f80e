/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clock: ticks of the processor's clock a second, by the system's, and
 * cycles of the core a tick, by the ruler.
 */
#include "machine/parts.h"

#include <math.h>

#include "base/clock.h"
#include "machine/arch.h"
#include "machine/lab.h"

#define WINDOWS   9
#define WINDOW_NS 10000000 /* the longer, the less an edge matters */
#define RULERS    61

static double ticks_a_second(const struct lab *lab)
{
	uint64_t from_ns = clock_real_ns();
	uint64_t from = lab->clock.now(lab->clock.context);
	uint64_t to_ns, to;

	do
		to_ns = clock_real_ns();
	while (to_ns - from_ns < WINDOW_NS);
	to = lab->clock.now(lab->clock.context);
	return (double)(to - from) * 1e9 / (double)(to_ns - from_ns);
}

static struct timing time_clock(const struct lab *lab)
{
	double rates[WINDOWS];

	for (size_t i = 0; i < WINDOWS; i++)
		rates[i] = ticks_a_second(lab);
	return timing_of(rates, WINDOWS);
}

/* Ticks a cycle, of many rulers. */
static struct timing time_ruler(struct lab *lab)
{
	struct load nothing = { .run = loads_nothing,
				.times = 1,
				.operations = 1 };
	double ticks[RULERS];
	size_t n = 0;

	for (size_t i = 0; i < 4 * RULERS && n < RULERS; i++) {
		double cycles;

		if (lab_sample(lab, &nothing, &cycles))
			ticks[n++] = lab->ticks;
	}
	return timing_of(ticks, n);
}

int part_clock(struct lab *lab, struct machine *m)
{
	struct timing rate, ruler;
	struct machine_constant *c;

	if (lab->clock.is_cycles)
		return 0;
	rate = time_clock(lab);
	ruler = time_ruler(lab);
	c = machine_add(
		m, "tsc_hz", round(rate.median / 1e4) * 1e4, "Hz",
		"ticks of the time-stamp counter per second of system time");
	if (c)
		c->spread = timing_spread(&rate);
	if (c && !(c->spread < 0.002))
		machine_doubt(m, c, "the samples vary too much");
	c = machine_add(m, "clock_hz",
			round(rate.median / ruler.median / 1e6) * 1e6, "Hz",
			"a chain of one-cycle additions, timed by the "
			"processor's clock");
	if (c)
		c->spread = timing_spread(&ruler);
	if (c && !(c->spread < 0.02))
		machine_doubt(m, c, "the clock changes");
	return 0;
}
