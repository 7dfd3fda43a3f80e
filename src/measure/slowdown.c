/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs on the simulated PMU cost, kept and told; see slowdown.h. */
#include "measure/slowdown.h"

#include <limits.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/fs.h"
#include "base/strbuf.h"
#include "console/kept.h"
#include "host/cpu.h"

#define MAGIC      "assay-speed 1\n"
#define SETS_MAX   64
#define MEMORY     16  /* runs: older ones fade */
#define LEAST_S    0.5 /* of a run: below, starting takes a part of it */
#define ANY_ENGINE "-"

/* The file of this processor. */
static char *file_name(void)
{
	struct fs fs = { .root = "" };
	struct host_cpu cpu = { 0 };

	if (cpu_read(&fs, &cpu))
		return NULL;
	return str_format("%s family %u model %u", cpu.name, cpu.family,
			  cpu.model);
}

/* ---- reading and writing ---- */

static int add_set(struct slowdowns *s, const char *what, unsigned runs,
		   double log_speed)
{
	struct slowdown_set set = { strdup(what), runs, log_speed };

	if (set.what && !array_add(s->sets, s->n, set))
		return 0;
	free(set.what);
	return PAPI_ENOMEM;
}

/* "native SPEED" or "set RUNS LOG WHAT"; a line that is neither is ignored. */
static int take_line(struct slowdowns *s, const char *line)
{
	unsigned runs;
	double number;
	int at = 0;

	if (sscanf(line, "native %lf", &number) == 1 && number > 0)
		s->native = number;
	else if (sscanf(line, "set %u %lf %n", &runs, &number, &at) == 2 &&
		 at && runs && isfinite(number) && s->n < SETS_MAX)
		return add_set(s, line + at, runs, number);
	return 0;
}

static int take_text(struct slowdowns *s, char *text)
{
	int err = 0;

	for (char *line = text, *end; !err && (end = strchr(line, '\n'));
	     line = end + 1) {
		*end = '\0';
		err = take_line(s, line);
	}
	return err;
}

int slowdown_read(struct slowdowns *s)
{
	OWNED char *name = file_name();
	OWNED char *path = name ? kept_path(KEPT_SPEEDS, name) : NULL;
	OWNED char *text = NULL;
	size_t len;
	int err = 0;

	*s = (struct slowdowns){ 0 };
	if (path && access(path, R_OK) == 0 &&
	    !file_read(path, &text, &len, NULL) &&
	    strncmp(text, MAGIC, strlen(MAGIC)) == 0)
		err = take_text(s, text + strlen(MAGIC));
	if (err)
		slowdown_fini(s);
	return err;
}

void slowdown_fini(struct slowdowns *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->sets[i].what);
	free(s->sets);
	*s = (struct slowdowns){ 0 };
}

static int write_kept(const void *what, const struct report_style *style,
		      FILE *to)
{
	const struct slowdowns *s = what;

	(void)style;
	fputs(MAGIC, to);
	if (s->native > 0)
		fprintf(to, "native %.4g\n", s->native);
	for (size_t i = 0; i < s->n; i++)
		fprintf(to, "set %u %.4f %s\n", s->sets[i].runs,
			s->sets[i].log_speed, s->sets[i].what);
	return ferror(to) ? PAPI_ESYS : 0;
}

int slowdown_write(const struct slowdowns *s, struct diag *diag)
{
	OWNED char *name = file_name();

	if (!name)
		return diag_fail(diag, PAPI_ESYS, "no name of the processor");
	return kept_write(KEPT_SPEEDS, name, write_kept, s, diag);
}

/* ---- learning ---- */

static size_t find_set(const struct slowdowns *s, const char *what)
{
	size_t i = 0;

	while (i < s->n && strcmp(s->sets[i].what, what) != 0)
		i++;
	return i;
}

/* The set that was used last is the last; the first goes if there are many. */
static void move_to_end(struct slowdowns *s, size_t i)
{
	struct slowdown_set set = s->sets[i];

	memmove(s->sets + i, s->sets + i + 1,
		(s->n - i - 1) * sizeof(*s->sets));
	s->sets[s->n - 1] = set;
}

int slowdown_learn(struct slowdowns *s, const char *what, double instructions,
		   double seconds)
{
	double log_speed = log(instructions / seconds);
	size_t i = find_set(s, what);
	struct slowdown_set *set;

	if (i == s->n && i == SETS_MAX) {
		move_to_end(s, 0);
		free(s->sets[--s->n].what);
		i--;
	}
	if (i == s->n && add_set(s, what, 0, 0))
		return PAPI_ENOMEM;
	move_to_end(s, i);
	set = &s->sets[s->n - 1];
	set->runs++;
	set->log_speed += (log_speed - set->log_speed) /
			  (set->runs < MEMORY ? set->runs : MEMORY);
	return 0;
}

