/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofline model, and the memory bandwidth that is one side of it. The
 * machine's constants give ceilings per cycle of a core: flops_NAME and
 * bytes_NAME. A program that keeps several cores busy has that many times the
 * operations; of the bytes, too, on the simulated machine, whose cores do not
 * share a memory bus. Elsewhere they are one core's.
 */

#include <math.h>
#include <string.h>

#include "perfmodel/perfmodel.h"
#include "perfmodel/roofline.h"
#include "write/number.h"

static const char *const roofline_groups[] = { "roofline", NULL };
static const char *const level_groups[] = { "roofline levels", NULL };
static const char *const bandwidth_groups[] = { "bandwidth", "roofline", NULL };

static void add(struct ceiling *list, size_t *n, struct ceiling one)
{
	size_t i = *n;

	if (*n == ROOFLINE_CEILINGS || !(one.value > 0))
		return;
	for (; i > 0 && list[i - 1].value < one.value; i--)
		list[i] = list[i - 1];
	list[i] = one;
	++*n;
}

struct roofline roofline_make(const struct modelled *m)
{
	const struct defs *defs = m->constants->defs;
	double flops = modelled_clock(m) * modelled_cores(m);
	double bytes = m->simulated ? flops : modelled_clock(m);
	struct roofline r = {
		.intensity = modelled_value(m, "flops_per_byte"),
		.rate = modelled_count(m, "PAPI_FP_OPS") / modelled_seconds(m),
	};

	for (size_t i = 0; i < defs->n_constants; i++) {
		const char *name = defs->constants[i].name;
		double value = defs->constants[i].value;

		if (strncmp(name, "flops_", 6) == 0)
			add(r.flops, &r.n_flops,
			    (struct ceiling){ name + 6, value * flops });
		else if (strncmp(name, "bytes_", 6) == 0)
			add(r.bytes, &r.n_bytes,
			    (struct ceiling){ name + 6, value * bytes });
	}
	return r;
}

/* Bytes to and from memory per second. */
static double bandwidth_of(const struct modelled *m)
{
	return modelled_value(m, "bytes_per_cycle") *
	       modelled_count(m, "PAPI_TOT_CYC") / modelled_seconds(m);
}

static void put_ceilings(const struct ceiling *list, size_t n, const char *unit,
			 double value, const struct report_style *style,
			 FILE *to)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "%12.4g %-7s %s%5.1f %%%s  ", list[i].value / 1e9,
			unit, style_on(style, INK_BOLD),
			100 * value / list[i].value, style_off(style));
		for (const char *c = list[i].name; *c; c++)
			putc(*c == '_' ? ' ' : *c, to);
		putc('\n', to);
	}
}

static void put_missing(const struct modelled *m, const char *metric, FILE *to)
{
	const struct report_metric *row = modelled_find(m, metric);

	fprintf(to, "no value: %s\n",
		row && row->reason ? row->reason
				   : "its events were not counted");
}

/* Where the program stands under the roof. */
static void put_place(const struct roofline *r, FILE *to)
{
	double attainable = roofline_at(r, r->intensity);
	bool memory = attainable < r->flops[0].value;

	fprintf(to, "%12.4g %-7s operational intensity\n", r->intensity,
		"flop/B");
	fprintf(to,
		"%12.4g %-7s reached: %.1f %% of the %.4g that the roof allows "
		"here, limited by %s\n",
		r->rate / 1e9, "Gflop/s", 100 * r->rate / attainable,
		attainable / 1e9, memory ? "memory" : "the processor");
}

static void put_ceilings_of(const struct modelled *m, const struct roofline *r,
			    const struct report_style *style, FILE *to)
{
	double cores = modelled_cores(m);

	fputs("\nceilings, and the program's share of each", to);
	if (cores >= 1.05)
		fprintf(to, "; %.1f cores were busy", cores);
	putc('\n', to);
	put_ceilings(r->flops, r->n_flops, "Gflop/s", r->rate, style, to);
	put_ceilings(r->bytes, r->n_bytes, "GB/s", bandwidth_of(m), style, to);
}

