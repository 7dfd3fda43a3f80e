/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance files, put together to runs. */

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "record/record.h"
#include "view/view.h"

#define MOST_COLUMNS 2000 /* different names of data in a run */

static void run_free(struct view_run *run)
{
	for (size_t i = 0; i < run->n_sections; i++) {
		struct view_section *s = &run->sections[i];

		while (s->n > 0)
			free(s->rows[--s->n].values);
		free(s->rows);
	}
	free(run->sections);
	map_fini(&run->section_index);
	free(run->columns);
	map_fini(&run->column_index);
	free(run->problems);
	free(run->remarks);
	free(run->paths);
	free(run->tasks);
	taskfile_merge_free(run->merge);
	texts_fini(&run->texts);
	free(run);
}

void view_fini(struct view *v)
{
	while (v->n_runs > 0)
		run_free(v->runs[--v->n_runs]);
	free(v->runs);
	while (v->n_profiles > 0) {
		struct view_profile *p = &v->profiles[--v->n_profiles];

		profile_fini(&p->profile);
		free(p->sources);
	}
	free(v->profiles);
	free(v->folders);
	map_fini(&v->source_index);
	free(v->sources);
	texts_fini(&v->texts);
	*v = (struct view){ 0 };
}

/* A file while it is read: which run it belongs to is known from its head. */
struct loading {
	struct view *view;
	const char *path;
	char *folder;
	struct view_run *run;
	struct taskfile_sink merge;
	struct diag *diag;
};

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static bool has_task(const struct view_run *run, long task)
{
	for (size_t i = 0; i < run->n_paths; i++)
		if (run->tasks[i] == task)
			return true;
	return false;
}

static bool takes(const struct view_run *run, const struct loading *l,
		  const struct task_head *head)
{
	return head->task >= 0 && !run->merged && !has_task(run, head->task) &&
	       strcmp(run->program, head->program) == 0 &&
	       strcmp(run->folder, l->folder) == 0;
}

static struct view_run *find_run(const struct loading *l,
				 const struct task_head *head)
{
	struct view_run *best = NULL;
	long long least = LLONG_MAX;

	for (size_t i = 0; i < l->view->n_runs; i++) {
		struct view_run *run = l->view->runs[i];
		long long far = llabs(run->started - head->started);

		if (takes(run, l, head) && far <= least) {
			best = run;
			least = far;
		}
	}
	return best;
}

static int add_run(struct loading *l, const struct task_head *head)
{
	struct view *v = l->view;
	struct view_run *run = calloc(1, sizeof(*run));

	if (!run || array_add(v->runs, v->n_runs, run)) {
		free(run);
		return PAPI_ENOMEM;
	}
	run->program = texts_copy(&run->texts, head->program);
	run->folder = texts_copy(&run->texts, l->folder);
	run->started = head->started;
	run->merged = head->task < 0;
	l->run = run;
	return run->texts.failed ? PAPI_ENOMEM
				 : taskfile_merge_new(&run->merge);
}

static int take_head(void *context, const struct task_head *head)
{
	struct loading *l = context;
	struct view_run *run;
	int err = 0;

	l->run = find_run(l, head);
	if (!l->run)
		err = add_run(l, head);
	if (err)
		return err;
	run = l->run;
	if (array_grow(&run->tasks, run->n_paths, sizeof(*run->tasks)))
		return PAPI_ENOMEM;
	run->tasks[run->n_paths] = head->task;
	if (array_add(run->paths, run->n_paths,
		      texts_copy(&run->texts, l->path)))
		return PAPI_ENOMEM;
	l->merge = taskfile_merge_sink(run->merge);
	return l->merge.head(l->merge.context, head);
}

static int take_event(void *context, const struct task_event *event)
{
	struct loading *l = context;

	return l->merge.event(l->merge.context, event);
}

/* The same mistake in every task is one, that often. */
static struct view_problem *find_problem(struct view_run *run,
					 const struct task_problem *problem)
{
	for (size_t i = 0; i < run->n_problems; i++) {
		struct view_problem *p = &run->problems[i];

		if (p->id == problem->id && p->line == problem->line &&
		    strcmp(p->what, problem->what) == 0 &&
		    strcmp(p->file, problem->file) == 0)
			return p;
	}
	return NULL;
}

