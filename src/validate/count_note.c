/* SPDX-License-Identifier: BSD-3-Clause */
/* What validation on this machine said of the events that were counted. */

#include <string.h>

#include "base/strbuf.h"
#include "measure/counting.h"
#include "validate/time.h"
#include "validate/validated.h"

/* Names of counted events that the verdict is about, with by how much. */
static void put_names(const struct event_list *m, const struct validated *v,
		      const char *verdict, struct strbuf *names)
{
	char off[VALIDATED_CAPACITY];

	for (size_t i = 0; i < m->n; i++) {
		const struct validated_event *e =
			validated_find(v, m->events[i].name);

		if (m->events[i].reason)
			continue;
		if (strcmp(e ? e->verdict : "none", verdict) != 0)
			continue;
		strbuf_addf(names, "%s%s", names->len ? ", " : "",
			    m->events[i].name);
		if (strcmp(verdict, "fail") == 0)
			strbuf_addf(names, " (%s)", validated_off(e, off));
	}
}

static int add_note(struct report *r, const char *format, const char *names)
{
	return *names ? report_add_note(r, report_text(r, format, names)) : 0;
}

static bool counts_cycles(const struct event_list *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (!m->events[i].reason &&
		    strcmp(m->events[i].name, "PAPI_TOT_CYC") == 0)
			return true;
	return false;
}

/* How far simulated cycles are from real ones, if that was tried here. */
static int note_time(const struct run_result *c, struct report *r)
{
	const char *model = c->pmu->model;
	struct time_kept kept;

	if (strncmp(model, "sim-", 4) == 0)
		model += 4;
	if (c->pmu->kind != PMU_SIMULATED || !counts_cycles(c->measure) ||
	    !time_load(model, &kept))
		return 0;
	return report_add_note(
		r,
		report_text(r,
			    "cycles: simulated, model %s, \302\261 %.0f %% on "
			    "this machine (median of %zu %s, worst %.0f %%; "
			    "assay validate --time)",
			    model, 100 * kept.median, kept.n,
			    kept.programs ? "programs" : "kernels",
			    100 * kept.worst));
}

/* Nothing is said where nobody ever validated. */
int count_note_validated(const struct run_result *c, struct report *r)
{
	struct strbuf right = { 0 }, off = { 0 }, open = { 0 };
	struct validated v;
	int err = note_time(c, r);

	if (!err)
		err = validated_load(c->pmu->model, &v);
	if (err || v.n == 0)
		return err;
	put_names(c->measure, &v, "pass", &right);
	put_names(c->measure, &v, "fail", &off);
	put_names(c->measure, &v, "none", &open);
	err = add_note(r, "not as predicted here: %s; see assay validate",
		       strbuf_text(&off));
	if (!err && right.len)
		err = report_add_note(
			r, report_text(r, "validated here: %s%s%s",
				       strbuf_text(&right),
				       open.len ? "; not validated: " : "",
				       strbuf_text(&open)));
	strbuf_fini(&right);
	strbuf_fini(&off);
	strbuf_fini(&open);
	validated_fini(&v);
	return err;
}
