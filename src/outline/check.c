/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must hold of a section's counts: what it spends without the sections
 * in it is not negative, and at most what it spends with them. Each may be off
 * by its stated uncertainty.
 */
#include <math.h>
#include <string.h>

#include "outline/outline.h"

static bool is_broken(const struct task_datum *d)
{
	long double slack = isnan((double)d->uncertainty) ? 0 : d->uncertainty;

	if (strcmp(taskfile_kind(d), "event") != 0 || isnan((double)d->value) ||
	    isnan((double)d->exclusive))
		return false;
	return d->exclusive < -slack || d->exclusive > d->value + slack;
}

static size_t check_node(const struct outline *o,
			 const struct outline_node *node,
			 outline_broken_fn *tell, void *ctx)
{
	size_t broken = 0;

	for (size_t i = 0; i < node->section.n; i++) {
		const struct task_datum *d = &node->section.data[i];
		struct diag diag;

		if (!is_broken(d))
			continue;
		broken++;
		diag_fail(&diag, PAPI_EINVAL,
			  "%s: counts contradict each other: %s of section "
			  "'%s' is %.0Lf inclusive, %.0Lf exclusive",
			  o->run->name, d->name, node->section.label, d->value,
			  d->exclusive);
		tell(ctx, diag.text);
	}
	return broken;
}

size_t outline_check(const struct outline *o, outline_broken_fn *tell,
		     void *ctx)
{
	size_t broken = 0;

	for (size_t i = 0; i < o->n; i++)
		broken += check_node(o, &o->nodes[i], tell, ctx);
	return broken;
}
