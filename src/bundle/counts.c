/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of counts, read: the lines before the counts say what there is, and
 * the counts fill the table of an experiment's result. All of a file is checked
 * before anything of it is used.
 */
#include "bundle/counts.h"

#include <inttypes.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bundle/request.h"

#define MAX_REPEATS 1000
/* A whole PMU is three million; more is not worth the memory. */
#define MAX_CELLS ((size_t)1 << 26)
#define UNKNOWN   ((size_t)-1)

/* What is known while a file is read. */
struct reading {
	struct counts *counts;
	struct strbuf left_out;
	size_t *known; /* [unit of the file]: its number here, or UNKNOWN */
	size_t n_units;
	struct set {
		size_t *events;
		size_t n;
	} * sets;
	size_t n_sets;
	bool *done;     /* [unit][set] */
	bool has_table; /* the line "counts" was read */
	bool has_machine;
};

static int damaged(struct diag *diag, const char *line)
{
	return diag_fail(diag, PAPI_EINVAL,
			 "it is damaged: '%.40s%s' is not a line of such a "
			 "file; copy it again",
			 line, strlen(line) > 40 ? "..." : "");
}

/* The lines of the head. */

static int take_text(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : PAPI_ENOMEM;
}

static int take_pmu(struct reading *r, const char *text)
{
	char kind[8], model[64] = "";

	if (sscanf(text, "%7s %u %63s", kind, &r->counts->result->counters,
		   model) < 2)
		return PAPI_EINVAL;
	if (take_text(&r->counts->kind, kind))
		return PAPI_ENOMEM;
	return take_text(&r->counts->model, model);
}

static int take_event(struct reading *r, const char *name)
{
	struct experiment_result *result = r->counts->result;
	struct experiment_event event = { .name = strdup(name) };

	if (!event.name || array_add(result->events, result->n_events, event)) {
		free(event.name);
		return PAPI_ENOMEM;
	}
	return *name ? 0 : PAPI_EINVAL;
}

static int take_refusal(struct reading *r, const char *text)
{
	struct experiment_result *result = r->counts->result;
	char *rest;
	unsigned long event = strtoul(text, &rest, 10);

	if (event >= result->n_events || *rest != ' ' || !rest[1])
		return PAPI_EINVAL;
	return take_text(&result->events[event].reason, rest + 1);
}

static int take_set(struct reading *r, const char *text)
{
	struct experiment_result *result = r->counts->result;
	struct set *set;
	char *end;

	if (array_grow(&r->sets, r->n_sets, sizeof(*r->sets)))
		return PAPI_ENOMEM;
	set = &r->sets[r->n_sets++];
	*set = (struct set){ 0 };
	for (; *text; text = end) {
		unsigned long event = strtoul(text, &end, 10);

		if (end == text || event >= result->n_events)
			return PAPI_EINVAL;
		if (array_add(set->events, set->n, event))
			return PAPI_ENOMEM;
		result->events[event].set = (unsigned)(r->n_sets - 1);
	}
	return set->n ? 0 : PAPI_EINVAL;
}

/* A kernel that is unknown here, or another one, says nothing here. */
static int leave_out(struct reading *r, const char *name)
{
	struct strbuf *out = &r->left_out;
	size_t n = strlen(name);

	r->known[r->n_units++] = UNKNOWN;
	/* its other units come right after it */
	if (out->len >= n && strcmp(out->text + out->len - n, name) == 0)
		return 0;
	strbuf_addf(out, "%s%s", out->len ? ", " : "", name);
	return out->failed ? PAPI_ENOMEM : 0;
}

/* Parameters that a kernel uses are there, and no bundle asks for more. */
static bool is_plausible(const struct kernel *k, const struct kernel_point *p)
{
	return (p->footprint || !(k->uses & USES_FOOTPRINT)) &&
	       (p->unit || !(k->uses & USES_UNIT)) &&
	       (p->k || !(k->uses & USES_K)) && p->times <= UINT64_C(1) << 48 &&
	       p->footprint <= UINT64_C(1) << 40 && p->unit <= 1u << 30 &&
	       p->pages_per_block <= 1u << 30 && p->k <= 1u << 30;
}