static int take_problem(void *context, const struct task_problem *problem)
{
	struct view_run *run = ((struct loading *)context)->run;
	struct view_problem *p = find_problem(run, problem), added;

	if (p) {
		p->count += problem->count;
		return 0;
	}
	added = (struct view_problem){
		.what = texts_copy(&run->texts, problem->what),
		.file = texts_copy(&run->texts, problem->file),
		.id = problem->id,
		.line = problem->line,
		.count = problem->count,
	};
	return array_add(run->problems, run->n_problems, added);
}

/* Tasks of one run have most of them in common: each is kept once. */
static int take_remark(void *context, const char *name, const char *text)
{
	struct view_run *run = ((struct loading *)context)->run;
	struct view_remark r;

	for (size_t i = 0; i < run->n_remarks; i++)
		if (strcmp(run->remarks[i].name, name) == 0 &&
		    (*name || strcmp(run->remarks[i].text, text) == 0))
			return 0;
	r.name = texts_copy(&run->texts, name);
	r.text = texts_copy(&run->texts, text);
	return array_add(run->remarks, run->n_remarks, r);
}

/* Where the datum @name stands in rows; @hint is where it probably does. */
static int find_column(struct view_run *run, const char *name, size_t hint,
		       size_t *out)
{
	const char *copy;

	if (hint < run->n_columns && strcmp(run->columns[hint], name) == 0) {
		*out = hint;
		return 0;
	}
	if (map_find(&run->column_index, name, out))
		return 0;
	if (run->n_columns == MOST_COLUMNS)
		return PAPI_ECOUNT;
	*out = run->n_columns;
	copy = texts_copy(&run->texts, name);
	if (array_add(run->columns, run->n_columns, copy))
		return PAPI_ENOMEM;
	return map_set(&run->column_index, copy, *out);
}

static int find_section(struct view_run *run, const struct task_section *from,
			struct view_section **out)
{
	struct view_section added = { 0 };
	char *key = str_format("%s\n%s\n%s\n%ld", from->lid, from->label,
			       from->kind, from->id);
	size_t i = run->n_sections;

	if (!key)
		return PAPI_ENOMEM;
	if (map_find(&run->section_index, key, &i)) {
		free(key);
		*out = &run->sections[i];
		return 0;
	}
	added.key = texts_take(&run->texts, key);
	if (array_add(run->sections, run->n_sections, added))
		return PAPI_ENOMEM;
	*out = &run->sections[i];
	return map_set(&run->section_index, added.key, i);
}

static int fill_row(struct view_run *run, const struct task_section *section,
		    struct view_row *row)
{
	for (size_t i = 0; i < section->n; i++) {
		size_t column;
		int err = find_column(run, section->data[i].name, i, &column);

		if (err)
			return err;
		if (column >= row->n) {
			size_t n = run->n_columns > section->n ? run->n_columns
							       : section->n;
			long double *more =
				realloc(row->values, n * sizeof(*more));

			if (!more)
				return PAPI_ENOMEM;
			for (size_t k = row->n; k < n; k++)
				more[k] = NAN;
			row->values = more;
			row->n = n;
		}
		row->values[column] = section->data[i].value;
	}
	return 0;
}

static int take_section(void *context, const struct task_section *section)
{
	struct loading *l = context;
	struct view_row row = { section->task, section->tid, NULL, 0 };
	struct view_section *s;
	int err = l->merge.section(l->merge.context, section);

	if (!err)
		err = find_section(l->run, section, &s);
	if (err)
		return err;
	if (array_grow(&s->rows, s->n, sizeof(row)))
		return PAPI_ENOMEM;
	err = fill_row(l->run, section, &row);
	if (err) {
		free(row.values);
		return err;
	}
	s->rows[s->n++] = row;
	return 0;
}

#define REPORT_BEGINS "{\n  \"assay\": 1," /* the JSON of verbs */
#define COUNT_BEGINS  REPORT_BEGINS "\n  \"command\":"

