/* SPDX-License-Identifier: BSD-3-Clause */
/* A power model fitted to samples, and written as a metric. */

#include "perfmodel/perfmodel.h"

#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/regression.h"
#include "base/array.h"
#include "console/console.h"
#include "metricfile/csv.h"
#include "metricfile/metricfile.h"
#include "write/document.h"
#include "write/number.h"
#include "write/style.h"

#define USUAL_FOLDS 10

/* The file: columns by name, all but one of them predictors. */
struct table {
	char **names;
	size_t columns;
	size_t response; /* which column */
	double *x, *y;
	size_t n;      /* samples */
	size_t values; /* of x */
};

struct fitted {
	const struct fit_options *o;
	const struct table *table;
	struct regression r;
	struct validation v;
};

static void table_fini(struct table *t)
{
	for (size_t i = 0; i < t->columns; i++)
		free(t->names[i]);
	free(t->names);
	free(t->x);
	free(t->y);
}

/* The one that --response names, else "power" or "watts", else the last. */
static int find_response(struct table *t, const struct csv *csv,
			 const char *wanted, struct diag *diag)
{
	static const char *const usual[] = { "power", "watts", "w" };

	t->response = t->columns - 1;
	for (size_t i = 0; i < t->columns; i++) {
		if (wanted && strcmp(t->names[i], wanted) == 0) {
			t->response = i;
			return 0;
		}
		for (size_t k = 0; !wanted && k < ARRAY_SIZE(usual); k++)
			if (strcasecmp(t->names[i], usual[k]) == 0)
				t->response = i;
	}
	if (wanted)
		return diag_fail(diag, PAPI_EINVAL, "%s has no column '%s'",
				 csv->path, wanted);
	return 0;
}

static int read_names(struct table *t, struct csv *csv, struct diag *diag)
{
	int more = csv_next_line(csv, diag);
	char *name;

	if (more <= 0)
		return more ? more
			    : diag_fail(diag, PAPI_EINVAL, "%s is empty",
					csv->path);
	while (csv->at) {
		double number;
		int err = csv_next_field(csv, &name, diag);

		if (err)
			return err;
		if (csv_number(name, &number))
			return csv_refuse(csv,
					  "the first line must name the "
					  "columns",
					  diag);
		if (array_grow(&t->names, t->columns, sizeof(*t->names)))
			return PAPI_ENOMEM;
		t->names[t->columns] = strdup(name);
		if (!t->names[t->columns++])
			return PAPI_ENOMEM;
	}
	if (t->columns < 2)
		return csv_refuse(
			csv,
			"one column is the response, so there must be others",
			diag);
	return 0;
}

static int keep(struct table *t, size_t column, double value)
{
	if (column == t->response) {
		if (array_grow(&t->y, t->n, sizeof(*t->y)))
			return PAPI_ENOMEM;
		t->y[t->n] = value;
		return 0;
	}
	return array_add(t->x, t->values, value);
}

static int read_sample(struct table *t, struct csv *csv, struct diag *diag)
{
	size_t k = 0;
	int err = 0;

	for (; !err && csv->at; k++) {
		double value;
		char *text;

		err = csv_next_field(csv, &text, diag);
		if (err)
			break;
		if (k == t->columns)
			return csv_refuse(csv,
					  "more fields than the first line "
					  "names",
					  diag);
		if (!csv_number(text, &value) || isnan(value))
			return csv_refuse(csv, "this is not a number", diag);
		err = keep(t, k, value);
	}
	if (!err && k < t->columns)
		err = csv_refuse(csv, "fewer fields than the first line names",
				 diag);
	t->n++;
	return err;
}

static int read_table(const struct fit_options *o, FILE *from, struct table *t,
		      struct diag *diag)
{
	struct csv csv = { .path = o->path, .from = from };
	int err = read_names(t, &csv, diag);
	int more = 1;

	if (!err)
		err = find_response(t, &csv, o->response, diag);
	while (!err && (more = csv_next_line(&csv, diag)) > 0)
		if (*csv.line)
			err = read_sample(t, &csv, diag);
	csv_fini(&csv);
	return err ? err : more;
}

/* Name of predictor @k. */
static const char *predictor(const struct table *t, size_t k)
{
	return t->names[k < t->response ? k : k + 1];
}

/* An event name as a formula has it: with quotes if it needs them. */
static void put_operand(const char *name, FILE *to)
{
	bool plain = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:") ==
			     strlen(name) &&
		     (*name < '0' || *name > '9');

	fprintf(to, plain ? "%s" : "\"%s\"", name);
}

static void put_formula(const struct fitted *f, FILE *to)
{
	char text[NUMBER_CAPACITY];

	fputs(number_exact(text, f->r.beta[0]), to);
	for (size_t k = 0; k < f->r.p; k++) {
		double b = f->r.beta[k + 1];

		fprintf(to, " %c %s * ", b < 0 ? '-' : '+',
			number_exact(text, fabs(b)));
		put_operand(predictor(f->table, k), to);
	}
}