static int take_unit(struct reading *r, const char *text)
{
	struct counts *c = r->counts;
	struct experiment_unit unit = { 0 };
	struct kernel_point *p = &unit.point;
	uint64_t fingerprint;
	char name[64];

	if (!r->has_machine ||
	    sscanf(text,
		   "%63s %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32
		   " %" SCNu32 " %" SCNu32 " %16" SCNx64,
		   name, &p->times, &p->footprint, &p->unit, &p->offset,
		   &p->pages_per_block, &p->k, &fingerprint) != 8)
		return PAPI_EINVAL;
	if (array_grow(&r->known, r->n_units, sizeof(*r->known)) ||
	    array_grow(&c->units, c->n_units, sizeof(*c->units)))
		return PAPI_ENOMEM;
	unit.kernel = kernels_find(name);
	if (!unit.kernel || !is_plausible(unit.kernel, p) ||
	    counts_fingerprint(unit.kernel, p, &c->machine) != fingerprint)
		return leave_out(r, name);
	r->known[r->n_units++] = c->n_units;
	c->units[c->n_units++] = unit;
	return 0;
}

/* All is known that the table's size depends on. */
static int make_table(struct reading *r)
{
	struct experiment_result *result = r->counts->result;
	size_t row = result->repeats * result->n_events, cells;

	result->n_units = r->counts->n_units;
	result->sets = (unsigned)r->n_sets;
	if (!r->counts->kind || !r->counts->where || !r->counts->cpu ||
	    !r->counts->version || !result->repeats || !r->n_sets ||
	    !r->n_units || r->n_units > MAX_CELLS / (row + r->n_sets))
		return PAPI_EINVAL;
	cells = result->n_units * row;
	result->counts = malloc((cells + 1) * sizeof(*result->counts));
	result->reasons = calloc(result->n_units + 1, sizeof(char *));
	r->done = calloc(r->n_units * r->n_sets + 1, sizeof(*r->done));
	if (!result->counts || !result->reasons || !r->done)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < cells; i++)
		result->counts[i] = NAN;
	r->has_table = true;
	return 0;
}

static int take_repeats(struct reading *r, const char *text)
{
	struct experiment_result *result = r->counts->result;

	return sscanf(text, "%u", &result->repeats) == 1 &&
			       result->repeats > 0 &&
			       result->repeats <= MAX_REPEATS
		       ? 0
		       : PAPI_EINVAL;
}

static int take_machine(struct reading *r, const char *text)
{
	r->has_machine = counts_take_geometry(text, &r->counts->machine);
	return r->has_machine ? 0 : PAPI_EINVAL;
}

/* What follows @word in @line; NULL: it is another word. */
static const char *after(const char *line, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n) != 0 || line[n] != ' ')
		return NULL;
	return line + n + 1;
}

static int take_head(struct reading *r, const char *line)
{
	static const struct {
		const char *word;
		int (*take)(struct reading *r, const char *text);
	} words[] = {
		{ "pmu", take_pmu },         { "geometry", take_machine },
		{ "repeats", take_repeats }, { "event", take_event },
		{ "refused", take_refusal }, { "set", take_set },
		{ "unit", take_unit },
	};
	struct counts *c = r->counts;
	const char *text;

	if ((text = after(line, "assay")))
		return take_text(&c->version, text);
	if ((text = after(line, "where")))
		return take_text(&c->where, text);
	if ((text = after(line, "cpu")))
		return take_text(&c->cpu, text);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if ((text = after(line, words[i].word)))
			return words[i].take(r, text);
	return strcmp(line, "counts") == 0 ? make_table(r) : PAPI_EINVAL;
}

/* The lines of counts. */

static int take_counts(struct reading *r, const char *line)
{
	struct experiment_result *result = r->counts->result;
	const struct set *set;
	size_t unit, which;
	int used = 0;

	if (sscanf(line, "c %zu %zu%n", &unit, &which, &used) != 2 ||
	    unit >= r->n_units || which >= r->n_sets)
		return PAPI_EINVAL;
	set = &r->sets[which];
	line += used;
	for (size_t i = 0; i < result->repeats * set->n; i++) {
		bool none = strncmp(line, " - ", 3) == 0;
		char *end;
		double value = none ? NAN : (double)strtoll(line, &end, 10);
		size_t row = r->known[unit] * result->repeats + i / set->n;

		if (!none && end == line)
			return PAPI_EINVAL;
		line = none ? line + 2 : end;
		if (r->known[unit] != UNKNOWN)
			result->counts[row * result->n_events +
				       set->events[i % set->n]] = value;
	}
	result->runs += r->known[unit] == UNKNOWN ? 0 : result->repeats;
	r->done[unit * r->n_sets + which] = true;
	return strcmp(line, " .") == 0 ? 0 : PAPI_EINVAL;
}

