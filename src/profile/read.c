/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the file of docs/formats/profile.md. Such files come from anywhere:
 * every number is checked before it is used as a row, so that those who get
 * the profile need not.
 */

#include "profile/profile.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/tree.h"
#include "profile/inside.h"

const char *const profile_kind_names[] = { "file",   "vdso",    "anonymous",
					   "kernel", "unknown", NULL };
const char *const profile_symbols_names[] = { "debug", "symtab", "dynsym",
					      "none", NULL };

#define MOST_EVENTS 64
#define MOST_FRAMES 10000 /* of a location */
#define MOST_BINS   65536 /* of the timeline */

/* The table being read, for messages. */
struct reading {
	struct profile p;
	const char *table;
	size_t row;
	size_t bins; /* of the timeline; 0: there is none */
	struct diag *diag;
};

static int refuse(const struct reading *r, const char *what)
{
	if (!r->table)
		return diag_fail(r->diag, PAPI_EINVAL, "%s", what);
	return diag_fail(r->diag, PAPI_EINVAL, "%s %zu: %s", r->table, r->row,
			 what);
}

static const char *text_of(const struct tree *object, const char *name)
{
	const char *text = tree_text(object, name);

	return text ? text : "";
}

static int take_whole(const struct reading *r, const struct tree *item,
		      uint64_t *out)
{
	long double value = tree_count(item);

	if (!(value >= 0 && value < 0x1p64L))
		return refuse(r, "an integer is missing or out of range");
	*out = (uint64_t)value;
	return 0;
}

/* A row of a table that has @n; null is allowed if @optional. */
static int take_row(const struct reading *r, const struct tree *item, size_t n,
		    bool optional, size_t *out)
{
	uint64_t row = 0;
	int err;

	if (optional && tree_is(item, TREE_NULL)) {
		*out = PROFILE_NONE;
		return 0;
	}
	err = take_whole(r, item, &row);
	if (err)
		return err;
	if (row >= n)
		return refuse(r, "it refers to a row that does not exist");
	*out = (size_t)row;
	return 0;
}

