/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading CSV line by line. */

#include "metricfile/csv.h"

#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

int csv_refuse(const struct csv *csv, const char *what, struct diag *diag)
{
	diag->file = csv->path;
	diag->line = csv->number;
	return diag_fail_at(diag, PAPI_EINVAL, csv->column, "%s", what);
}

static int grow(struct csv *csv, struct diag *diag)
{
	size_t capacity = csv->capacity ? csv->capacity * 2 : 256;
	char *line;

	/* so that a device is no trap */
	if (csv->capacity >= FILE_READ_MAX)
		return diag_fail(diag, PAPI_EINVAL,
				 "%s: line %zu exceeds %zu bytes", csv->path,
				 csv->number + 1, FILE_READ_MAX);
	line = realloc(csv->line, capacity);
	if (!line)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	csv->line = line;
	csv->capacity = capacity;
	return 0;
}

int csv_next_line(struct csv *csv, struct diag *diag)
{
	size_t n = 0;
	int c, err;

	while ((c = getc_unlocked(csv->from)) != EOF && c != '\n') {
		if (n + 1 >= csv->capacity && (err = grow(csv, diag)))
			return err;
		csv->line[n++] = (char)c;
	}
	if (ferror(csv->from))
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s",
				 csv->path, strerror(errno));
	if (c == EOF && n == 0)
		return 0;
	if (!csv->capacity && (err = grow(csv, diag)))
		return err;
	while (n > 0 && csv->line[n - 1] == '\r')
		n--;
	csv->line[n] = '\0';
	csv->number++;
	csv->at = csv->line;
	csv->column = 1;
	return 1;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return text;
}

/* A field in quotes, which @from is behind; NULL if it does not end well. */
static char *cut_quoted(struct csv *csv, char *from)
{
	char *in = from, *out = from;

	for (; *in && (*in != '"' || in[1] == '"'); in++) {
		in += *in == '"';
		*out++ = *in;
	}
	if (!*in)
		return NULL;
	in++;
	in += strspn(in, " \t");
	if (*in && *in != ',')
		return NULL;
	csv->at = *in ? in + 1 : NULL;
	*out = '\0';
	return from;
}

int csv_next_field(struct csv *csv, char **field, struct diag *diag)
{
	char *from = csv->at;

	csv->column = (size_t)(from - csv->line) + 1;
	from += strspn(from, " \t");
	if (*from == '"') {
		*field = cut_quoted(csv, from + 1);
		return *field ? 0
			      : csv_refuse(csv, "this quote is never closed",
					   diag);
	}
	csv->at = strchr(from, ',');
	if (csv->at)
		*csv->at++ = '\0';
	*field = trim(from);
	return 0;
}

bool csv_number(const char *field, double *value)
{
	char *end;

	if (!*field) {
		*value = NAN;
		return true;
	}
	*value = strtod(field, &end);
	return end != field && !*end && !isinf(*value);
}

void csv_fini(struct csv *csv)
{
	free(csv->line);
	csv->line = NULL;
}
