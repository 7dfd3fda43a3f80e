/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sources that performance data names.
 *
 * Data may come from anybody, and what is read here is shown in a page that
 * may be mailed. So a name in it is not enough: only regular files with the
 * name of a source file, after all links, are read. /etc/passwd is none, nor
 * is a link called main.c that leads to it.
 */

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "view/view.h"
#include "write/json.h"

#define LARGEST_SOURCE ((off_t)2 << 20) /* bytes; people write smaller ones */

static const char *const suffixes[] = {
	"c",   "cc",  "cpp", "cxx", "c++", "cu",  "h",   "hh",   "hpp", "hxx",
	"inc", "inl", "f",   "for", "ftn", "f77", "f90", "f95",  "f03", "f08",
	"fpp", "py",  "s",   "asm", "rs",  "go",  "jl",  "ispc",
};

static bool is_source_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');

	if (!dot)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (strcasecmp(dot + 1, suffixes[i]) == 0)
			return true;
	return false;
}

/* Resolve @path if it is a source file that may be read, else NULL. */
static char *resolve(const char *path)
{
	struct stat st;
	char *real = realpath(path, NULL);

	if (!real)
		return NULL;
	if (!is_source_name(real) || stat(real, &st) || !S_ISREG(st.st_mode)) {
		free(real);
		return NULL;
	}
	return real;
}

/* Below @folder, under its name or, where it was moved, its last part. */
static char *look_in(const char *folder, const char *name)
{
	const char *slash = strrchr(name, '/');
	char *path = str_format("%s/%s", folder, name);
	char *real = path ? resolve(path) : NULL;

	free(path);
	if (real || !slash)
		return real;
	path = str_format("%s/%s", folder, slash + 1);
	real = path ? resolve(path) : NULL;
	free(path);
	return real;
}

static void find_source(struct view *v, struct view_source *s)
{
	const char *why = "%s does not have the suffix of a source file: it is "
			  "not read";
	char *path = NULL;

	if (is_source_name(s->name)) {
		why = "%s was not found; use --source DIR to search a "
		      "directory";
		path = resolve(s->name);
		for (size_t i = 0; !path && i < v->n_folders; i++)
			path = look_in(v->folders[i], s->name);
	}
	if (path)
		s->path = texts_take(&v->texts, path);
	else
		s->reason = texts_take(&v->texts, str_format(why, s->name));
}

static int add_source(struct view *v, const char *name)
{
	struct view_source s = { 0 };

	if (!name[0] || map_find(&v->source_index, name, NULL))
		return 0;
	s.name = texts_copy(&v->texts, name);
	find_source(v, &s);
	if (v->texts.failed || map_set(&v->source_index, s.name, v->n_sources))
		return PAPI_ENOMEM;
	return array_add(v->sources, v->n_sources, s);
}

static int take_section(void *context, const struct task_section *section)
{
	return add_source(context, section->file);
}

static int add_profile(struct view *v, struct view_profile *p)
{
	int err = 0;

	p->sources = calloc(p->profile.n_files + 1, sizeof(*p->sources));
	if (!p->sources)
		return PAPI_ENOMEM;
	for (size_t i = 0; !err && i < p->profile.n_files; i++) {
		const char *path = p->profile.files[i].path;

		p->sources[i] = v->n_sources; /* if it has no name */
		err = add_source(v, path);
		map_find(&v->source_index, path, &p->sources[i]);
	}
	return err;
}

int view_find_sources(struct view *v)
{
	struct taskfile_sink sink = { .context = v, .section = take_section };
	int err = 0;

	for (size_t i = 0; !err && i < v->n_runs; i++)
		err = taskfile_merge_give(v->runs[i]->merge, &sink);
	for (size_t i = 0; !err && i < v->n_profiles; i++)
		err = add_profile(v, &v->profiles[i]);
	return err;
}

int view_read_source(const struct view *v, size_t i, char **text, size_t *len,
		     struct diag *diag)
{
	const struct view_source *s = &v->sources[i];
	struct stat st;
	OWNED char *real = NULL;

	if (!s->path)
		return diag_fail(diag, PAPI_EINVAL, "%s", s->reason);
	real = resolve(s->path); /* it may have been replaced meanwhile */
	if (!real || strcmp(real, s->path) != 0)
		return diag_fail(diag, PAPI_EINVAL,
				 "%s has changed since it was listed", s->name);
	if (stat(s->path, &st) == 0 && st.st_size > LARGEST_SOURCE)
		return diag_fail(
			diag, PAPI_EINVAL,
			"%s is larger than %ld bytes and cannot be shown",
			s->name, (long)LARGEST_SOURCE);
	return file_read(s->path, text, len, diag);
}

int view_write_source(const struct view *v, size_t i, FILE *to)
{
	struct diag diag = { 0 };
	OWNED char *text = NULL;
	size_t len;
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	json_string(&j, "name", v->sources[i].name);
	if (view_read_source(v, i, &text, &len, &diag)) {
		json_string(&j, "text", NULL);
		json_string(&j, "reason", diag.text);
	} else {
		json_string(&j, "text", text);
	}
	json_end_object(&j);
	return json_finish(&j);
}
