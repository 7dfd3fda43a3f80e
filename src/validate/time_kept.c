/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found about a model's cycles here, kept for reports to quote. */

#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/fs.h"
#include "console/kept.h"
#include "host/cpu.h"
#include "validate/time.h"

#define MAGIC "assay-time 1\n"

static int write_kept(const void *what, const struct report_style *style,
		      FILE *to)
{
	const struct time_table *table = what;
	struct time_sum programs = time_sum_of(table, "program");
	struct time_sum kernels = time_sum_of(table, "kernel");
	const struct time_sum *sum = programs.n ? &programs : &kernels;

	(void)style;
	fprintf(to, MAGIC "%s\n%s %zu %.4f %.4f\n", table->where,
		programs.n ? "programs" : "kernels", sum->n, sum->median,
		sum->worst);
	return ferror(to) ? PAPI_ESYS : 0;
}

int time_save(const struct time_table *table, struct diag *diag)
{
	return kept_write(KEPT_TIMES, table->model, write_kept, table, diag);
}

/* Whether the second line of @text is of the processor that is here. */
static bool is_here(const char *text)
{
	struct fs fs = { .root = "" };
	struct host_cpu cpu = { 0 };
	char where[160];

	if (cpu_read(&fs, &cpu))
		return false;
	snprintf(where, sizeof(where), "%s family %u model %u\n", cpu.name,
		 cpu.family, cpu.model);
	return strncmp(text, where, strlen(where)) == 0;
}

bool time_load(const char *model, struct time_kept *kept)
{
	char *path = kept_path(KEPT_TIMES, model);
	char *text = NULL;
	char kind[16];
	bool found = false;
	size_t len;

	if (path && access(path, R_OK) == 0 &&
	    !file_read(path, &text, &len, NULL) &&
	    strncmp(text, MAGIC, strlen(MAGIC)) == 0 &&
	    is_here(text + strlen(MAGIC))) {
		const char *last = strchr(text + strlen(MAGIC), '\n');

		found = last && sscanf(last, "%15s %zu %lf %lf", kind, &kept->n,
				       &kept->median, &kept->worst) == 4;
		kept->programs = found && strcmp(kind, "programs") == 0;
	}
	free(text);
	free(path);
	return found;
}