static int take_reason(struct reading *r, const char *line)
{
	size_t unit, n = strlen(line);
	int used = 0;
	char **reason;

	if (sscanf(line, "x %zu %n", &unit, &used) != 1 || !used ||
	    unit >= r->n_units || n < (size_t)used + 3)
		return PAPI_EINVAL;
	for (size_t s = 0; s < r->n_sets; s++)
		r->done[unit * r->n_sets + s] = true;
	if (r->known[unit] == UNKNOWN)
		return 0;
	reason = &r->counts->result->reasons[r->known[unit]];
	free(*reason);
	*reason = strndup(line + used, n - (size_t)used - 2);
	return *reason ? 0 : PAPI_ENOMEM;
}

static int take_line(struct reading *r, const char *line)
{
	if (!r->has_table)
		return take_head(r, line);
	if (!counts_is_whole(line))
		return PAPI_EINVAL;
	return line[0] == 'x' ? take_reason(r, line) : take_counts(r, line);
}

static int take_lines(struct reading *r, char *text, struct diag *diag)
{
	int err = 0;

	for (char *line = text, *end; !err && *line; line = end + 1) {
		end = strchr(line, '\n');
		*end = '\0'; /* there is one: the text ends with a line */
		err = take_line(r, line);
		if (err == PAPI_EINVAL)
			damaged(diag, line);
	}
	return err;
}

static size_t units_done(const struct reading *r)
{
	size_t done = 0;

	for (size_t u = 0; u < r->n_units; u++) {
		bool all = true;

		for (size_t s = 0; s < r->n_sets; s++)
			all = all && r->done[u * r->n_sets + s];
		done += all;
	}
	return done;
}

static int check_whole(const struct reading *r, struct diag *diag)
{
	if (!r->has_table || units_done(r) < r->n_units)
		return diag_fail(diag, PAPI_EINVAL,
				 "it is damaged: counts are missing; run the "
				 "bundle again");
	if (r->counts->n_units == 0)
		return diag_fail(diag, PAPI_EINVAL,
				 "this version of assay has none of its "
				 "kernels; pack a bundle with this version "
				 "and run it again");
	return 0;
}

/* The last line vouches for all the others; then it is cut off. */
static int check_end(char *text, size_t n, struct diag *diag)
{
	static const size_t bytes = sizeof("end 0123456789abcdef\n") - 1;
	uint64_t hash;
	char *end;

	if (strncmp(text, COUNTS_MAGIC, strlen(COUNTS_MAGIC)) != 0)
		return diag_fail(diag, PAPI_EINVAL,
				 strncmp(text, "assay-counts ", 13) == 0
					 ? "it is of another version of the "
					   "format; unpack it with the assay "
					   "that packed the bundle"
					 : "it is not what a bundle of assay "
					   "classify --pack writes");
	if (strlen(text) != n)
		return diag_fail(diag, PAPI_EINVAL,
				 "it is damaged: it has bytes that are not "
				 "text; copy it again");
	end = n > bytes ? text + n - bytes : text;
	if (end[-(end > text)] != '\n' ||
	    sscanf(end, "end %16" SCNx64 "\n", &hash) != 1 ||
	    text[n - 1] != '\n')
		return diag_fail(diag, PAPI_EINVAL,
				 "it ends before its last line; run the bundle "
				 "again, which goes on where it was, or copy "
				 "the file again");
	if (request_hash(HASH_START, text, (size_t)(end - text)) != hash)
		return diag_fail(diag, PAPI_EINVAL,
				 "it is damaged: its checksum is wrong; copy "
				 "it again");
	*end = '\0';
	return 0;
}

static void free_reading(struct reading *r)
{
	for (size_t i = 0; i < r->n_sets; i++)
		free(r->sets[i].events);
	free(r->sets);
	free(r->known);
	free(r->done);
	strbuf_fini(&r->left_out);
}

int counts_parse(char *text, size_t n, struct counts *counts, struct diag *diag)
{
	struct reading r = { .counts = counts };
	int err;

	*counts = (struct counts){ 0 };
	err = check_end(text, n, diag);
	if (err)
		return err;
	counts->result = calloc(1, sizeof(*counts->result));
	err = counts->result ? take_lines(&r, text + strlen(COUNTS_MAGIC), diag)
			     : PAPI_ENOMEM;
	if (!err)
		err = check_whole(&r, diag);
	if (!err && r.left_out.len) {
		counts->left_out = strbuf_take(&r.left_out);
		err = counts->left_out ? 0 : PAPI_ENOMEM;
	}
	free_reading(&r);
	if (err == PAPI_ENOMEM)
		diag_fail(diag, err, "out of memory");
	if (err)
		counts_fini(counts);
	return err;
}

void counts_fini(struct counts *counts)
{
	free(counts->version);
	free(counts->where);
	free(counts->cpu);
	free(counts->kind);
	free(counts->model);
	free(counts->units);
	free(counts->left_out);
	experiment_free(counts->result);
	*counts = (struct counts){ 0 };
}
