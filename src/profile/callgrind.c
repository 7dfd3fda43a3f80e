/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callgrind's format, for KCachegrind and callgrind_annotate: costs of each
 * instruction and line, all events as columns, and with call stacks also
 * what calls cost. Names are written once and then called by a number.
 *
 * An inlined function is a function here, called from where it was inlined. A
 * profile does not know how often a function was called: each call has the
 * number of samples that it was seen in.
 */

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/inside.h"

/* A call from a frame of a location to a function, with what it cost. */
struct edge {
	size_t location;
	size_t frame;
	const struct profile_frame *callee;
	uint64_t calls;
	uint64_t *costs;
	size_t last; /* sample that was added */
};

struct writing {
	const struct profile *p;
	FILE *to;
	uint64_t *own; /* by location and event */
	struct edge *edges;
	size_t n;
	struct pairs edge_rows; /* by frame and called function */
	bool *named;            /* functions whose name was written */
	bool *file_named;
	bool *object_named;
};

static int find_edge(struct writing *w, size_t location, size_t frame,
		     const struct profile_frame *callee, size_t *row)
{
	struct edge edge = { .location = location,
			     .frame = frame,
			     .callee = callee,
			     .last = PROFILE_NONE };
	uint64_t from = (uint64_t)location << 20 | frame;

	if (pairs_find(&w->edge_rows, from, callee->function, row))
		return 0;
	edge.costs = calloc(w->p->n_events, sizeof(*edge.costs));
	if (!edge.costs || array_grow(&w->edges, w->n, sizeof(edge)) ||
	    pairs_set(&w->edge_rows, from, callee->function, w->n)) {
		free(edge.costs);
		return PAPI_ENOMEM;
	}
	*row = w->n;
	w->edges[w->n++] = edge;
	return 0;
}

/* A call that recursion makes many times in one sample costs once. */
static int add_edge(struct writing *w, size_t sample, size_t location,
		    size_t frame, const struct profile_frame *callee)
{
	const struct profile_sample *s = &w->p->samples[sample];
	struct edge *edge;
	size_t row;
	int err = find_edge(w, location, frame, callee, &row);

	if (err)
		return err;
	edge = &w->edges[row];
	if (edge->last == sample)
		return 0;
	edge->last = sample;
	for (size_t e = 0; e < w->p->n_events; e++) {
		edge->calls += s->counts[e];
		edge->costs[e] += profile_weight(w->p, s, e);
	}
	return 0;
}

static int add_sample(struct writing *w, size_t i)
{
	const struct profile *p = w->p;
	const struct profile_sample *s = &p->samples[i];
	const struct profile_frame *callee = NULL;
	int err = 0;

	for (size_t e = 0; e < p->n_events; e++)
		w->own[p->stacks[s->stack].location * p->n_events + e] +=
			profile_weight(p, s, e);
	for (size_t at = s->stack; !err && at != PROFILE_NONE;
	     at = p->stacks[at].caller) {
		size_t location = p->stacks[at].location;
		const struct profile_location *l = &p->locations[location];

		for (size_t k = 0; !err && k < l->n; k++) {
			if (callee)
				err = add_edge(w, i, location, k, callee);
			callee = &l->frames[k];
		}
	}
	return err;
}

/* "fl=(3) path" the first time, "fl=(3)" then. */
static void put_name(struct writing *w, const char *what, size_t number,
		     const char *name, bool *named)
{
	fprintf(w->to, "%s=(%zu)", what, number);
	if (!*named) {
		putc(' ', w->to);
		profile_put_plain(name, "", w->to);
	}
	*named = true;
	putc('\n', w->to);
}

/* Where a function is; @prefix is "c" for one that is called. */
static void put_function(struct writing *w, const char *prefix,
			 const struct profile_frame *frame)
{
	const struct profile *p = w->p;
	const struct profile_function *f = &p->functions[frame->function];
	size_t file = frame->file == PROFILE_NONE ? p->n_files : frame->file;
	char what[8];

	strcpy(what, prefix);
	put_name(w, strcat(what, "ob"), f->object + 1,
		 p->objects[f->object].path, &w->object_named[f->object]);
	strcpy(what, prefix);
	put_name(w, strcat(what, *prefix ? "fi" : "fl"), file + 1,
		 file == p->n_files ? "???" : p->files[file].path,
		 &w->file_named[file]);
	strcpy(what, prefix);
	put_name(w, strcat(what, "fn"), frame->function + 1, f->name,
		 &w->named[frame->function]);
}

