/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 17: a buffer somewhat larger than L1, in blocks of 4 KB that are read
 * in turn, where each round begins some blocks later. On the simulated machines
 * by L1 misses, on this one by the time an access takes.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "console/console.h"
#include "machine/arch.h"
#include "machine/lab.h"
#include "papers/inspection.h"

enum {
	BLOCK = 4096,
	SIZES = 6, /* L1, and up to five blocks more */
	OFFSETS = 4,
	CELLS = SIZES * OFFSETS
};

/* One cell for each size and offset. */
struct cells {
	struct kernel_machine machine;
	struct experiment_unit units[CELLS];
	double expected[CELLS]; /* share of accesses that miss L1 */
	double y[CELLS];        /* that share as measured, or cycles */
	double error[CELLS];
};

static size_t cell(size_t size, size_t offset)
{
	return offset * SIZES + size;
}

static void plan(struct cells *c)
{
	for (uint32_t o = 0; o < OFFSETS; o++)
		for (uint32_t s = 0; s < SIZES; s++) {
			double expect[CONCEPT_COUNT];
			struct experiment_unit *u = &c->units[cell(s, o)];
			uint64_t blocks = c->machine.l1d.bytes / BLOCK + s;

			*u = (struct experiment_unit){
				.kernel = kernels_find("cache/rotate"),
				.point = { .times = blocks * blocks * 64,
					   .footprint = blocks * BLOCK,
					   .offset = o },
			};
			kernel_expect(u->kernel, &u->point, &c->machine, expect,
				      NULL);
			c->expected[cell(s, o)] =
				1 - expect[CONCEPT_L1D_LOAD_HIT];
		}
}

/*
 * Offset k rescues L1 + k blocks and not one more; @good and @bad are what a
 * rescued and a lost cell have at most and at least.
 */
static void judge_cells(const struct cells *c, const char *where, double good,
			double bad, struct inspection_verdict *v)
{
	for (size_t o = 0; o < OFFSETS; o++) {
		double rescued = c->y[cell(o, o)];
		double lost = c->y[cell(o + 1, o)];

		if (!(rescued <= good))
			inspection_fail(v,
					"%s: offset %zu does not rescue L1 "
					"+ %zu KB (%.2f)",
					where, o, 4 * o, rescued);
		if (!(lost >= bad))
			inspection_fail(v,
					"%s: offset %zu still rescues L1 + "
					"%zu KB (%.2f)",
					where, o, 4 * (o + 1), lost);
	}
}

static int draw(struct inspection *i, const struct cells *c, const char *file,
		const char *title, const char *unit, const double *expected)
{
	static const char *const names[2 * OFFSETS] = {
		"offset 0",           "offset 1",
		"offset 2",           "offset 3",
		"offset 0, expected", "offset 1, expected",
		"offset 2, expected", "offset 3, expected"
	};
	struct chart_series series[2 * OFFSETS];
	double x[SIZES];
	const struct chart chart = { .title = title,
				     .x_label = "KB of the buffer",
				     .y_label = unit,
				     .series = series,
				     .n = 2 * OFFSETS };

	for (size_t s = 0; s < SIZES; s++)
		x[s] = (double)(c->units[s].point.footprint >> 10);
	for (size_t o = 0; o < OFFSETS; o++) {
		series[o] = (struct chart_series){ names[o],
						   x,
						   c->y + cell(0, o),
						   c->error + cell(0, o),
						   SIZES,
						   CHART_LINE,
						   0 };
		series[OFFSETS + o] =
			(struct chart_series){ names[OFFSETS + o],
					       x,
					       expected + cell(0, o),
					       NULL,
					       SIZES,
					       CHART_DASHED,
					       (unsigned)o + 1 };
	}
	return inspection_draw(i, file, &chart);
}

/* @l1_bytes: as published. What hits must follow from that, not from the model.
 */
static int simulate(struct inspection *i, const char *model, uint64_t l1_bytes,
		    struct inspection_verdict *v, double *worst)
{
	static const char *const events[] = { "sim::L1D:LOAD_MISS" };
	struct experiment_result *r;
	struct cells c = { 0 };
	char file[48], title[96];
	int status = experiment_machine(
		i->console, true, machine_for(&i->machine, model), &c.machine);

	if (status)
		return status;
	c.machine.l1d.bytes = l1_bytes;
	c.machine.l1d.ways = (unsigned)(l1_bytes / BLOCK);
	plan(&c);
	status = inspection_measure(i, model, events, 1, c.units, CELLS, &r);
	if (status)
		return status;
	for (size_t k = 0; k < CELLS; k++) {
		c.y[k] = inspection_rate(r, c.units, k, 0);
		*worst = fmax(*worst, fabs(c.y[k] - c.expected[k]));
		if (!(fabs(c.y[k] - c.expected[k]) < 0.03))
			inspection_fail(v,
					"%s: %llu KB with offset %u misses "
					"%.3f, not %.3f",
					model,
					(unsigned long long)c.units[k]
							.point.footprint >>
						10,
					c.units[k].point.offset, c.y[k],
					c.expected[k]);
	}
	experiment_free(r);
	judge_cells(&c, model, 0.6, 0.85, v);
	snprintf(file, sizeof(file), "figure-17-%s", model);
	snprintf(title, sizeof(title),
		 "Cache replacement and access pattern, %s (Figure 17)", model);
	return draw(i, &c, file, title, "share of accesses that miss L1",
		    c.expected);
}

