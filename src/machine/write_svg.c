/* SPDX-License-Identifier: BSD-3-Clause */
/* One of a machine's curves as a picture. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "machine/format.h"
#include "write/chart.h"

/* The curve that tells most, where several were kept. */
static const char *const favourites[] = { "latency", "L3", "L1D" };

static const struct machine_sweep *choose(const struct machine *m)
{
	for (size_t i = 0; !m->chosen && i < ARRAY_SIZE(favourites); i++)
		for (size_t j = 0; j < m->n_sweeps; j++)
			if (strcmp(m->sweeps[j].name, favourites[i]) == 0)
				return &m->sweeps[j];
	return m->n_sweeps ? &m->sweeps[0] : NULL;
}

/* Sizes of caches that lie within the curve. */
static size_t find_marks(const struct machine *m, const struct machine_sweep *s,
			 double *marks, const char **names)
{
	static const char *const sizes[] = { "L1D_bytes", "L2_bytes",
					     "L3_bytes" };
	static const char *const called[] = { "L1", "L2", "L3" };
	size_t n = 0;

	if (strcmp(s->x_label, "bytes") != 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		double size = machine_get(m, sizes[i]);

		if (size >= s->points[0].x && size <= s->points[s->n - 1].x) {
			names[n] = called[i];
			marks[n++] = size;
		}
	}
	return n;
}

static int draw(const struct machine *m, const struct machine_sweep *s,
		double *columns, FILE *to)
{
	struct chart_series series = {
		.name = s->name,
		.x = columns,
		.y = columns + s->n,
		.n = s->n,
	};
	double marks[3];
	const char *names[3];
	struct chart chart = {
		.title = m->cpu,
		.x_label = s->x_label,
		.y_label = s->y_label,
		.x_scale = strcmp(s->x_label, "bytes") == 0 ? CHART_BYTES
							    : CHART_LINEAR,
		.series = &series,
		.n = 1,
		.marks = marks,
		.mark_names = names,
	};

	for (size_t i = 0; i < s->n; i++) {
		columns[i] = s->points[i].x;
		columns[s->n + i] = s->points[i].y;
	}
	chart.n_marks = find_marks(m, s, marks, names);
	return chart_write_svg(&chart, to);
}

int machine_write_svg(const void *machine, const struct report_style *style,
		      FILE *to)
{
	const struct machine *m = machine;
	const struct machine_sweep *s = choose(m);
	OWNED double *columns = NULL;

	(void)style;
	if (!s || s->n < 2)
		return PAPI_ESYS;
	columns = calloc(s->n, 2 * sizeof(*columns));
	if (!columns)
		return PAPI_ESYS;
	return draw(m, s, columns, to);
}
