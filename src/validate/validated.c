/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of validation, kept and found again. */

#include "validate/validated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "console/kept.h"

#define MAGIC "assay-validation 1\n"

const struct validated_event *validated_find(const struct validated *v,
					     const char *event)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->events[i].event, event) == 0)
			return &v->events[i];
	return NULL;
}

int validated_load(const char *platform, struct validated *out)
{
	char *path = kept_path(KEPT_VALIDATION, platform);
	char *text = NULL, *line, *next = NULL;
	size_t len;
	int err = 0;

	*out = (struct validated){ 0 };
	if (!path || access(path, R_OK) || file_read(path, &text, &len, NULL) ||
	    strncmp(text, MAGIC, strlen(MAGIC)) != 0)
		goto done;
	for (line = strtok_r(text + strlen(MAGIC), "\n", &next); line && !err;
	     line = strtok_r(NULL, "\n", &next)) {
		struct validated_event e;

		if (strncmp(line, "# ", 2) == 0)
			snprintf(out->where, sizeof(out->where), "%s",
				 line + 2);
		if (sscanf(line, "%63s %7s %lf", e.event, e.verdict,
			   &e.off_pct) != 3)
			continue;
		err = array_add(out->events, out->n, e);
	}
done:
	free(text);
	free(path);
	return err;
}

void validated_fini(struct validated *v)
{
	free(v->events);
	*v = (struct validated){ 0 };
}

/* By how much its own kernel is off; NaN if that is right and others are not.
 */
static double worst(const struct validate_event *event)
{
	double pct = event->finding ? NAN : 0;

	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		if (event->rows[i].verdict != VERDICT_NONE &&
		    (i >= 3 || event->rows[3].verdict == VERDICT_NONE) &&
		    fabs(event->rows[i].corrected_pct) > fabs(pct))
			pct = event->rows[i].corrected_pct;
	return pct;
}

static bool is_new(const struct validation *v, const char *event)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->events[i].name, event) == 0)
			return true;
	return false;
}

/* What is kept, and what was kept before. */
struct results {
	const struct validation *now;
	const struct validated *old;
};

static int write_all(const void *what, const struct report_style *style,
		     FILE *to)
{
	const struct validation *v = ((const struct results *)what)->now;
	const struct validated *old = ((const struct results *)what)->old;
	char when[32];
	time_t now = time(NULL);
	struct tm local;

	(void)style;
	fputs(MAGIC, to);
	if (localtime_r(&now, &local) &&
	    strftime(when, sizeof(when), "%Y-%m-%d", &local))
		fprintf(to, "# %s, %s\n", when, v->where);
	for (size_t i = 0; i < old->n; i++)
		if (!is_new(v, old->events[i].event))
			fprintf(to, "%s %s %.6g\n", old->events[i].event,
				old->events[i].verdict, old->events[i].off_pct);
	for (size_t i = 0; i < v->n; i++)
		fprintf(to, "%s %s %.6g\n", v->events[i].name,
			validate_verdicts[v->events[i].verdict],
			worst(&v->events[i]));
	return ferror(to) ? PAPI_ESYS : 0;
}

int validated_save(const struct validation *v, struct diag *diag)
{
	struct validated old = { 0 };
	struct results results = { v, &old };
	int err = validated_load(v->platform, &old);

	if (!err)
		err = kept_write(KEPT_VALIDATION, v->platform, write_all,
				 &results, diag);
	else
		diag_fail(diag, err, "out of memory");
	validated_fini(&old);
	return err;
}

const char *validated_off(const struct validated_event *e, char *text)
{
	if (isnan(e->off_pct))
		snprintf(text, VALIDATED_CAPACITY,
			 "wrong in other kernels than its own");
	else
		snprintf(text, VALIDATED_CAPACITY, "off by %.3g %%",
			 e->off_pct);
	return text;
}

const char *validated_phrase(const struct validated *v, const char *event,
			     char *text, size_t capacity)
{
	const struct validated_event *e = validated_find(v, event);
	char off[VALIDATED_CAPACITY];

	if (!e || strcmp(e->verdict, "none") == 0)
		snprintf(text, capacity, "not validated here");
	else if (strcmp(e->verdict, "pass") == 0)
		snprintf(text, capacity, "validated here");
	else
		snprintf(text, capacity, "%s here", validated_off(e, off));
	return text;
}

int validated_platforms(char ***names, size_t *n)
{
	return kept_names(KEPT_VALIDATION, names, n);
}
