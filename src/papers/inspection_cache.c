/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 12 and 13: what each level serves as the footprint grows. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/steps.h"
#include "base/array.h"
#include "console/console.h"
#include "papers/inspection.h"

enum {
	MODELS = 2,
	LEVELS = 3,
	FOOTPRINTS = 80,
	UNIT = 256 /* beyond what prefetchers bring along */
};

/*
 * Capacities: of the paper's machine as its section 4 has them; of the other
 * as Intel publishes them for an Ice Lake server core.
 */
static const struct {
	const char *model;
	double bytes[LEVELS];
} machines[MODELS] = {
	{ "hsw-ep", { 32 * 1024., 256 * 1024., 32 * 1048576. } },
	{ "icx", { 48 * 1024., 1280 * 1024., 48 * 1048576. } },
};

/* Loads and misses of each level. */
static const char *const events[] = {
	"sim::L1D:LOAD",
	"sim::L1D:LOAD_MISS",
	"sim::L2_RQSTS:ALL_DEMAND_DATA_RD",
	"sim::L2_RQSTS:DEMAND_DATA_RD_MISS",
	"sim::LLC_RQSTS:DATA_RD",
	"sim::LLC_RQSTS:DATA_RD_MISS",
};

struct inspection_sweep {
	struct kernel_machine machine;
	const double *bytes; /* of each level, as published */
	struct experiment_unit units[FOOTPRINTS];
	size_t n;
	double x[FOOTPRINTS];
	double hit[LEVELS][FOOTPRINTS]; /* percent of the accesses */
	double miss[LEVELS][FOOTPRINTS];
};

void inspection_free_sweeps(struct inspection_sweep *sweeps)
{
	free(sweeps);
}

static const struct kernel_cache *level(const struct kernel_machine *m, int l)
{
	return l == 0 ? &m->l1d : l == 1 ? &m->l2 : &m->l3;
}

/*
 * From there on nothing hits: every set has seen too many lines. A victim cache
 * holds what the one before it does not, so both have to be exceeded, and what
 * goes to and fro between the two makes the ramp twice as wide.
 */
static double end_of_ramp(const struct inspection_sweep *s, int l)
{
	unsigned ways = level(&s->machine, l)->ways;

	if (l == 2 && s->machine.l3_is_victim)
		return (s->bytes[l] + s->bytes[1]) * (1 + 2. / ways);
	return s->bytes[l] * (1 + 1. / ways);
}

static void add(struct inspection_sweep *s, double bytes)
{
	uint64_t footprint = (uint64_t)bytes / 4096 * 4096;
	uint64_t elements = footprint / UNIT;
	uint64_t times = elements < 4096    ? elements * (4096 / elements + 1)
			 : elements < 32768 ? elements
					    : 32768;
	size_t at = s->n;

	for (size_t k = 0; k < s->n; k++)
		if (s->units[k].point.footprint == footprint)
			return;
	if (s->n == FOOTPRINTS)
		return;
	while (at > 0 && s->units[at - 1].point.footprint > footprint) {
		s->units[at] = s->units[at - 1];
		at--;
	}
	s->units[at] = (struct experiment_unit){
		.kernel = kernels_find("cache/read"),
		.point = { .times = times,
			   .footprint = footprint,
			   .unit = UNIT },
	};
	s->n++;
}

/* Three an octave, and each side of every level's ramp. */
static void plan(struct inspection_sweep *s)
{
	double last = 1.7 * s->bytes[2];

	for (double bytes = 8192; bytes <= last; bytes *= cbrt(2))
		add(s, bytes);
	for (int l = 0; l < LEVELS; l++) {
		add(s, s->bytes[l]);
		add(s, end_of_ramp(s, l) + 4096);
	}
}

static int measure(const struct inspection *i, const char *model,
		   struct inspection_sweep *s)
{
	struct experiment_result *r;
	int status = experiment_machine(
		i->console, true, machine_for(&i->machine, model), &s->machine);

	if (status)
		return status;
	plan(s);
	status = inspection_measure(i, model, events, ARRAY_SIZE(events),
				    s->units, s->n, &r);
	if (status)
		return status;
	for (size_t u = 0; u < s->n; u++) {
		s->x[u] = (double)s->units[u].point.footprint;
		for (size_t l = 0; l < LEVELS; l++) {
			double asked = inspection_rate(r, s->units, u, 2 * l);
			double missed =
				inspection_rate(r, s->units, u, 2 * l + 1);

			s->hit[l][u] = 100 * (asked - missed);
			s->miss[l][u] = 100 * missed;
		}
	}
	experiment_free(r);
	return 0;
}