/* ---- telling ---- */

/* Whether @what, with an engine or any, is what @set is of. */
static bool is_of(const struct slowdown_set *set, const char *what)
{
	const char *rest = strchr(set->what, ' ');
	size_t any = strlen(ANY_ENGINE);

	if (strncmp(what, ANY_ENGINE " ", any + 1) == 0)
		return rest && strcmp(rest, what + any) == 0;
	return strcmp(set->what, what) == 0;
}

static double factor_of(const struct slowdowns *s, size_t i)
{
	return s->native / exp(s->sets[i].log_speed);
}

/* "1.4", "35", "160": no more digits than it deserves. */
static void put_factor(char *text, size_t size, double factor)
{
	double unit = factor < 10 ? 0.1 : factor < 100 ? 1 : 10;

	snprintf(text, size, "%g", round(factor / unit) * unit);
}

/*
 * The factor that half of all runs stayed below: few programs cost a hundred
 * times what others do (those that start threads all the time), and neither
 * they nor the cheapest say what to expect.
 */
static double find_typical(const struct slowdowns *s)
{
	double typical = 0;
	unsigned least = UINT_MAX;

	for (size_t i = 0; i < s->n; i++) {
		unsigned below = 0, above = 0, apart;

		for (size_t j = 0; j < s->n; j++)
			if (factor_of(s, j) < factor_of(s, i))
				below += s->sets[j].runs;
			else if (factor_of(s, j) > factor_of(s, i))
				above += s->sets[j].runs;
		apart = below > above ? below - above : above - below;
		if (apart < least) {
			least = apart;
			typical = factor_of(s, i);
		}
	}
	return typical;
}

static void describe_typical(const struct slowdowns *s, char *text, size_t size)
{
	double least = INFINITY, most = 0;
	char typical[24], from[24], to[24];

	for (size_t i = 0; i < s->n; i++) {
		least = fmin(least, factor_of(s, i));
		most = fmax(most, factor_of(s, i));
	}
	put_factor(typical, sizeof(typical), find_typical(s));
	put_factor(from, sizeof(from), least);
	put_factor(to, sizeof(to), most);
	if (strcmp(from, to) == 0)
		snprintf(text, size,
			 "typically %s times slower in other runs on this "
			 "machine",
			 typical);
	else
		snprintf(text, size,
			 "typically %s times slower in other runs on this "
			 "machine (%s to %s, depending on program and events)",
			 typical, from, to);
}

/* Words of a description before its events: engine, model, exact or sampled. */
#define WORDS_BEFORE 3

/* The word of @text after @n others; its end if there are no more. */
static const char *find_word(const char *text, int n)
{
	while (n-- > 0) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return text;
}

static bool is_same_word(const char *a, const char *b)
{
	size_t len = strcspn(a, " ");

	return strcspn(b, " ") == len && strncmp(a, b, len) == 0;
}

/* Whether each event of @few is one of @many. */
static bool are_among(const char *few, const char *many)
{
	few = find_word(few, WORDS_BEFORE);
	many = find_word(many, WORDS_BEFORE);
	for (; *few; few = find_word(few, 1)) {
		const char *at = many;

		while (*at && !is_same_word(at, few))
			at = find_word(at, 1);
		if (!*at)
			return false;
	}
	return true;
}

/* Whether both model cycles in the same way. Which machine is modelled hardly
 * changes what it costs. */
static bool are_alike(const char *what, const char *other)
{
	return is_same_word(find_word(what, WORDS_BEFORE - 1),
			    find_word(other, WORDS_BEFORE - 1));
}

/* A set like @what that the engine of @what ran, or, if any may, the engine
 * that ran most of those; NULL: none. What one costs limits no other. */
static const char *find_engine(const struct slowdowns *s, const char *what)
{
	const char *found = NULL;
	unsigned most = 0;

	for (size_t i = 0; i < s->n; i++) {
		const char *run = s->sets[i].what;
		unsigned runs = 0;

		if (!are_alike(what, run) || !(is_same_word(what, ANY_ENGINE) ||
					       is_same_word(what, run)))
			continue;
		for (size_t j = 0; j < s->n; j++)
			if (is_same_word(s->sets[j].what, run) &&
			    are_alike(s->sets[j].what, run))
				runs += s->sets[j].runs;
		if (runs > most) {
			most = runs;
			found = run;
		}
	}
	return found;
}

