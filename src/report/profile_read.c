/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the file of docs/formats/profile.md. Such files come from anywhere:
 * every number is checked before it is used as a row, so that those who get
 * the profile need not.
 */

#include "report/profile.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/profile_names.h"

const char *const profile_kind_names[] = { "file",   "vdso",    "anonymous",
					   "kernel", "unknown", NULL };
const char *const profile_symbols_names[] = { "debug", "symtab", "dynsym",
					      "none", NULL };

#define MOST_EVENTS 64
#define MOST_FRAMES 10000              /* of a location */
#define LARGEST     9007199254740992.0 /* whole numbers that doubles hold */

/* The table being read, for messages. */
struct reading {
	struct profile p;
	const char *table;
	size_t row;
	struct diag *diag;
};

static int refuse(const struct reading *r, const char *what)
{
	if (!r->table)
		return diag_fail(r->diag, PAPI_EINVAL, "%s", what);
	return diag_fail(r->diag, PAPI_EINVAL, "%s %zu: %s", r->table, r->row,
			 what);
}

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *text_of(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(member(object, name));

	return text ? text : "";
}

static int take_whole(const struct reading *r, const cJSON *item, uint64_t *out)
{
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
	    item->valuedouble > LARGEST)
		return refuse(r, "a whole number is missing or out of range");
	*out = (uint64_t)item->valuedouble;
	return 0;
}

/* A row of a table that has @n; null is allowed if @optional. */
static int take_row(const struct reading *r, const cJSON *item, size_t n,
		    bool optional, size_t *out)
{
	uint64_t row = 0;
	int err;

	if (optional && (!item || cJSON_IsNull(item))) {
		*out = PROFILE_NONE;
		return 0;
	}
	err = take_whole(r, item, &row);
	if (err)
		return err;
	if (row >= n)
		return refuse(r, "it names a row that is not there");
	*out = (size_t)row;
	return 0;
}

static long line_of(const cJSON *item)
{
	double line = cJSON_IsNumber(item) ? item->valuedouble : 0;

	return line > 0 && line < 1e9 ? (long)line : 0;
}

/* Which of @names @text is; @otherwise if none. */
static unsigned word_of(const char *const *names, const char *text,
			unsigned otherwise)
{
	for (unsigned i = 0; names[i]; i++)
		if (strcmp(names[i], text) == 0)
			return i;
	return otherwise;
}

static int read_event(struct reading *r, const cJSON *item)
{
	const cJSON *value = member(item, "value");
	struct profile_event e = {
		.name = (char *)text_of(item, "name"),
		.unit = (char *)text_of(item, "unit"),
		.source = (char *)text_of(item, "source"),
		.exact = cJSON_IsTrue(member(item, "exact")),
		.value = cJSON_IsNumber(value) ? value->valuedouble : NAN,
	};
	int err = take_whole(r, member(item, "period"), &e.period);

	if (!err && (!*e.name || e.period == 0))
		err = refuse(r, "an event needs a name and a period");
	if (!err && r->p.n_events == MOST_EVENTS)
		err = refuse(r, "there are more events than a profile can "
				"have");
	return err ? err : profile_add_event(&r->p, &e);
}

static int read_thread(struct reading *r, const cJSON *item)
{
	struct profile_thread t = { .name = (char *)text_of(item, "name") };
	uint64_t pid = 0, tid = 0;
	int err = take_whole(r, member(item, "pid"), &pid);

	if (!err)
		err = take_whole(r, member(item, "tid"), &tid);
	if (err)
		return err;
	t.pid = (long)pid;
	t.tid = (long)tid;
	return profile_add_thread(&r->p, &t, NULL);
}

static int read_object(struct reading *r, const cJSON *item)
{
	struct profile_object o = {
		.path = (char *)text_of(item, "path"),
		.kind = word_of(profile_kind_names, text_of(item, "kind"),
				PROFILE_UNKNOWN),
		.build_id = cJSON_GetStringValue(member(item, "build_id")),
		.symbols =
			word_of(profile_symbols_names, text_of(item, "symbols"),
				PROFILE_NO_SYMBOLS),
	};

	return profile_add_object(&r->p, &o, NULL);
}