static long line_of(const struct tree *item)
{
	double line = tree_number(item);

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

static int read_event(struct reading *r, const struct tree *item)
{
	struct profile_event e = {
		.name = text_of(item, "name"),
		.unit = text_of(item, "unit"),
		.source = text_of(item, "source"),
		.exact = tree_is(tree_member(item, "exact"), TREE_TRUE),
		.value = tree_count(tree_member(item, "value")),
	};
	int err = take_whole(r, tree_member(item, "period"), &e.period);

	if (!err && (!*e.name || e.period == 0))
		err = refuse(r, "an event needs a name and a period");
	if (!err && r->p.n_events == MOST_EVENTS)
		err = refuse(r, "there are more events than a profile can "
				"have");
	return err ? err : profile_add_event(&r->p, &e);
}

static int read_thread(struct reading *r, const struct tree *item)
{
	struct profile_thread t = { .name = text_of(item, "name") };
	uint64_t pid = 0, tid = 0;
	int err = take_whole(r, tree_member(item, "pid"), &pid);

	if (!err)
		err = take_whole(r, tree_member(item, "tid"), &tid);
	if (err)
		return err;
	t.pid = (long)pid;
	t.tid = (long)tid;
	return profile_add_thread(&r->p, &t, NULL);
}

static int read_object(struct reading *r, const struct tree *item)
{
	struct profile_object o = {
		.path = text_of(item, "path"),
		.kind = word_of(profile_kind_names, text_of(item, "kind"),
				PROFILE_UNKNOWN),
		.build_id = tree_text(item, "build_id"),
		.symbols =
			word_of(profile_symbols_names, text_of(item, "symbols"),
				PROFILE_NO_SYMBOLS),
	};

	return profile_add_object(&r->p, &o, NULL);
}

static int read_file(struct reading *r, const struct tree *item)
{
	return profile_add_file(&r->p, text_of(item, "path"),
				tree_is(tree_member(item, "found"), TREE_TRUE),
				NULL);
}

static int read_function(struct reading *r, const struct tree *item)
{
	const struct tree *address = tree_member(item, "address");
	struct profile_function f = {
		.name = text_of(item, "name"),
		.line = line_of(tree_member(item, "line")),
		.inlined = tree_is(address, TREE_NULL),
	};
	int err = take_row(r, tree_member(item, "object"), r->p.n_objects,
			   false, &f.object);

	if (!err)
		err = take_row(r, tree_member(item, "file"), r->p.n_files, true,
			       &f.file);
	if (!err && !f.inlined)
		err = take_whole(r, address, &f.address);
	if (!err && tree_member(item, "size"))
		err = take_whole(r, tree_member(item, "size"), &f.bytes);
	if (!err && !*f.name)
		err = refuse(r, "a function needs a name");
	return err ? err : profile_add_function(&r->p, &f, NULL);
}

static int read_frame(struct reading *r, const struct tree *item,
		      struct profile_frame *frame)
{
	int err = take_row(r, tree_item(item, 0), r->p.n_functions, false,
			   &frame->function);

	if (!err)
		err = take_row(r, tree_item(item, 1), r->p.n_files, true,
			       &frame->file);
	frame->line = line_of(tree_item(item, 2));
	return err;
}

static int read_frames(struct reading *r, const struct tree *list,
		       struct profile_location *l)
{
	int err = 0;

	if (!tree_is(list, TREE_ARRAY) || list->n < 1 || list->n > MOST_FRAMES)
		return refuse(r, "a location needs its frames");
	l->frames = calloc(list->n, sizeof(*l->frames));
	if (!l->frames)
		return PAPI_ENOMEM;
	for (size_t i = 0; !err && i < list->n; i++)
		err = read_frame(r, &list->items[i], &l->frames[l->n++]);
	return err;
}

static int read_location(struct reading *r, const struct tree *item)
{
	struct profile_location l = { .bytes = 1 };
	int err = take_row(r, tree_member(item, "object"), r->p.n_objects,
			   false, &l.object);

	if (!err)
		err = take_whole(r, tree_member(item, "address"), &l.address);
	if (!err && tree_member(item, "bytes"))
		err = take_whole(r, tree_member(item, "bytes"), &l.bytes);
	if (!err)
		err = read_frames(r, tree_member(item, "frames"), &l);
	if (!err)
		err = profile_add_location(&r->p, &l, NULL);
	free(l.frames);
	return err;
}

static int read_stack(struct reading *r, const struct tree *item)
{
	struct profile_stack s;
	size_t row;
	int err =
		take_row(r, tree_item(item, 0), r->p.n_stacks, true, &s.caller);

	if (!err)
		err = take_row(r, tree_item(item, 1), r->p.n_locations, false,
			       &s.location);
	if (!err)
		err = profile_find_stack(&r->p, s.caller, s.location, &row);
	if (!err && row != r->row)
		err = refuse(r, "it is given twice");
	return err;
}

/* "bin, samples, bin, samples ...", as many samples as @counted. */
static int read_bins(struct reading *r, const struct tree *list,
		     const struct profile_place *place, uint64_t counted)
{
	uint64_t bin = 0, n = 0, sum = 0, last = 0;
	int err = 0;

	if (!tree_is(list, TREE_ARRAY) || list->n % 2)
		return refuse(r, "the times of its samples are missing");
	for (size_t i = 0; !err && i < list->n; i += 2) {
		err = take_whole(r, &list->items[i], &bin);
		if (!err)
			err = take_whole(r, &list->items[i + 1], &n);
		if (!err && (bin >= r->bins || (i && bin <= last)))
			err = refuse(r, "its times are not in order");
		if (!err)
			err = profile_add_to_bin(&r->p, place, (size_t)bin, n);
		last = bin;
		sum += n;
	}
	if (!err && sum != counted)
		err = refuse(r, "its times are not those of all its samples");
	return err;
}

static int read_counts(struct reading *r, const struct tree *counts,
		       const struct tree *times, struct profile_place place)
{
	int err = 0;

	for (place.event = 0; !err && place.event < counts->n; place.event++) {
		uint64_t n = 0;

		err = take_whole(r, &counts->items[place.event], &n);
		if (!err && r->bins)
			err = read_bins(r, tree_item(times, place.event),
					&place, n);
		else if (!err)
			err = profile_add_samples(&r->p, place.thread,
						  place.stack, place.event, n);
	}
	return err;
}

static int read_sample(struct reading *r, const struct tree *item)
{
	const struct tree *counts = tree_member(item, "counts");
	struct profile_place place;
	int err = take_row(r, tree_member(item, "thread"), r->p.n_threads,
			   false, &place.thread);

	if (!err)
		err = take_row(r, tree_member(item, "stack"), r->p.n_stacks,
			       false, &place.stack);
	if (!err &&
	    (!tree_is(counts, TREE_ARRAY) || counts->n != r->p.n_events))
		err = refuse(r, "it needs a count for each event");
	return err ? err
		   : read_counts(r, counts, tree_member(item, "times"), place);
}

static const struct {
	const char *name;
	int (*read)(struct reading *r, const struct tree *item);
} tables[] = {
	/* each after those that it names rows of */
	{ "events", read_event },       { "threads", read_thread },
	{ "objects", read_object },     { "files", read_file },
	{ "functions", read_function }, { "locations", read_location },
	{ "stacks", read_stack },       { "samples", read_sample },
};

static int read_table(struct reading *r, const struct tree *list, size_t i)
{
	r->table = tables[i].name;
	if (!tree_is(list, TREE_ARRAY))
		return diag_fail(r->diag, PAPI_EINVAL, "it has no table '%s'",
				 tables[i].name);
	for (r->row = 0; r->row < list->n; r->row++) {
		int err = tables[i].read(r, &list->items[r->row]);

		if (err)
			return err;
	}
	r->table = NULL;
	return 0;
}

static int read_strings(struct reading *r, const struct tree *list,
			int (*add)(struct profile *p, const char *text))
{
	int err = 0;

	for (size_t i = 0; list && !err && i < list->n; i++) {
		const char *text = tree_string(&list->items[i]);

		if (text)
			err = add(&r->p, text);
	}
	return err;
}

static const char *const units[] = { "ns", "cycles", "instructions", NULL };

static int read_timeline(struct reading *r, const struct tree *item)
{
	struct profile_timeline *t = &r->p.timeline;
	unsigned unit =
		word_of(units, text_of(item, "unit"), ARRAY_SIZE(units));
	uint64_t bins = 0;

	if (!tree_is(item, TREE_OBJECT))
		return texts_error(&r->p.texts);
	if (unit >= ARRAY_SIZE(units) ||
	    take_whole(r, tree_member(item, "step"), &t->step) ||
	    take_whole(r, tree_member(item, "bins"), &bins) || !t->step ||
	    !bins || bins > MOST_BINS)
		return refuse(r, "the timeline needs a unit, a step and bins");
	r->bins = (size_t)bins;
	t->unit = units[unit];
	return texts_error(&r->p.texts);
}

static int read_head(struct reading *r, const struct tree *root)
{
	const struct tree *pmu = tree_member(root, "pmu"),
			  *time = tree_member(root, "time");
	const struct tree *lost = tree_member(root, "lost"),
			  *throttled = tree_member(root, "throttled");
	double status = tree_number(tree_member(root, "exit"));

	r->p.exit = fabs(status) <= INT_MAX ? (int)status : -1;
	r->p.wall_s = tree_number(tree_member(time, "wall_s"));
	r->p.native = tree_is(tree_member(time, "native"), TREE_TRUE);
	r->p.pmu = texts_copy(&r->p.texts, text_of(pmu, "kind"));
	r->p.model = texts_copy(&r->p.texts, tree_text(pmu, "model"));
	if (lost && take_whole(r, lost, &r->p.lost))
		return PAPI_EINVAL;
	if (throttled && take_whole(r, throttled, &r->p.throttled))
		return PAPI_EINVAL;
	return read_timeline(r, tree_member(root, "timeline"));
}

static int read_root(struct reading *r, const struct tree *root)
{
	double version = tree_number(tree_member(root, "assay_profile"));
	int err;

	if (isnan(version))
		return refuse(r, "it is JSON, but not a profile");
	if (version != 1)
		return refuse(r, "it is not a version 1 profile");
	err = read_head(r, root);
	if (!err)
		err = read_strings(r, tree_member(root, "command"),
				   profile_add_word);
	if (!err)
		err = read_strings(r, tree_member(root, "notes"),
				   profile_add_note);
	for (size_t i = 0; !err && i < sizeof(tables) / sizeof(*tables); i++)
		err = read_table(r, tree_member(root, tables[i].name), i);
	return err;
}

int profile_parse(const char *text, const char *name, struct profile *out,
		  struct diag *diag)
{
	struct reading r = { .diag = diag };
	struct tree *root = NULL;
	int err = tree_parse(text, &root, diag);

	if (!err)
		err = read_root(&r, root);
	if (err == PAPI_ENOMEM)
		diag_fail(diag, err, "out of memory");
	if (err && diag)
		diag->file = name;
	tree_free(root);
	if (err)
		profile_fini(&r.p);
	else
		*out = r.p;
	return err;
}

int profile_read(const char *path, struct profile *out, struct diag *diag)
{
	size_t len;
	OWNED char *text = NULL;
	int err = file_read(path, &text, &len, diag);

	if (err)
		return err;
	return profile_parse(text, path, out, diag);
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
