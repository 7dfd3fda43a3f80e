/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures kernels on a machine model, and writes pictures and data. What each
 * figure must show is left to the file of that figure.
 */
#include "papers/inspection.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "write/number.h"

const struct inspection_item inspection_items[] = {
	{ "Figures 1, 2 and 5", "branches that are executed and not retired",
	  inspect_simple_code },
	{ "Figures 6 to 8", "jumps of an else, by optimisation", inspect_else },
	{ "Table 1", "branch events over seven kernels", inspect_table1 },
	{ "Table 1, clang", "the same with the kernels as clang compiles them",
	  inspect_table1_clang },
	{ "Section 3.4", "correlation cannot tell events apart",
	  inspect_pearson },
	{ "Equation 1", "the paper's goodness for a perfect event",
	  inspect_goodness },
	{ "Figure 10", "executed branches by misprediction rate",
	  inspect_rate },
	{ "Figure 12", "cache hits by footprint", inspect_hits },
	{ "Figure 13", "cache misses by footprint", inspect_misses },
	{ "Figure 14", "L2 hits by unit", inspect_units },
	{ "Figure 15", "L2 hits by pages per block", inspect_pages },
	{ "Figure 17", "L1 misses by the start of each round",
	  inspect_rotation },
	{ "Figure 17, timed", "the same on this machine's L1",
	  inspect_rotation_timed },
	{ 0 },
};

void inspection_fini(struct inspection *i)
{
	for (size_t k = 0; k < i->n_files; k++)
		free(i->files[k]);
	i->n_files = 0;
	inspection_free_sweeps(i->sweeps);
	i->sweeps = NULL;
}

static int all_measured(const struct inspection *i,
			const struct experiment_result *r,
			const struct experiment_unit *units)
{
	for (size_t e = 0; e < r->n_events; e++)
		if (r->events[e].reason) {
			say_error(i->console, "%s cannot be counted: %s",
				  r->events[e].name, r->events[e].reason);
			return CMD_FAILED;
		}
	for (size_t u = 0; u < r->n_units; u++)
		if (r->reasons[u]) {
			say_error(i->console, "%s cannot be run: %s",
				  units[u].kernel->name, r->reasons[u]);
			return CMD_FAILED;
		}
	return 0;
}

int inspection_measure(const struct inspection *i, const char *model,
		       const char *const *events, size_t n_events,
		       const struct experiment_unit *units, size_t n_units,
		       struct experiment_result **result)
{
	const struct simulator_options simulator = {
		.model = machine_for(&i->machine, model),
		.counters = "unlimited"
	};
	const struct experiment experiment = {
		.simulator = &simulator,
		.worker = i->worker,
		.events = events,
		.n_events = n_events,
		.units = units,
		.n_units = n_units,
		.repeats = 1,
		.what = "measuring",
	};
	int status = experiment_run(i->console, &experiment, result);

	if (status)
		return status;
	status = all_measured(i, *result, units);
	if (status)
		experiment_free(*result);
	return status;
}

double inspection_rate(const struct experiment_result *result,
		       const struct experiment_unit *units, size_t unit,
		       size_t event)
{
	return experiment_count(result, unit, 0, event) /
	       (double)units[unit].point.times;
}

char *inspection_path(const struct inspection *i, const char *name)
{
	return str_format("%s/%s", i->folder, name);
}

/* A file in the folder, to be committed by finish_file(). */
static int begin_file(const struct inspection *i, const char *name, char **path,
		      struct outfile **file)
{
	struct diag diag = { .text = "out of memory" };

	*path = inspection_path(i, name);
	if (*path && !outfile_open(*path, file, &diag))
		return 0;
	say_error(i->console, "%s", diag.text);
	free(*path);
	return CMD_FAILED;
}

static int finish_file(struct inspection *i, char *path, struct outfile *file)
{
	struct diag diag = { .text = "" };

	if (outfile_commit(file, &diag)) {
		say_error(i->console, "%s", diag.text);
		free(path);
		return CMD_FAILED;
	}
	if (i->n_files + 1 < ARRAY_SIZE(i->files))
		i->files[i->n_files++] = path;
	else
		free(path);
	return 0;
}

static void put_data(const struct chart *c, FILE *to)
{
	char x[NUMBER_CAPACITY], y[NUMBER_CAPACITY];

	fputs("series,x,y,error\n", to);
	for (size_t s = 0; s < c->n; s++)
		for (size_t k = 0; k < c->series[s].n; k++) {
			const struct chart_series *series = &c->series[s];

			if (isnan(series->y[k]))
				continue;
			fprintf(to, "\"%s\",%s,%s,", series->name,
				number_exact(x, series->x[k]),
				number_exact(y, series->y[k]));
			if (series->error && !isnan(series->error[k]))
				fputs(number_exact(x, series->error[k]), to);
			fputc('\n', to);
		}
}

static int draw_file(struct inspection *i, const char *name,
		     const struct chart *chart, bool picture)
{
	struct outfile *file;
	char *path;
	int status = begin_file(i, name, &path, &file);

	if (status)
		return status;
	if (picture)
		chart_write_svg(chart, outfile_stream(file));
	else
		put_data(chart, outfile_stream(file));
	return finish_file(i, path, file);
}

int inspection_draw(struct inspection *i, const char *name,
		    const struct chart *chart)
{
	char file[96];
	int status;

	if (!i->folder)
		return 0;
	snprintf(file, sizeof(file), "%s.svg", name);
	status = draw_file(i, file, chart, true);
	snprintf(file, sizeof(file), "%s.csv", name);
	return status ? status : draw_file(i, file, chart, false);
}

int inspection_keep(struct inspection *i, const char *name, const char *text)
{
	struct outfile *file;
	char *path;
	int status;

	if (!i->folder)
		return 0;
	status = begin_file(i, name, &path, &file);
	if (status)
		return status;
	fputs(text, outfile_stream(file));
	return finish_file(i, path, file);
}

void inspection_fail(struct inspection_verdict *v, const char *format, ...)
{
	va_list args;

	if (!v->pass)
		return;
	v->pass = false;
	va_start(args, format);
	vsnprintf(v->detail, sizeof(v->detail), format, args);
	va_end(args);
}