static int read_file(struct reading *r, const cJSON *item)
{
	return profile_add_file(&r->p, text_of(item, "path"),
				cJSON_IsTrue(member(item, "found")), NULL);
}

static int read_function(struct reading *r, const cJSON *item)
{
	const cJSON *address = member(item, "address");
	struct profile_function f = {
		.name = (char *)text_of(item, "name"),
		.line = line_of(member(item, "line")),
		.inlined = !address || cJSON_IsNull(address),
	};
	int err = take_row(r, member(item, "object"), r->p.n_objects, false,
			   &f.object);

	if (!err)
		err = take_row(r, member(item, "file"), r->p.n_files, true,
			       &f.file);
	if (!err && !f.inlined)
		err = take_whole(r, address, &f.address);
	if (!err && member(item, "size"))
		err = take_whole(r, member(item, "size"), &f.bytes);
	if (!err && !*f.name)
		err = refuse(r, "a function needs a name");
	return err ? err : profile_add_function(&r->p, &f, NULL);
}

static int read_frame(struct reading *r, const cJSON *item,
		      struct profile_frame *frame)
{
	int err = take_row(r, cJSON_GetArrayItem(item, 0), r->p.n_functions,
			   false, &frame->function);

	if (!err)
		err = take_row(r, cJSON_GetArrayItem(item, 1), r->p.n_files,
			       true, &frame->file);
	frame->line = line_of(cJSON_GetArrayItem(item, 2));
	return err;
}

static int read_frames(struct reading *r, const cJSON *list,
		       struct profile_location *l)
{
	int n = cJSON_GetArraySize(list);
	const cJSON *item;
	int err = 0;

	if (!cJSON_IsArray(list) || n < 1 || n > MOST_FRAMES)
		return refuse(r, "a location needs its frames");
	l->frames = calloc((size_t)n, sizeof(*l->frames));
	if (!l->frames)
		return PAPI_ENOMEM;
	cJSON_ArrayForEach(item, list)
	{
		err = read_frame(r, item, &l->frames[l->n++]);
		if (err)
			break;
	}
	return err;
}

static int read_location(struct reading *r, const cJSON *item)
{
	struct profile_location l = { .bytes = 1 };
	int err = take_row(r, member(item, "object"), r->p.n_objects, false,
			   &l.object);

	if (!err)
		err = take_whole(r, member(item, "address"), &l.address);
	if (!err && member(item, "bytes"))
		err = take_whole(r, member(item, "bytes"), &l.bytes);
	if (!err)
		err = read_frames(r, member(item, "frames"), &l);
	if (!err)
		err = profile_add_location(&r->p, &l, NULL);
	free(l.frames);
	return err;
}

static int read_stack(struct reading *r, const cJSON *item)
{
	struct profile_stack s;
	size_t row;
	int err = take_row(r, cJSON_GetArrayItem(item, 0), r->p.n_stacks, true,
			   &s.caller);

	if (!err)
		err = take_row(r, cJSON_GetArrayItem(item, 1), r->p.n_locations,
			       false, &s.location);
	if (!err)
		err = profile_find_stack(&r->p, s.caller, s.location, &row);
	if (!err && row != r->row)
		err = refuse(r, "it is there twice");
	return err;
}

static int read_sample(struct reading *r, const cJSON *item)
{
	const cJSON *counts = member(item, "counts"), *count;
	size_t thread, stack, event = 0;
	int err = take_row(r, member(item, "thread"), r->p.n_threads, false,
			   &thread);

	if (!err)
		err = take_row(r, member(item, "stack"), r->p.n_stacks, false,
			       &stack);
	if (!err && (!cJSON_IsArray(counts) ||
		     cJSON_GetArraySize(counts) != (int)r->p.n_events))
		err = refuse(r, "it needs a count for each event");
	if (err)
		return err;
	cJSON_ArrayForEach(count, counts)
	{
		uint64_t n = 0;

		err = take_whole(r, count, &n);
		if (!err)
			err = profile_add_samples(&r->p, thread, stack, event++,
						  n);
		if (err)
			return err;
	}
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct reading *r, const cJSON *item);
} tables[] = {
	/* each after those that it names rows of */
	{ "events", read_event },       { "threads", read_thread },
	{ "objects", read_object },     { "files", read_file },
	{ "functions", read_function }, { "locations", read_location },
	{ "stacks", read_stack },       { "samples", read_sample },
};

