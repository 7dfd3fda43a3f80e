/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events by platforms: the 2005 paper's Table 3, of what was validated here and
 * what files from other machines say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/fs.h"
#include "base/tree.h"
#include "console/console.h"
#include "validate/validated.h"

struct column {
	char platform[64];
	struct validated results;
};

struct matrix {
	struct column *columns;
	size_t n;
};

/* Files. */

static const char *text_of(const struct tree *object, const char *name)
{
	const char *text = tree_text(object, name);

	return text ? text : "";
}

/* An event has as many rows as sizes: the worst verdict counts. */
static int add_row(const struct tree *row, struct validated *out)
{
	double off = tree_number(tree_member(row, "corrected_error_pct"));
	struct validated_event e = { .off_pct = isfinite(off) ? off : 0 };
	struct validated_event *had;

	snprintf(e.event, sizeof(e.event), "%s", text_of(row, "event"));
	snprintf(e.verdict, sizeof(e.verdict), "%s", text_of(row, "verdict"));
	had = (struct validated_event *)validated_find(out, e.event);
	if (had && (strcmp(e.verdict, "fail") == 0 ||
		    strcmp(had->verdict, "none") == 0))
		*had = e;
	if (had)
		return 0;
	return array_add(out->events, out->n, e);
}

static bool is_validation(const struct tree *document)
{
	return *text_of(document, "platform") &&
	       tree_is(tree_member(document, "rows"), TREE_ARRAY);
}

int validated_read(const char *path, char *platform, struct validated *out,
		   struct diag *diag)
{
	struct tree *document = NULL;
	const struct tree *rows;
	char *text = NULL;
	size_t len;
	int err = file_read(path, &text, &len, diag);

	*out = (struct validated){ 0 };
	if (err)
		return err;
	if (tree_parse(text, &document, NULL) || !is_validation(document)) {
		err = diag_fail(
			diag, PAPI_EINVAL,
			"'%s' was not written by 'assay validate -o FILE.json'",
			path);
		goto done;
	}
	snprintf(platform, 64, "%s", text_of(document, "platform"));
	snprintf(out->where, sizeof(out->where), "%.80s, by %s",
		 text_of(document, "where"), path);
	rows = tree_member(document, "rows");
	for (size_t i = 0; i < rows->n && !err; i++)
		if (*text_of(&rows->items[i], "event"))
			err = add_row(&rows->items[i], out);
	if (err)
		err = diag_fail(diag, err, "out of memory");
done:
	tree_free(document);
	free(text);
	return err;
}

/* The matrix. */

const char *validated_cell(const struct validated *v, const char *event)
{
	const struct validated_event *e = validated_find(v, event);

	if (!e)
		return "";
	if (strcmp(e->verdict, "pass") == 0)
		return "X";
	return strcmp(e->verdict, "fail") == 0 ? "off" : "N/A";
}

static int write_matrix(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct matrix *m = what;

	(void)style;
	fprintf(to, "%-16s", "event");
	for (size_t p = 0; p < m->n; p++)
		fprintf(to, " %-10s", m->columns[p].platform);
	putc('\n', to);
	for (size_t i = 0; i < validate_checks_n; i++) {
		if (!validate_checks[i].of_paper)
			continue;
		fprintf(to, "%-16s", validate_checks[i].event);
		for (size_t p = 0; p < m->n; p++)
			fprintf(to, " %-10s",
				validated_cell(&m->columns[p].results,
					       validate_checks[i].event));
		putc('\n', to);
	}
	fputs("\nX: as predicted, off: not, N/A: cannot be counted there, "
	      "empty: not validated\n",
	      to);
	for (size_t p = 0; p < m->n; p++)
		if (*m->columns[p].results.where)
			fprintf(to, "%s: %s\n", m->columns[p].platform,
				m->columns[p].results.where);
	return ferror(to) ? PAPI_ESYS : 0;
}

/* A column of its own, even if one of that name is there. */
static struct column *add_column(const struct console *console,
				 struct matrix *m)
{
	if (array_grow(&m->columns, m->n, sizeof(*m->columns))) {
		say_error(console, "out of memory");
		return NULL;
	}
	m->columns[m->n] = (struct column){ .platform = "" };
	return &m->columns[m->n++];
}

static int add_kept(const struct console *console, struct matrix *m)
{
	char **platforms = NULL;
	size_t n = 0;
	int status = 0;

	if (validated_platforms(&platforms, &n))
		return say_no_memory(console);
	for (size_t p = 0; p < n && !status; p++) {
		struct column *column = add_column(console, m);

		if (column) {
			snprintf(column->platform, sizeof(column->platform),
				 "%s", platforms[p]);
			validated_load(platforms[p], &column->results);
		}
		status = column ? 0 : CMD_FAILED;
	}
	fs_free_names(platforms, n);
	return status;
}

static int add_file(const struct console *console, struct matrix *m,
		    const char *path)
{
	struct column *column = add_column(console, m);
	struct diag diag = { .text = "" };

	if (!column)
		return CMD_FAILED;
	if (!validated_read(path, column->platform, &column->results, &diag))
		return 0;
	return say_failure(console, "%s", diag.text);
}

int validate_show_matrix(const struct output *output, char **files, size_t n)
{
	struct matrix m = { 0 };
	int status = add_kept(output->console, &m);

	for (size_t i = 0; i < n && !status; i++)
		status = add_file(output->console, &m, files[i]);
	if (!status && m.n == 0) {
		say_error(
			output->console,
			"nothing has been validated yet; run 'assay validate'");
		status = CMD_NOTHING;
	} else if (!status) {
		status = output_write(output, write_matrix, &m, stdout, CMD_OK);
	}
	for (size_t p = 0; p < m.n; p++)
		validated_fini(&m.columns[p].results);
	free(m.columns);
	return status;
}