static void roofline_text(const struct modelled *m,
			  const struct report_style *style, FILE *to)
{
	struct roofline r = roofline_make(m);

	putc('\n', to);
	if (r.n_flops == 0 || r.n_bytes == 0) {
		fputs("the machine's constants have no flops_... or no "
		      "bytes_..., so there is no roof\n",
		      to);
		return;
	}
	roofline_plot_text(&r, style, to);
	putc('\n', to);
	if (isnan(r.intensity)) {
		put_missing(m, "flops_per_byte", to);
		return;
	}
	if (r.intensity > 0)
		put_place(&r, to);
	else
		fputs("no floating-point operation was counted: the program "
		      "cannot be placed under this roof\n",
		      to);
	put_ceilings_of(m, &r, style, to);
}

static void json_ceilings(struct json *j, const char *name,
			  const struct ceiling *list, size_t n)
{
	json_array(j, name);
	for (size_t i = 0; i < n; i++)
		json_row_of(j, NULL, "name %s, value %g", list[i].name,
			    list[i].value);
	json_end_array(j);
}

static void json_traffic(const struct modelled *m, struct json *j)
{
	json_number(j, "bytes",
		    modelled_value(m, "bytes_per_cycle") *
			    modelled_count(m, "PAPI_TOT_CYC"));
	json_number(j, "bytes_per_cycle", modelled_value(m, "bytes_per_cycle"));
	json_number(j, "bytes_per_second", bandwidth_of(m));
}

static void json_points(const struct modelled *m, struct json *j)
{
	struct roofline_points points = { 0 };

	roofline_points_add(&points, m); /* those there is memory for */
	json_array(j, "points");
	for (size_t i = 0; i < points.n; i++)
		json_row_of(
			j, NULL,
			"name %s, kind %s, intensity %g, flops_per_second %g",
			points.list[i].name,
			roofline_kinds[points.list[i].kind],
			points.list[i].intensity, points.list[i].rate);
	json_end_array(j);
	roofline_points_fini(&points);
}

static void roofline_json(const struct modelled *m, struct json *j)
{
	struct roofline r = roofline_make(m);

	json_number(j, "intensity", r.intensity);
	json_number(j, "flops", modelled_count(m, "PAPI_FP_OPS"));
	json_number(j, "flops_per_second", r.rate);
	json_number(j, "attainable", roofline_at(&r, r.intensity));
	json_traffic(m, j);
	json_ceilings(j, "flops_ceilings", r.flops, r.n_flops);
	json_ceilings(j, "bytes_ceilings", r.bytes, r.n_bytes);
	json_points(m, j);
}

static void roofline_svg(const struct modelled *m, FILE *to)
{
	struct roofline r = roofline_make(m);

	roofline_plot_svg(&r, to);
}

static void bandwidth_text(const struct modelled *m,
			   const struct report_style *style, FILE *to)
{
	struct roofline r = roofline_make(m);
	double rate = bandwidth_of(m);

	putc('\n', to);
	if (isnan(rate)) {
		put_missing(m, "bytes_per_cycle", to);
		return;
	}
	for (size_t i = 0; i < m->report.n_metrics; i++)
		if (strncmp(m->report.metrics[i].name, "flops_", 6) != 0)
			modelled_put_metric(m, &m->report.metrics[i], style,
					    to);
	fprintf(to, "%15.4g GB/s    in %.4g ms\n\n", rate / 1e9,
		1e3 * modelled_seconds(m));
	fputs("ceilings, and the program's share of each\n", to);
	put_ceilings(r.bytes, r.n_bytes, "GB/s", rate, style, to);
}

static void bandwidth_json(const struct modelled *m, struct json *j)
{
	struct roofline r = roofline_make(m);

	json_traffic(m, j);
	json_ceilings(j, "bytes_ceilings", r.bytes, r.n_bytes);
}

const struct model model_roofline = {
	.name = "roofline",
	.summary = "operations per second under the machine's roof",
	.groups = roofline_groups,
	.free_groups = level_groups,
	.text = roofline_text,
	.json = roofline_json,
	.svg = roofline_svg,
	.lead = roofline_lead,
	.page = roofline_page,
};

const struct model model_bandwidth = {
	.name = "bandwidth",
	.summary = "traffic to and from memory",
	.groups = bandwidth_groups,
	.text = bandwidth_text,
	.json = bandwidth_json,
};