/* Both models, once for both figures. */
static int need_sweeps(struct inspection *i)
{
	struct inspection_sweep *sweeps;
	int status = 0;

	if (i->sweeps)
		return 0;
	sweeps = calloc(MODELS, sizeof(*sweeps));
	if (!sweeps)
		return say_no_memory(i->console);
	for (size_t m = 0; !status && m < MODELS; m++) {
		sweeps[m].bytes = machines[m].bytes;
		status = measure(i, machines[m].model, &sweeps[m]);
	}
	if (status)
		free(sweeps);
	else
		i->sweeps = sweeps;
	return status;
}

static bool is_on_ramp(const struct inspection_sweep *s, double x)
{
	for (int l = 0; l < LEVELS; l++)
		if (x > s->bytes[l] && x < end_of_ramp(s, l))
			return true;
	return false;
}

/* What a level should show: misses are 100 from its capacity on. */
static double should_be(const struct inspection_sweep *s, int l, double x,
			bool hits)
{
	bool asked = l == 0 || x > s->bytes[l - 1];
	bool holds = x <= s->bytes[l];

	if (!asked)
		return 0;
	return holds == hits ? 100 : 0;
}

static void judge_level(const struct inspection_sweep *s, const char *model,
			int l, bool hits, struct inspection_verdict *v,
			double *worst)
{
	const double *y = hits ? s->hit[l] : s->miss[l];
	double before, after;

	for (size_t k = 0; k < s->n; k++) {
		double off = fabs(y[k] - should_be(s, l, s->x[k], hits));

		if (is_on_ramp(s, s->x[k]))
			continue;
		*worst = fmax(*worst, off);
		if (!(off <= 2))
			inspection_fail(v, "%s, L%d %s at %.0f KB: %.1f %%",
					model, l + 1, hits ? "hits" : "misses",
					s->x[k] / 1024, y[k]);
	}
	if (steps_transition(s->x, s->miss[l], s->n, 0, 100, &before, &after) ||
	    before < s->bytes[l] - 4096 ||
	    after > end_of_ramp(s, l) * 1.01 + 4096)
		inspection_fail(v, "%s, L%d: it does not end at %.0f KB", model,
				l + 1, s->bytes[l] / 1024);
}

static int draw(struct inspection *i, const struct inspection_sweep *s,
		const char *model, bool hits)
{
	static const char *const names[2][LEVELS] = {
		{ "L1 misses", "L2 misses", "L3 misses" },
		{ "L1 hits", "L2 hits", "L3 hits" },
	};
	static const char *const marks[LEVELS] = { "L1", "L2", "L3" };
	struct chart_series series[LEVELS];
	double sizes[LEVELS];
	char title[96], file[48];
	const struct chart chart = {
		.title = title,
		.x_label = "bytes of the buffer",
		.y_label = "percent of the accesses",
		.x_scale = CHART_BYTES,
		.y_max = 105,
		.series = series,
		.n = LEVELS,
		.marks = sizes,
		.mark_names = marks,
		.n_marks = LEVELS,
	};

	for (int l = 0; l < LEVELS; l++) {
		sizes[l] = s->bytes[l];
		series[l] =
			(struct chart_series){ names[hits][l],
					       s->x,
					       hits ? s->hit[l] : s->miss[l],
					       NULL,
					       s->n,
					       CHART_LINE,
					       0 };
	}
	snprintf(title, sizeof(title),
		 "Cache %s related events, %s (Figure %d)",
		 hits ? "hit" : "miss", model, hits ? 12 : 13);
	snprintf(file, sizeof(file), "figure-%d-%s", hits ? 12 : 13, model);
	return inspection_draw(i, file, &chart);
}

static int inspect(struct inspection *i, struct inspection_verdict *v,
		   bool hits)
{
	double worst = 0;
	int status = need_sweeps(i);

	for (size_t m = 0; !status && m < MODELS; m++) {
		for (int l = 0; l < LEVELS; l++)
			judge_level(&i->sweeps[m], machines[m].model, l, hits,
				    v, &worst);
		status = draw(i, &i->sweeps[m], machines[m].model, hits);
	}
	if (!status && v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "plateaus within %.2f %% of 0 and 100; jumps at the "
			 "capacities of hsw-ep (32 KB, 256 KB, 32 MB) and icx "
			 "(48 KB, 1.25 MB, 48 MB)",
			 worst);
	return status;
}

int inspect_hits(struct inspection *i, struct inspection_verdict *v)
{
	return inspect(i, v, true);
}

int inspect_misses(struct inspection *i, struct inspection_verdict *v)
{
	return inspect(i, v, false);
}