static int read_table(struct reading *r, const cJSON *list, size_t i)
{
	const cJSON *item;
	int err;

	r->table = tables[i].name;
	r->row = 0;
	if (!cJSON_IsArray(list))
		return diag_fail(r->diag, PAPI_EINVAL, "it has no table '%s'",
				 tables[i].name);
	cJSON_ArrayForEach(item, list)
	{
		err = tables[i].read(r, item);
		if (err)
			return err;
		r->row++;
	}
	r->table = NULL;
	return 0;
}

static int read_strings(struct reading *r, const cJSON *list,
			int (*add)(struct profile *p, const char *text))
{
	const cJSON *item;
	int err = 0;

	cJSON_ArrayForEach(item, list)
	{
		if (!err && cJSON_IsString(item))
			err = add(&r->p, item->valuestring);
	}
	return err;
}

static int read_head(struct reading *r, const cJSON *root)
{
	const cJSON *pmu = member(root, "pmu"), *time = member(root, "time");
	const cJSON *exit = member(root, "exit"),
		    *wall = member(time, "wall_s"),
		    *lost = member(root, "lost");
	const char *model = cJSON_GetStringValue(member(pmu, "model"));

	r->p.exit = cJSON_IsNumber(exit) ? exit->valueint : -1;
	r->p.wall_s = cJSON_IsNumber(wall) ? wall->valuedouble : NAN;
	r->p.native = cJSON_IsTrue(member(time, "native"));
	r->p.pmu = strdup(text_of(pmu, "kind"));
	r->p.model = model ? strdup(model) : NULL;
	if (!r->p.pmu || (model && !r->p.model))
		return PAPI_ENOMEM;
	if (lost && take_whole(r, lost, &r->p.lost))
		return PAPI_EINVAL;
	return 0;
}

static int read_root(struct reading *r, const cJSON *root)
{
	const cJSON *version = member(root, "assay_profile");
	int err;

	if (!cJSON_IsNumber(version))
		return refuse(r, "it is JSON, but not a profile");
	if (version->valueint != 1)
		return refuse(r, "it is a profile of another version than 1");
	err = read_head(r, root);
	if (!err)
		err = read_strings(r, member(root, "command"),
				   profile_add_word);
	if (!err)
		err = read_strings(r, member(root, "notes"), profile_add_note);
	for (size_t i = 0; !err && i < sizeof(tables) / sizeof(*tables); i++)
		err = read_table(r, member(root, tables[i].name), i);
	return err;
}

static size_t line_at(const char *text, const char *at)
{
	size_t line = 1;

	for (; at && text < at; text++)
		line += *text == '\n';
	return line;
}

int profile_parse(const char *text, const char *name, struct profile *out,
		  struct diag *diag)
{
	struct reading r = { .diag = diag };
	const char *end = NULL;
	cJSON *root = cJSON_ParseWithOpts(text, &end, true);
	int err;

	err = root ? read_root(&r, root)
		   : diag_fail(diag, PAPI_EINVAL, "not JSON from here on");
	if (err == PAPI_ENOMEM)
		diag_fail(diag, err, "out of memory");
	if (err && diag) {
		diag->file = name;
		diag->line = root ? 0 : line_at(text, end);
	}
	cJSON_Delete(root);
	if (err)
		profile_fini(&r.p);
	else
		*out = r.p;
	return err;
}

int profile_read(const char *path, struct profile *out, struct diag *diag)
{
	size_t len;
	char *text;
	int err = file_read(path, &text, &len, diag);

	if (err)
		return err;
	err = profile_parse(text, path, out, diag);
	free(text);
	return err;
}

bool profile_is_one(const char *text)
{
	text += strspn(text, " \t\r\n");
	if (*text != '{')
		return false;
	text++;
	text += strspn(text, " \t\r\n");
	return strncmp(text, "\"assay_profile\"", 15) == 0;
}
