/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading histograms (docs/formats/histogram.md). A bucket becomes samples at
 * its first address, with its size: which of its instructions they were at
 * is not known.
 */

#include "record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define FIRST_LINE   "assay histogram "
#define MOST_VALUE   (1ULL << 53)
#define MOST_BUCKETS (1ULL << 40)
#define WHOLE_SCALE  2 /* at address 0: one bucket for everything */

struct import {
	struct gather gather;
	struct diag *diag;
	const char *name; /* of the file */
	size_t line;
	size_t thread; /* row; there is one */
	bool has_event, has_region;
	uint64_t address, scale, buckets; /* of the last region */
};

static int refuse(struct import *in, const char *what)
{
	if (in->diag) {
		in->diag->file = in->name;
		in->diag->line = in->line;
	}
	return diag_fail(in->diag, PAPI_EINVAL, "%s", what);
}

/* A number at *@text, which then is behind it and one blank. */
static bool take_number(const char **text, int base, uint64_t *out)
{
	char *end;

	if (**text == '-' || **text == '+' || **text == ' ')
		return false;
	*out = strtoull(*text, &end, base);
	if (end == *text || (*end && *end != ' ') ||
	    (base == 10 && *out > MOST_VALUE))
		return false;
	*text = *end ? end + 1 : end;
	return true;
}

static int take_event(struct import *in, const char *text)
{
	struct profile_event event = { .unit = (char *)"",
				       .source = (char *)"",
				       .value = NAN };

	if (in->has_event)
		return refuse(in, "there are two events");
	if (!take_number(&text, 10, &event.period) || !event.period || !*text)
		return refuse(in, "an event needs a period and a name");
	event.name = (char *)text;
	in->has_event = true;
	return profile_add_event(&in->gather.profile, &event);
}

static int take_program(struct import *in, const char *text)
{
	return in->gather.profile.words
		       ? refuse(in, "there are two programs")
		       : profile_add_word(&in->gather.profile, text);
}

static int take_map(struct import *in, const char *text)
{
	struct assay_record map = { .kind = ASSAY_RECORD_MAP, .pid = 1 };

	if (!take_number(&text, 16, &map.start) ||
	    !take_number(&text, 16, &map.end) ||
	    !take_number(&text, 16, &map.offset) || map.end <= map.start)
		return refuse(in, "a map needs its start, end and offset");
	map.text = text;
	return gather_take(&in->gather, &map);
}

static int take_region(struct import *in, const char *text)
{
	if (!take_number(&text, 16, &in->address) ||
	    !take_number(&text, 10, &in->scale) ||
	    !take_number(&text, 10, &in->buckets) || in->scale > 65536 ||
	    in->buckets > MOST_BUCKETS)
		return refuse(in, "a region needs an address, a scale up to "
				  "65536 and its buckets");
	in->has_region = true;
	return 0;
}

static int find_thread(struct import *in)
{
	const struct profile *p = &in->gather.profile;
	const char *program = p->words ? p->command[0] : "";
	const struct profile_thread thread = {
		.name = (char *)symbol_base_name(program),
	};

	return p->n_threads ? 0
			    : profile_add_thread(&in->gather.profile, &thread,
						 &in->thread);
}

/*
 * A bucket in which a function begins: what lies before is the end of another,
 * often nothing but padding, so the half of it decides for the function.
 */
static void settle_border(const struct gather *g, size_t object, uint64_t *own,
			  uint64_t *bytes)
{
	struct symbol_object *symbols = g->objects[object].symbols;
	struct symbol_place last;
	uint64_t before;

	if (!symbols || *bytes < 2)
		return;
	symbol_find(symbols, *own + *bytes - 1, &last);
	if (last.n == 0 || last.frames[last.n - 1].address <= *own)
		return;
	before = last.frames[last.n - 1].address - *own;
	if (2 * before > *bytes)
		return;
	*own += before;
	*bytes -= before;
}