/* A file of ordinary size, and whether it begins as a profile does. */
static int look_at(const char *path, bool *is_profile, struct diag *diag)
{
	char text[64] = "";
	struct stat st;
	FILE *from = fopen(path, "re");

	if (!from)
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				 strerror(errno));
	if (fstat(fileno(from), &st) == 0 && st.st_size > VIEW_FILE_MAX) {
		fclose(from);
		return diag_fail(diag, PAPI_EINVAL,
				 "%s is larger than %ld MB and cannot be "
				 "shown; use 'assay "
				 "merge' to combine files",
				 path, (long)(VIEW_FILE_MAX >> 20));
	}
	text[fread(text, 1, sizeof(text) - 1, from)] = '\0';
	fclose(from);
	*is_profile = record_can_import(text);
	if (strncmp(text, REPORT_BEGINS, strlen(REPORT_BEGINS)) == 0 &&
	    strncmp(text, COUNT_BEGINS, strlen(COUNT_BEGINS)) != 0)
		return diag_fail(diag, PAPI_EINVAL,
				 "%s is the result of another verb, which can "
				 "write a page itself (-o FILE.html); assay "
				 "diff compares two of them",
				 path);
	return 0;
}

int view_add_profile(struct view *v, const char *name, struct profile *profile)
{
	struct view_profile added = { .name = texts_copy(&v->texts, name),
				      .profile = *profile };

	if (v->texts.failed || array_add(v->profiles, v->n_profiles, added))
		return PAPI_ENOMEM;
	*profile = (struct profile){ 0 };
	return 0;
}

static int add_profile(struct view *v, const char *path, struct diag *diag)
{
	struct profile profile;
	int err = record_import(path, &profile, diag);

	if (err)
		return err;
	err = view_add_profile(v, path, &profile);
	if (err)
		profile_fini(&profile);
	return err;
}

static int add_tasks(struct view *v, const char *path, struct diag *diag)
{
	struct loading l = { .view = v, .path = path, .diag = diag };
	struct taskfile_sink sink = {
		.context = &l,
		.head = take_head,
		.event = take_event,
		.problem = take_problem,
		.section = take_section,
		.remark = take_remark,
	};
	int err;

	l.folder = folder_of(path);
	if (!l.folder)
		return PAPI_ENOMEM;
	err = taskfile_load(path, &sink, diag);
	if (!err && l.run)
		err = texts_error(&l.run->texts);
	if (err == PAPI_ECOUNT)
		diag_fail(diag, err, "%s: more than %d names of data", path,
			  MOST_COLUMNS);
	free(l.folder);
	return err;
}

int view_add_file(struct view *v, const char *path, struct diag *diag)
{
	bool is_profile = false;
	OWNED char *folder = folder_of(path);
	int err = folder ? look_at(path, &is_profile, diag) : PAPI_ENOMEM;

	if (!err)
		err = is_profile ? add_profile(v, path, diag)
				 : add_tasks(v, path, diag);
	if (!err)
		err = view_add_folder(v, folder);
	if (err == PAPI_ENOMEM)
		diag_fail(diag, err, "out of memory");
	return err;
}

int view_add_folder(struct view *v, const char *folder)
{
	for (size_t i = 0; i < v->n_folders; i++)
		if (strcmp(v->folders[i], folder) == 0)
			return 0;
	return array_add(v->folders, v->n_folders,
			 texts_copy(&v->texts, folder))
		       ? PAPI_ENOMEM
		       : texts_error(&v->texts);
}

/* The file's name for one file; for many, what their folder tells. */
static int name_run(struct view_run *run)
{
	if (run->n_paths == 1)
		run->name = run->paths[0];
	else if (strcmp(run->folder, ".") == 0)
		run->name = run->program;
	else
		run->name =
			texts_take(&run->texts, str_format("%s/%s", run->folder,
							   run->program));
	return texts_error(&run->texts);
}

const char *view_title(const struct view *v)
{
	if (v->n_runs > 0)
		return v->runs[0]->name;
	return v->n_profiles > 0 ? v->profiles[0].name : "assay";
}

int view_name_runs(struct view *v)
{
	int err = 0;

	for (size_t i = 0; !err && i < v->n_runs; i++)
		err = name_run(v->runs[i]);
	return err;
}

int view_complete(struct view *v)
{
	int err = view_name_runs(v);

	if (!err)
		err = view_match_sections(v);
	return err ? err : view_find_sources(v);
}
