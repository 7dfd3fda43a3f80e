/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of validation, kept and found again. */

#include "validate/validated.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/fs.h"
#include "base/strbuf.h"

#define MAGIC "assay-validation 1\n"

/* The folder, to be freed; NULL if there is no home. */
static char *folder(void)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && *state == '/')
		return str_format("%s/assay/validation", state);
	if (home && *home == '/')
		return str_format("%s/.local/state/assay/validation", home);
	return NULL;
}

/* The platform as a file's name: a model may be a path. */
static char *path_of(const char *platform)
{
	char *dir = folder();
	char *path = dir ? str_format("%s/%s", dir, platform) : NULL;

	for (char *p = path ? path + strlen(dir) + 1 : NULL; p && *p; p++)
		if (*p == '/')
			*p = '_';
	free(dir);
	return path;
}

static int make_folders(char *path)
{
	for (char *p = path + 1; *p; p++) {
		int failed;

		if (*p != '/')
			continue;
		*p = '\0';
		failed = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
		*p = '/';
		if (failed)
			return failed;
	}
	return 0;
}

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
	char *path = path_of(platform);
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
		err = array_grow(&out->events, out->n, sizeof(e));
		if (!err)
			out->events[out->n++] = e;
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

static double worst(const struct validate_event *event)
{
	double pct = 0;

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

static void write_all(const struct validation *v, const struct validated *old,
		      FILE *to)
{
	char when[32];
	time_t now = time(NULL);
	struct tm local;

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
}

int validated_save(const struct validation *v, struct diag *diag)
{
	struct validated old = { 0 };
	struct outfile *file = NULL;
	char *path = path_of(v->platform);
	int err;

	if (!path)
		return diag_fail(
			diag, PAPI_ESYS,
			"no directory to store results in: HOME is not set");
	err = make_folders(path);
	if (err)
		err = diag_fail(diag, PAPI_ESYS, "cannot create '%s': %s", path,
				strerror(err));
	if (!err)
		err = validated_load(v->platform, &old);
	if (!err)
		err = outfile_open(path, &file, diag);
	if (!err) {
		write_all(v, &old, outfile_stream(file));
		err = outfile_commit(file, diag);
	}
	validated_fini(&old);
	free(path);
	return err;
}

const char *validated_phrase(const struct validated *v, const char *event,
			     char *text, size_t room)
{
	const struct validated_event *e = validated_find(v, event);

	if (!e || strcmp(e->verdict, "none") == 0)
		snprintf(text, room, "not validated here");
	else if (strcmp(e->verdict, "pass") == 0)
		snprintf(text, room, "validated here");
	else
		snprintf(text, room, "off by %.3g %% here", e->off_pct);
	return text;
}

int validated_platforms(char ***names, size_t *n)
{
	struct fs fs = { .root = "" };
	char *dir = folder();
	int err = 0;

	*names = NULL;
	*n = 0;
	if (dir)
		err = fs_list(&fs, dir, names, n);
	free(dir);
	return err;
}
