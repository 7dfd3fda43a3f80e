/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of simulated and real cycles, for people and for programs. */

#include <math.h>
#include <papi.h>
#include <string.h>

#include "base/array.h"
#include "validate/time.h"
#include "write/columns.h"
#include "write/json.h"

#define FAIR         0.10
#define POOR         0.30

#define LEAST_STOLEN 0.001 /* that is worth a line */

static enum ink ink_of(const struct time_row *row)
{
	double size = fabs(row->error);

	return isnan(size)    ? INK_DIM
	       : size <= FAIR ? INK_GOOD
	       : size <= POOR ? INK_PLAIN
			      : INK_POOR;
}

static void add_row(struct columns *c, const struct time_row *row)
{
	bool has = !isnan(row->error);

	columns_add(c, INK_PLAIN, "%s", row->name);
	if (isnan(row->real))
		columns_add(c, INK_DIM, "-");
	else
		columns_add(c, INK_PLAIN, "%.3f", row->real / 1e6);
	if (isnan(row->spread))
		columns_add(c, INK_DIM, "-");
	else
		columns_add(c, row->spread > TIME_NOISY ? INK_POOR : INK_PLAIN,
			    "%.1f", 100 * row->spread);
	if (isnan(row->cycles))
		columns_add(c, INK_DIM, "-");
	else
		columns_add(c, INK_PLAIN, "%.3f", row->cycles / 1e6);
	if (has)
		columns_add(c, ink_of(row), "%+.1f", 100 * row->error);
	else
		columns_add(c, INK_DIM, "-");
	columns_add(c, INK_DIM, "%s", has ? row->blame : row->reason);
}

static int put_kind(const struct time_table *table, const char *kind,
		    const struct report_style *style, FILE *to)
{
	static const char *const titles[] = { "real Mcycles", "spread %",
					      "simulated", "error %",
					      "to blame" };
	struct columns c;
	size_t n = 0;
	int err = 0;

	columns_init(&c, "lrrrrl");
	columns_add(&c, INK_PLAIN, "%s", kind);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		columns_add(&c, INK_PLAIN, "%s", titles[i]);
	for (size_t i = 0; i < table->n; i++)
		if (strcmp(table->rows[i].kind, kind) == 0) {
			add_row(&c, &table->rows[i]);
			n++;
		}
	if (n > 0)
		err = columns_write(&c, style, to);
	if (n > 0 && !err)
		putc('\n', to);
	columns_fini(&c);
	return err;
}

/* "faster (slower)": real and simulated ratios of all pairs. */
static int put_pairs(const struct time_table *table,
		     const struct report_style *style, FILE *to)
{
	struct columns c;
	int err;

	columns_init(&c, "llrrl");
	columns_add(&c, INK_PLAIN, "version");
	columns_add(&c, INK_PLAIN, "against");
	columns_add(&c, INK_PLAIN, "real x");
	columns_add(&c, INK_PLAIN, "simulated x");
	columns_add(&c, INK_PLAIN, "order");
	for (size_t i = 0; i < table->n; i++) {
		const struct time_row *a = &table->rows[i];
		const struct time_row *b =
			*a->slower ? time_find(table, a->slower) : NULL;
		double real, simulated;
		bool even, right;

		if (!b || isnan(a->error) || isnan(b->error))
			continue;
		real = b->real / a->real;
		simulated = b->cycles / a->cycles;
		even = real < TIME_FASTER && real > 1 / TIME_FASTER;
		right = (real > 1) == (simulated > 1);
		columns_add(&c, INK_PLAIN, "%s", a->name);
		columns_add(&c, INK_PLAIN, "%s", b->name);
		columns_add(&c, INK_PLAIN, "%.2f", real);
		columns_add(&c, INK_PLAIN, "%.2f", simulated);
		columns_add(&c,
			    even    ? INK_DIM
			    : right ? INK_GOOD
				    : INK_POOR,
			    "%s",
			    even    ? "no difference"
			    : right ? "right"
				    : "wrong");
	}
	err = columns_write(&c, style, to);
	columns_fini(&c);
	putc('\n', to);
	return err;
}