/* Samples of bucket @i of the last region. */
static int add_bucket(struct import *in, uint64_t i, uint64_t count)
{
	struct gather *g = &in->gather;
	bool whole = in->address == 0 && in->scale == WHOLE_SCALE;
	uint64_t address =
		whole ? 0
		      : in->address + (i * 131072 + in->scale - 1) / in->scale;
	uint64_t bytes = whole || in->scale >= 131072 ? 1 : 131072 / in->scale;
	struct space *space = space_get(g, 1);
	size_t object, location, stack;
	uint64_t own;
	int err = space ? find_thread(in) : PAPI_ENOMEM;

	if (!err)
		err = space_find(g, space, address, &object, &own);
	if (!err)
		settle_border(g, object, &own, &bytes);
	if (!err)
		err = gather_find_location(g, object, own, bytes, &location);
	if (!err)
		err = profile_find_stack(&g->profile, PROFILE_NONE, location,
					 &stack);
	return err ? err
		   : profile_add_samples(&g->profile, in->thread, stack, 0,
					 count);
}

static int take_bucket(struct import *in, const char *text)
{
	uint64_t i, count;

	if (!take_number(&text, 10, &i) || !take_number(&text, 10, &count))
		return refuse(in, "not a valid line of a histogram");
	if (!in->has_event || !in->has_region || in->scale < WHOLE_SCALE)
		return refuse(in, "a bucket needs an event and a region");
	if (i >= in->buckets)
		return refuse(in, "the region has fewer buckets");
	return add_bucket(in, i, count);
}

static const struct {
	const char *word;
	int (*take)(struct import *in, const char *text);
} lines[] = {
	{ "event ", take_event }, { "program ", take_program },
	{ "map ", take_map },     { "region ", take_region },
	{ "", take_bucket },
};

static int take_line(struct import *in, const char *text)
{
	size_t i = 0;

	if (in->line == 1)
		return strcmp(text, FIRST_LINE "1") == 0
			       ? 0
			       : refuse(in, "it is not a version 1 histogram");
	while (strncmp(text, lines[i].word, strlen(lines[i].word)) != 0)
		i++;
	return lines[i].take(in, text + strlen(lines[i].word));
}

static int read_lines(struct import *in, const char *text)
{
	int err = 0;

	while (!err && *text) {
		size_t n = strcspn(text, "\n");
		OWNED char *line = strndup(text, n);

		in->line++;
		err = line ? take_line(in, line) : PAPI_ENOMEM;
		text += n + (text[n] == '\n');
	}
	in->line = 0;
	if (!err && !in->has_event)
		err = refuse(in, "the histogram names no event");
	return err;
}

static int import_histogram(const char *text, const char *name,
			    struct profile *out, struct diag *diag)
{
	struct import in = { .name = name, .diag = diag };
	struct profile *p = &in.gather.profile;
	int err = read_lines(&in, text);

	p->exit = -1;
	p->wall_s = NAN;
	p->native = true;
	p->pmu = "none";
	if (err == PAPI_ENOMEM)
		diag_fail(diag, err, "out of memory");
	gather_fini(&in.gather);
	if (err)
		profile_fini(p);
	else
		*out = *p;
	return err;
}

static bool is_histogram(const char *text)
{
	return strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0;
}

bool record_can_import(const char *text)
{
	return is_histogram(text) || profile_is_one(text);
}

int record_import_text(const char *text, const char *name, struct profile *out,
		       struct diag *diag)
{
	return is_histogram(text) ? import_histogram(text, name, out, diag)
				  : profile_parse(text, name, out, diag);
}

int record_import(const char *path, struct profile *out, struct diag *diag)
{
	size_t length;
	OWNED char *text = NULL;
	int err = file_read(path, &text, &length, diag);

	if (err)
		return err;
	return record_import_text(text, path, out, diag);
}
