/* SPDX-License-Identifier: BSD-3-Clause */
/* How far off estimated cycles may be. Called with the guest's floating-point
 * registers kept, as the model is. */
#include "simpmu/fast/model/error.h"

#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/engine.h"

static void add_variance(const struct modelled *m, double *out)
{
	estimate_add_variance(&m->estimate, &m->samplers[REPLAY_CYCLES], out);
}

void engine_variance(unsigned tid, double out[TALLY_COUNT])
{
	const struct thread *t = thread_numbered(tid);

	for (unsigned s = 0; s < TALLY_COUNT; s++)
		out[s] = 0;
	if (t && t->modelled.is_added)
		add_variance(&t->modelled, &out[TALLY_CYCLES]);
}

void error_keep(void *modelled)
{
	add_variance(modelled, machine_ended()->variance);
}

void error_of_cycles(void *out)
{
	double variance[SAMPLE_TALLIES], root;

	for (unsigned i = 0; i < SAMPLE_TALLIES; i++)
		variance[i] = machine_ended()->variance[i];
	for (const struct thread *t = threads; t; t = t->next)
		add_variance(&t->modelled, variance);
	root = variance[0];
	__asm__("sqrtsd %0, %0" : "+x"(root));
	*(uint64_t *)out = (uint64_t)root;
}