int inspect_rotation(struct inspection *i, struct inspection_verdict *v)
{
	double worst = 0;
	int status = simulate(i, "hsw-ep", 32 << 10, v, &worst);

	if (!status)
		status = simulate(i, "icx", 48 << 10, v, &worst);
	if (!status && v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "offset k rescues L1 + 4k KB and fails a block later, "
			 "on hsw-ep (32 KB) and icx (48 KB); misses within "
			 "%.3f of least-recently-used replacement",
			 worst);
	return status;
}

/* By the clock. */

struct timed {
	const struct experiment_unit *units;
	struct kernel_run run;
};

static void rotate(void *context, uint64_t times)
{
	struct timed *t = context;

	t->run.point.times = times;
	kernels_find("cache/rotate")->run(&t->run);
}

/* Rounds outside, cells inside: what disturbs for a while disturbs all. */
static void prepare(struct lab *lab, void *context, double x, struct load *load)
{
	struct timed *t = context;
	const struct experiment_unit *u = &t->units[(size_t)x];

	t->run =
		(struct kernel_run){ .point = u->point, .memory = lab->memory };
	kernel_prepare(u->kernel, &t->run);
	*load = (struct load){ .run = rotate,
			       .arg = t,
			       .times = u->point.times,
			       .warm = u->point.times / 2,
			       .operations = (double)u->point.times };
}

static int time_cells(struct inspection *i, struct cells *c, struct lab *lab)
{
	struct timed timed = { .units = c->units };
	struct timing points[CELLS] = { { 0 } };

	for (size_t k = 0; k < CELLS; k++)
		points[k].x = (double)k;
	if (lab_sweep(lab, points, CELLS, prepare, &timed))
		return say_no_memory(i->console);
	for (size_t k = 0; k < CELLS; k++) {
		c->y[k] = points[k].samples ? points[k].low : NAN;
		c->error[k] = points[k].value - points[k].low;
	}
	return 0;
}

/* Cells of which no sample is left. */
static size_t count_lost(const struct cells *c)
{
	size_t n = 0;

	for (size_t k = 0; k < CELLS; k++)
		n += isnan(c->y[k]) ? 1 : 0;
	return n;
}

/* Cycles of a hit and of a miss, from cells that have nothing else. */
static void judge_times(struct cells *c, const struct lab *lab,
			struct inspection_verdict *v, double *expected)
{
	double hit = c->y[cell(0, 0)], miss = c->y[cell(SIZES - 1, 0)];
	double off = 0;
	size_t lost = count_lost(c);

	if (lost) {
		v->skipped = true;
		snprintf(v->detail, sizeof(v->detail),
			 "every sample of %zu of %d cells was disturbed: the "
			 "machine is too busy",
			 lost, CELLS);
		return;
	}
	if (!(miss > 1.5 * hit)) {
		inspection_fail(v,
				"a hit takes %.1f cycles and a miss %.1f: L1 "
				"could not be told apart from L2",
				hit, miss);
		return;
	}
	for (size_t k = 0; k < CELLS; k++) {
		expected[k] = hit + c->expected[k] * (miss - hit);
		off += fabs(c->y[k] / expected[k] - 1) / CELLS;
	}
	judge_cells(c, "this machine", hit + 0.6 * (miss - hit),
		    hit + 0.75 * (miss - hit), v);
	if (v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "hits %.2f cycles, misses %.2f; offset k rescues L1 + "
			 "4k KB and fails a block later; cells within %.1f %% "
			 "of least recently used replacement on average; %zu "
			 "of %zu samples were disturbed and discarded",
			 hit, miss, 100 * off, lab->thrown,
			 lab->thrown + lab->kept);
}

int inspect_rotation_timed(struct inspection *i, struct inspection_verdict *v)
{
	struct lab_clock clock = { .now = arch_ticks };
	struct cells c = { 0 };
	double expected[CELLS];
	struct lab lab;
	int status = experiment_machine(i->console, false, NULL, &c.machine);

	if (status)
		return status;
	if (c.machine.l1d.bytes < BLOCK || c.machine.l1d.ways == 0 ||
	    c.machine.l1d.bytes / c.machine.l1d.ways != BLOCK) {
		v->skipped = true;
		snprintf(v->detail, sizeof(v->detail),
			 "this machine does not report that its L1 has ways of "
			 "4 KB");
		return 0;
	}
	plan(&c);
	if (lab_init(&lab, clock, 4 << 20))
		return say_no_memory(i->console);
	lab.rounds = 40;
	status = time_cells(i, &c, &lab);
	if (!status) {
		memcpy(expected, c.expected, sizeof(expected));
		judge_times(&c, &lab, v, expected);
		status = draw(i, &c, "figure-17-timed",
			      "Cache replacement and access pattern, this "
			      "machine's L1 (Figure 17)",
			      "cycles an access", expected);
	}
	lab_fini(&lab);
	return status;
}
