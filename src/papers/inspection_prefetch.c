/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures 14 and 15: L2 hits beyond the size of L2, which prefetchers give, by
 * the distance of what is accessed and by the pages it is spread over. For
 * Figure 14 the order is random within 16 pages, which prefetchers can follow.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "console/console.h"
#include "papers/inspection.h"

enum {
	CURVES = 8,
	SIZES = 11, /* 64 KB to 2 MB, two an octave */
	L2_BYTES = 256 << 10
};

/* The paper's machine. */
static const char model[] = "hsw-ep";

static const char *const events[] = {
	"sim::L2_RQSTS:ALL_DEMAND_DATA_RD",
	"sim::L2_RQSTS:DEMAND_DATA_RD_HIT",
};

/* One curve for each value of a parameter. */
struct curves {
	size_t n;
	uint32_t value[CURVES];
	char name[CURVES][24];
	double x[SIZES];
	double ratio[CURVES][SIZES];
	double beyond[CURVES]; /* mean of sizes from twice L2 on */
};

static uint64_t size_of(size_t k)
{
	return (uint64_t)(65536 * exp2((double)k / 2)) / 65536 * 65536;
}

static struct experiment_unit unit_of(size_t k, uint32_t unit, uint32_t pages)
{
	uint64_t footprint = size_of(k), n = footprint / unit;

	return (struct experiment_unit){
		.kernel = kernels_find("prefetch/random"),
		.point = { .times = n < 2048    ? 4 * n
				    : n > 16384 ? 16384
						: n,
			   .footprint = footprint,
			   .unit = unit,
			   .pages_per_block = pages },
	};
}

static void take_curves(struct curves *c, const struct experiment_unit *units,
			const struct experiment_result *r)
{
	for (size_t v = 0; v < c->n; v++) {
		double sum = 0;
		size_t n = 0;

		for (size_t k = 0; k < SIZES; k++) {
			size_t u = v * SIZES + k;
			double asked = inspection_rate(r, units, u, 0);
			double hit = inspection_rate(r, units, u, 1);

			c->x[k] = (double)units[u].point.footprint;
			/* L1 serves what fits it; a ratio of few is none */
			c->ratio[v][k] = asked > 0.01 ? hit / asked : NAN;
			if (c->x[k] >= 2. * L2_BYTES) {
				sum += c->ratio[v][k];
				n++;
			}
		}
		c->beyond[v] = sum / (double)n;
	}
}

static int measure(const struct inspection *i, struct curves *c, bool by_unit)
{
	struct experiment_unit units[CURVES * SIZES];
	struct experiment_result *r;
	int status;

	for (size_t v = 0; v < c->n; v++)
		for (size_t k = 0; k < SIZES; k++)
			units[v * SIZES + k] =
				by_unit ? unit_of(k, c->value[v], 16)
					: unit_of(k, 128, c->value[v]);
	status = inspection_measure(i, model, events, ARRAY_SIZE(events), units,
				    c->n * SIZES, &r);
	if (status)
		return status;
	take_curves(c, units, r);
	experiment_free(r);
	return 0;
}

static int draw(struct inspection *i, struct curves *c, const char *file,
		const char *title)
{
	static const double mark = L2_BYTES;
	static const char *const mark_name = "L2";
	struct chart_series series[CURVES];
	const struct chart chart = {
		.title = title,
		.x_label = "bytes of the buffer",
		.y_label = "L2 hit ratio",
		.x_scale = CHART_BYTES,
		.y_max = 1.05,
		.series = series,
		.n = c->n,
		.marks = &mark,
		.mark_names = &mark_name,
		.n_marks = 1,
	};

	for (size_t v = 0; v < c->n; v++)
		series[v] =
			(struct chart_series){ c->name[v], c->x,  c->ratio[v],
					       NULL,       SIZES, CHART_LINE,
					       0 };
	return inspection_draw(i, file, &chart);
}

int inspect_units(struct inspection *i, struct inspection_verdict *v)
{
	struct curves c = { .n = 3, .value = { 64, 128, 256 } };
	int status = measure(i, &c, true);

	if (status)
		return status;
	for (size_t k = 0; k < c.n; k++)
		snprintf(c.name[k], sizeof(c.name[k]), "unit %u B", c.value[k]);
	if (!(c.beyond[0] > c.beyond[1] + 0.1 && c.beyond[1] > c.beyond[2]))
		inspection_fail(v,
				"beyond L2 the ratios are %.2f, %.2f, %.2f "
				"for 64, 128 and 256 B: not in this order",
				c.beyond[0], c.beyond[1], c.beyond[2]);
	if (!(c.beyond[0] > 0.4) || !(c.beyond[2] < 0.05))
		inspection_fail(v, "beyond L2 64 B hits %.2f, 256 B %.2f",
				c.beyond[0], c.beyond[2]);
	if (v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "beyond L2 the hit ratio is %.2f for units of 64 B, "
			 "%.2f for 128 B, %.3f for 256 B",
			 c.beyond[0], c.beyond[1], c.beyond[2]);
	return draw(i, &c, "figure-14",
		    "Effect of unit size on L2 hit ratio (Figure 14)");
}

/* Flat up to 32 pages, which the streamer follows; then it collapses. */
static void judge_pages(const struct curves *c, struct inspection_verdict *v)
{
	double flat = c->beyond[0];

	for (size_t k = 0; k < c->n; k++) {
		double ratio = c->beyond[k];

		if (c->value[k] <= 32 && !(ratio > 0.2 && ratio < 0.45))
			inspection_fail(
				v, "%u pages per block: %.2f, not about 0.3",
				c->value[k], ratio);
		if (c->value[k] > 32 && !(ratio < 0.8 * flat))
			inspection_fail(v,
					"%u pages per block: %.2f is not a "
					"collapse from %.2f",
					c->value[k], ratio, flat);
		if (c->value[k] >= 64 && !(ratio < 0.05))
			inspection_fail(
				v, "%u pages per block: %.2f, not close to 0",
				c->value[k], ratio);
		if (k > 0 && c->value[k] > 32 &&
		    ratio > c->beyond[k - 1] + 0.02)
			inspection_fail(v,
					"%u pages per block hit more than %u",
					c->value[k], c->value[k - 1]);
	}
}

int inspect_pages(struct inspection *i, struct inspection_verdict *v)
{
	struct curves c = { .n = 8,
			    .value = { 8, 16, 32, 36, 40, 48, 64, 128 } };
	int status = measure(i, &c, false);

	if (status)
		return status;
	for (size_t k = 0; k < c.n; k++)
		snprintf(c.name[k], sizeof(c.name[k]), "%u pages per block",
			 c.value[k]);
	judge_pages(&c, v);
	if (v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "beyond L2 %.2f with 8 pages per block, %.2f with 16, "
			 "%.2f with 32, %.2f with 36, %.2f with 40, %.2f with "
			 "48, %.3f with 64",
			 c.beyond[0], c.beyond[1], c.beyond[2], c.beyond[3],
			 c.beyond[4], c.beyond[5], c.beyond[6]);
	return draw(i, &c, "figure-15",
		    "Effect of block size on L2 hit ratio (Figure 15)");
}
