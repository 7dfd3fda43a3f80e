/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Folded stacks: "program;main;work 42", a line for each stack, for
 * FlameGraph, inferno and speedscope. There is one number a line, so only the
 * first event is told.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "profile/inside.h"

static int put_stack(const struct profile *p,
		     const struct profile_sample *sample, FILE *to)
{
	const struct profile_thread *thread = &p->threads[sample->thread];
	size_t n;
	OWNED struct profile_frame **frames =
		profile_walk(p, sample->stack, &n);

	if (!frames)
		return PAPI_ENOMEM;
	profile_put_plain(*thread->name ? thread->name : "?", ";", to);
	for (size_t i = 0; i < n; i++) {
		putc(';', to);
		profile_put_plain(p->functions[frames[i]->function].name, ";",
				  to);
	}
	fprintf(to, " %" PRIu64 "\n", profile_weight(p, sample, 0));
	return 0;
}

int profile_write_folded(const void *profile, const struct report_style *style,
			 FILE *to)
{
	const struct profile *p = profile;
	int err = 0;

	(void)style;
	for (size_t i = 0; !err && i < p->n_samples; i++)
		if (p->samples[i].counts[0])
			err = put_stack(p, &p->samples[i], to);
	if (err)
		return err;
	return ferror(to) ? PAPI_ESYS : 0;
}