static int fit_text(const void *what, const struct report_style *style,
		    FILE *to)
{
	const struct fitted *f = what;

	fprintf(to, "%s%s of %zu samples by %zu predictors%s\n\n",
		style_on(style, INK_BOLD), f->table->names[f->table->response],
		f->table->n, f->r.p, style_off(style));
	fprintf(to, "%16s  %14s  %8s\n", "coefficient", "std. error", "t");
	for (size_t k = 0; k <= f->r.p; k++)
		fprintf(to, "%16.8g  %14.4g  %8.1f  %s\n", f->r.beta[k],
			f->r.error[k], f->r.beta[k] / f->r.error[k],
			k ? predictor(f->table, k - 1) : "(constant)");
	fprintf(to,
		"\n%14.2f %%  median error on samples left out of the fit "
		"(%zu-fold cross-validation)\n"
		"%14.2f %%  largest\n%16.4g  root mean square of these errors\n"
		"%16.4g  standard deviation of the residuals\n"
		"%16.6f  R squared\n",
		100 * f->v.median_ape, f->v.folds, 100 * f->v.worst_ape,
		f->v.rms, f->r.sigma, f->r.r2);
	fputs("\nas a metric:\n  ", to);
	put_operand(f->table->names[f->table->response], to);
	fputs(", ", to);
	put_formula(f, to);
	fputs(", UNIT, \"W\"\n", to);
	return ferror(to) ? PAPI_ESYS : 0;
}

static int fit_describe(const void *what, struct json *j)
{
	const struct fitted *f = what;

	json_string(j, "model", "power");
	json_string(j, "response", f->table->names[f->table->response]);
	json_unsigned(j, "samples", f->table->n);
	json_number(j, "ridge", f->o->ridge);
	json_table(j, "coefficients");
	for (size_t k = 0; k <= f->r.p; k++)
		json_row_of(j, NULL, "name %s, value %g, stderr %g",
			    k ? predictor(f->table, k - 1) : NULL, f->r.beta[k],
			    f->r.error[k]);
	json_end_array(j);
	json_number(j, "sigma", f->r.sigma);
	json_number(j, "r2", f->r.r2);
	json_row_of(j, "validation",
		    "folds %zu, median_ape_pct %g, worst_ape_pct %g, rms %g",
		    f->v.folds, 100 * f->v.median_ape, 100 * f->v.worst_ape,
		    f->v.rms);
	return 0;
}

static int cannot_fit(const struct console *console, const struct table *t,
		      size_t bad)
{
	size_t p = t->columns - 1;

	if (bad < p)
		return say_failure(
			console,
			"%s never varies or follows from the columns before "
			"it; leave it out, or use --ridge",
			predictor(t, bad));
	return say_failure(console,
			   "%zu samples are too few for %zu coefficients and "
			   "their cross-validation",
			   t->n, p + 1);
}

static int fit_table(const struct output *output, const struct fit_options *o,
		     const struct table *t, const struct format *format)
{
	const struct samples s = { t->x, t->y, t->n, t->columns - 1 };
	struct fitted f = { .o = o, .table = t };
	size_t folds = o->folds ? o->folds : USUAL_FOLDS;
	size_t bad = s.p;
	int status;
	int err = regression_fit(&s, o->ridge, &f.r, &bad);

	if (folds > t->n)
		folds = t->n;
	if (!err) {
		bad = s.p;
		err = regression_validate(&s, o->ridge, folds, &f.v);
	}
	if (err == PAPI_ENOMEM) {
		status = say_no_memory(output->console);
	} else if (err) {
		status = cannot_fit(output->console, t, bad);
	} else {
		status = output_write_as(output, format, &f, stdout, CMD_OK);
	}
	regression_fini(&f.r);
	return status;
}

int model_fit(const struct output *output, const struct fit_options *o)
{
	static const struct format formats[] = {
		FORMAT("text", ".txt", fit_text),
		DATA_FORMATS(fit_describe),
		{ 0 },
	};
	const struct format *format = output_format(output, formats);
	struct diag diag = { .text = "" };
	struct table t = { 0 };
	FILE *from;
	int status;
	int err;

	if (!format)
		return CMD_USAGE;
	from = strcmp(o->path, "-") == 0 ? stdin : fopen(o->path, "re");
	if (!from)
		return say_failure(output->console, "cannot read %s: %s",
				   o->path, strerror(errno));
	err = read_table(o, from, &t, &diag);
	if (from != stdin)
		fclose(from);
	if (err)
		status = metrics_say_fault(output->console, err, NULL, &diag);
	else
		status = fit_table(output, o, &t, format);
	table_fini(&t);
	return status;
}