static void put_sum(const struct time_table *table, const char *kind, FILE *to)
{
	struct time_sum sum = time_sum_of(table, kind);

	if (!sum.n)
		return;
	fprintf(to, "%zu %s%s: median error %.1f %%, worst %.1f %% (%s)", sum.n,
		kind, sum.n == 1 ? "" : "s", 100 * sum.median, 100 * sum.worst,
		sum.worst_name);
	if (sum.noisy)
		fprintf(to, "; %zu disturbed (spread above %.0f %%)", sum.noisy,
			100 * TIME_NOISY);
	putc('\n', to);
}

int time_write_text(const void *what, const struct report_style *style,
		    FILE *to)
{
	const struct time_table *table = what;
	struct time_pairs pairs = time_pairs_of(table);
	int err;

	style_heading(style, "simulated against real cycles", to);
	fprintf(to, "model %s on %s, %.2f GHz\n\n", table->model, table->where,
		table->hz / 1e9);
	err = put_kind(table, "kernel", style, to);
	if (!err)
		err = put_kind(table, "program", style, to);
	if (!err && style->verbose)
		err = put_kind(table, "version", style, to);
	if (!err && pairs.n)
		err = put_pairs(table, style, to);
	if (err)
		return err;
	put_sum(table, "kernel", to);
	put_sum(table, "program", to);
	if (table->stolen > LEAST_STOLEN)
		fprintf(to,
			"the host took %.1f %% of the CPUs' time while real "
			"times were measured\n",
			100 * table->stolen);
	if (pairs.n)
		fprintf(to,
			"%zu pairs of versions, %zu of them at least %.0f %% "
			"apart: %zu in the right order\n",
			pairs.n, pairs.judged, 100 * (TIME_FASTER - 1),
			pairs.right);
	return ferror(to) ? PAPI_ESYS : 0;
}

static void put_json_sum(struct json *j, const char *name,
			 const struct time_sum *sum)
{
	json_row(j, name);
	json_unsigned(j, "n", sum->n);
	json_number(j, "median_error_pct", 100 * sum->median);
	json_number(j, "worst_error_pct", sum->n ? 100 * sum->worst : NAN);
	json_string(j, "worst", sum->n ? sum->worst_name : NULL);
	json_unsigned(j, "disturbed", sum->noisy);
	json_end_object(j);
}

static void put_json_row(struct json *j, const struct time_row *row)
{
	json_row(j, NULL);
	json_string(j, "name", row->name);
	json_string(j, "kind", row->kind);
	json_string(j, "part", row->part);
	json_number(j, "real_cycles", row->real);
	json_number(j, "spread_pct", 100 * row->spread);
	json_number(j, "simulated_cycles", row->cycles);
	json_number(j, "error_pct", 100 * row->error);
	json_string(j, "blame", *row->blame ? row->blame : NULL);
	json_string(j, "slower", *row->slower ? row->slower : NULL);
	json_string(j, "reason", *row->reason ? row->reason : NULL);
	for (size_t w = 0; w < WAIT_COUNT; w++)
		json_number(j, time_waits[w],
			    isnan(row->cycles) ? NAN : row->wait[w]);
	json_end_object(j);
}

int time_describe(const void *what, struct json *j)
{
	const struct time_table *table = what;
	struct time_sum kernels = time_sum_of(table, "kernel");
	struct time_sum programs = time_sum_of(table, "program");
	struct time_pairs pairs = time_pairs_of(table);

	json_string(j, "model", table->model);
	json_string(j, "where", table->where);
	json_number(j, "clock_hz", table->hz);
	json_number(j, "stolen_pct", 100 * table->stolen);
	put_json_sum(j, "kernels", &kernels);
	put_json_sum(j, "programs", &programs);
	json_row(j, "pairs");
	json_unsigned(j, "n", pairs.n);
	json_unsigned(j, "judged", pairs.judged);
	json_unsigned(j, "right", pairs.right);
	json_end_object(j);
	json_table(j, "rows");
	for (size_t i = 0; i < table->n; i++)
		put_json_row(j, &table->rows[i]);
	json_end_array(j);
	return 0;
}