static void put_costs(struct writing *w, uint64_t address, long line,
		      const uint64_t *costs)
{
	fprintf(w->to, "0x%" PRIx64 " %ld", address, line);
	for (size_t e = 0; e < w->p->n_events; e++)
		fprintf(w->to, " %" PRIu64, costs[e]);
	putc('\n', w->to);
}

static bool has_cost(const struct writing *w, size_t location)
{
	for (size_t e = 0; e < w->p->n_events; e++)
		if (w->own[location * w->p->n_events + e])
			return true;
	return false;
}

static void put_locations(struct writing *w)
{
	for (size_t i = 0; i < w->p->n_locations; i++) {
		const struct profile_location *l = &w->p->locations[i];

		if (!has_cost(w, i))
			continue;
		put_function(w, "", &l->frames[0]);
		put_costs(w, l->address, l->frames[0].line,
			  &w->own[i * w->p->n_events]);
	}
}

static void put_edges(struct writing *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct edge *e = &w->edges[i];
		const struct profile_location *l =
			&w->p->locations[e->location];
		const struct profile_function *callee =
			&w->p->functions[e->callee->function];

		put_function(w, "", &l->frames[e->frame]);
		put_function(w, "c", e->callee);
		fprintf(w->to, "calls=%" PRIu64 " 0x%" PRIx64 " %ld\n",
			e->calls, callee->address, callee->line);
		put_costs(w, l->address, l->frames[e->frame].line, e->costs);
	}
}

/* Names of events are letters, digits and '_' there. */
static void put_event_name(const char *name, FILE *to)
{
	if (!isalpha((unsigned char)*name))
		putc('E', to);
	for (; *name; name++)
		putc(isalnum((unsigned char)*name) ? *name : '_', to);
}

static void put_head(struct writing *w)
{
	const struct profile *p = w->p;

	fputs("# callgrind format\nversion: 1\ncreator: assay record\ncmd:",
	      w->to);
	for (size_t i = 0; i < p->words; i++) {
		putc(' ', w->to);
		profile_put_plain(p->command[i], "", w->to);
	}
	fputs("\npositions: instr line\n", w->to);
	for (size_t e = 0; e < p->n_events; e++) {
		fputs("event: ", w->to);
		put_event_name(p->events[e].name, w->to);
		fputs(" : ", w->to);
		profile_put_plain(p->events[e].name, "", w->to);
		putc('\n', w->to);
	}
	fputs("events:", w->to);
	for (size_t e = 0; e < p->n_events; e++) {
		putc(' ', w->to);
		put_event_name(p->events[e].name, w->to);
	}
	fputs("\nsummary:", w->to);
	for (size_t e = 0; e < p->n_events; e++)
		fprintf(w->to, " %" PRIu64,
			p->events[e].samples * p->events[e].period);
	fputs("\n\n", w->to);
}

static int write_all(struct writing *w)
{
	const struct profile *p = w->p;
	int err = 0;

	w->own = calloc(p->n_locations * p->n_events + 1, sizeof(*w->own));
	w->named = calloc(p->n_functions + 1, sizeof(*w->named));
	w->file_named = calloc(p->n_files + 1, sizeof(*w->file_named));
	w->object_named = calloc(p->n_objects + 1, sizeof(*w->object_named));
	if (!w->own || !w->named || !w->file_named || !w->object_named)
		return PAPI_ENOMEM;
	for (size_t i = 0; !err && i < p->n_samples; i++)
		err = add_sample(w, i);
	if (err)
		return err;
	put_head(w);
	put_locations(w);
	put_edges(w);
	return ferror(w->to) ? PAPI_ESYS : 0;
}

int profile_write_callgrind(const void *profile,
			    const struct report_style *style, FILE *to)
{
	const struct profile *p = profile;
	struct writing w = { .p = p, .to = to };
	int err = write_all(&w);

	(void)style;
	for (size_t i = 0; i < w.n; i++)
		free(w.edges[i].costs);
	free(w.edges);
	free(w.own);
	free(w.named);
	free(w.file_named);
	free(w.object_named);
	pairs_fini(&w.edge_rows);
	return err;
}