/*
 * Events cost more the more of them there are: what was run with some of those
 * of @what is a lower limit, what was run with all of them and others an upper
 * one. False if neither is known.
 */
static bool describe_limits(const struct slowdowns *s, const char *what,
			    char *text, size_t size)
{
	const char *engine = find_engine(s, what);
	double least = 0, most = INFINITY;
	char from[24], to[24];

	for (size_t i = 0; engine && i < s->n; i++) {
		const char *run = s->sets[i].what;

		if (!are_alike(what, run) || !is_same_word(engine, run))
			continue;
		if (are_among(what, run))
			most = fmin(most, factor_of(s, i));
		else if (are_among(run, what))
			least = fmax(least, factor_of(s, i));
	}
	put_factor(from, sizeof(from), fmin(least, most));
	put_factor(to, sizeof(to), fmax(least, most));
	if (least > 0 && isfinite(most))
		snprintf(text, size,
			 "about %s to %s times slower, by runs with fewer and "
			 "with more events",
			 from, to);
	else if (least > 0)
		snprintf(text, size,
			 "at least about %s times slower, by runs with fewer "
			 "events",
			 from);
	else if (isfinite(most))
		snprintf(text, size,
			 "at most about %s times slower, by runs with more "
			 "events",
			 to);
	return least > 0 || isfinite(most);
}

void slowdown_describe(const struct slowdowns *s, const char *what, char *text,
		       size_t size)
{
	char factor[24];
	size_t i = s->n;

	if (!s->n || !(s->native > 0)) {
		snprintf(text, size,
			 "how much slower is not known yet on this machine");
		return;
	}
	while (what && i > 0 && !is_of(&s->sets[i - 1], what))
		i--;
	if (!what || i == 0) {
		if (!what || !describe_limits(s, what, text, size))
			describe_typical(s, text, size);
		return;
	}
	put_factor(factor, sizeof(factor), factor_of(s, i - 1));
	snprintf(text, size, "about %s times slower (%u run%s on this machine)",
		 factor, s->sets[i - 1].runs,
		 s->sets[i - 1].runs == 1 ? "" : "s");
}

/* ---- of runs ---- */

/* What a run is of, by @engine; to be freed. */
static char *describe_run(const struct pmu *pmu, const struct event_list *m,
			  const char *engine)
{
	struct strbuf what = { 0 };

	strbuf_addf(&what, "%s %s %s", engine, pmu_model_name(pmu),
		    pmu->simulator.sampled ? "sampled" : "exact");
	for (size_t i = 0; i < m->n; i++)
		if (m->events[i].source &&
		    strcmp(m->events[i].source, "sim") == 0)
			strbuf_addf(&what, " %s", m->events[i].name);
	return strbuf_take(&what);
}

void slowdown_expect(const struct pmu *pmu, const struct event_list *m,
		     char *text, size_t size)
{
	const char *engine = pmu ? pmu->simulator.engine : NULL;
	OWNED char *what = NULL;
	struct slowdowns s;

	if (!engine || strcmp(engine, "auto") == 0)
		engine = ANY_ENGINE;
	if (pmu && m)
		what = describe_run(pmu, m, engine);
	if (slowdown_read(&s))
		s = (struct slowdowns){ 0 };
	slowdown_describe(&s, what, text, size);
	slowdown_fini(&s);
}

/* Instructions of the last run; NaN if they were not counted. */
static double instructions_of(const struct event_list *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct event_row *e = &m->events[i];

		if (strcmp(e->name, "PAPI_TOT_INS") == 0 && m->runs &&
		    !e->reason)
			return (double)e->values[m->runs - 1];
	}
	return NAN;
}

void slowdown_note_run(const struct pmu *pmu, const struct event_list *m,
		       const char *engine, double seconds)
{
	double instructions = instructions_of(m);
	OWNED char *what = NULL;
	struct slowdowns s;

	if (pmu->kind != PMU_SIMULATED || !engine || m->passes > 1 ||
	    seconds < LEAST_S || !(instructions > 0))
		return;
	what = describe_run(pmu, m, engine);
	if (!what || slowdown_read(&s))
		return;
	if (!(s.native > 0))
		s.native = slowdown_measure_native();
	/* nothing is lost but an expectation */
	if (!slowdown_learn(&s, what, instructions, seconds))
		(void)slowdown_write(&s, NULL);
	slowdown_fini(&s);
}
