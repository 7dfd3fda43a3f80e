/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls from Fortran: arguments by reference, strings without an end but
 * with a hidden length, names as the various compilers spell them.
 *
 * f_hpm.h makes the preprocessor add file and line; without it there are none.
 * Strings are the program's and may change after the call, so the first ones
 * seen at a place are copied. What was copied is found again by its address,
 * in a small table of the thread's own.
 */
#include <hpm.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "hpm/state.h"

/* A call in the program, and what it says in our own memory. */
struct spot {
	int id;
	int line;
	const char *label_at; /* as passed */
	const char *file_at;
	const char *label; /* as copied */
	struct hpm_place place;
	struct spot *next;
};

/* A string of the program's. */
struct words {
	const char *text;
	size_t n;
};

#define RECENT 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct spot *spots; /* all of them; guarded by lock; only grows */
static _Thread_local const struct spot *recent[RECENT];

static bool is_spot(const struct spot *s, int id, const struct words *label,
		    const struct words *file, int line)
{
	return s && s->id == id && s->line == line &&
	       s->label_at == label->text && s->file_at == file->text;
}

/* Without the blanks that fill a variable up. NULL if there is no memory. */
static char *copy(const struct words *words)
{
	size_t n = words->text ? words->n : 0;

	while (n > 0 && words->text[n - 1] == ' ')
		n--;
	return strndup(words->text ? words->text : "", n);
}

static struct spot *make_spot(int id, const struct words *label,
			      const struct words *file, int line)
{
	struct spot *s = calloc(1, sizeof(*s));
	char *label_copy = copy(label), *file_copy = copy(file);

	if (!s || !label_copy || !file_copy) {
		free(s);
		free(label_copy);
		free(file_copy);
		return NULL;
	}
	*s = (struct spot){
		.id = id,
		.line = line,
		.label_at = label->text,
		.file_at = file->text,
		.label = label_copy,
		.place = { .file = file_copy, .line = line },
		.next = spots,
	};
	spots = s;
	return s;
}

static const struct spot *find_spot(int id, struct words label,
				    struct words file, int line)
{
	const struct spot **slot =
		&recent[((unsigned)id * 31u + (unsigned)line) % RECENT];
	struct spot *s;

	if (is_spot(*slot, id, &label, &file, line))
		return *slot;
	pthread_mutex_lock(&lock);
	for (s = spots; s && !is_spot(s, id, &label, &file, line); s = s->next)
		;
	if (!s)
		s = make_spot(id, &label, &file, line);
	pthread_mutex_unlock(&lock);
	*slot = s;
	return s;
}

static void start(enum section_kind kind, int id, struct words label,
		  struct words file, int line)
{
	const struct spot *s = find_spot(id, label, file, line);

	if (!s)
		return;
	if (kind == SECTION_PROCESS)
		hpm_start_at(id, s->label, &s->place);
	else
		hpm_tstart_at(id, s->label, &s->place);
}

static void stop(enum section_kind kind, int id, struct words file, int line)
{
	const struct words none = { 0 };
	const struct spot *s = find_spot(id, none, file, line);

	if (!s)
		return;
	if (kind == SECTION_PROCESS)
		hpm_stop_at(id, &s->place);
	else
		hpm_tstop_at(id, &s->place);
}

/* What a pair costs, called as Fortran calls it. */
static void measure_cost(void)
{
	const struct words text = { "", 0 };

	for (int i = 0; i < HPM_COST_ROUNDS; i++) {
		for (int kind = 0; kind < SECTION_KINDS; kind++) {
			start((enum section_kind)kind, HPM_COST_OUTER, text,
			      text, 0);
			start((enum section_kind)kind, HPM_COST_INNER, text,
			      text, 0);
			stop((enum section_kind)kind, HPM_COST_INNER, text, 0);
			stop((enum section_kind)kind, HPM_COST_OUTER, text, 0);
		}
	}
}

/*
 * One function under the names that compilers make of it: small letters with
 * one underscore (most), two (if there is one in the name: g77, ifort
 * -assume 2underscores), none (xlf), and capitals.
 */
#define ALIAS(of) __attribute__((alias(#of), visibility("default")))
#define NAMES(small, capital, ...)                                             \
	ASSAY_API void small##_ __VA_ARGS__;                                   \
	ASSAY_API void small __VA_ARGS__ ALIAS(small##_);                      \
	ASSAY_API void small##__ __VA_ARGS__ ALIAS(small##_);                  \
	ASSAY_API void capital __VA_ARGS__ ALIAS(small##_)

NAMES(f_hpminit, F_HPMINIT, (const int *, const char *, size_t));
NAMES(f_hpmterminate, F_HPMTERMINATE, (const int *));
NAMES(f_hpmstart, F_HPMSTART, (const int *, const char *, size_t));
NAMES(f_hpmstop, F_HPMSTOP, (const int *));
NAMES(f_hpmtstart, F_HPMTSTART, (const int *, const char *, size_t));
NAMES(f_hpmtstop, F_HPMTSTOP, (const int *));
NAMES(f_hpm_start_at, F_HPM_START_AT,
      (const int *, const char *, const char *, const int *, size_t, size_t));
NAMES(f_hpm_stop_at, F_HPM_STOP_AT,
      (const int *, const char *, const int *, size_t));
NAMES(f_hpm_tstart_at, F_HPM_TSTART_AT,
      (const int *, const char *, const char *, const int *, size_t, size_t));
NAMES(f_hpm_tstop_at, F_HPM_TSTOP_AT,
      (const int *, const char *, const int *, size_t));

void f_hpminit_(const int *task, const char *program, size_t n)
{
	const struct words words = { program, n };
	OWNED char *name = copy(&words);

	hpm_init_at(*task, name);
	measure_cost();
}

void f_hpmterminate_(const int *task)
{
	measure_cost();
	hpm_terminate_at(*task);
}

void f_hpmstart_(const int *id, const char *label, size_t n)
{
	start(SECTION_PROCESS, *id, (struct words){ label, n },
	      (struct words){ 0 }, 0);
}

void f_hpmstop_(const int *id)
{
	stop(SECTION_PROCESS, *id, (struct words){ 0 }, 0);
}

void f_hpmtstart_(const int *id, const char *label, size_t n)
{
	start(SECTION_THREAD, *id, (struct words){ label, n },
	      (struct words){ 0 }, 0);
}

void f_hpmtstop_(const int *id)
{
	stop(SECTION_THREAD, *id, (struct words){ 0 }, 0);
}

void f_hpm_start_at_(const int *id, const char *label, const char *file,
		     const int *line, size_t label_n, size_t file_n)
{
	start(SECTION_PROCESS, *id, (struct words){ label, label_n },
	      (struct words){ file, file_n }, *line);
}

void f_hpm_stop_at_(const int *id, const char *file, const int *line,
		    size_t file_n)
{
	stop(SECTION_PROCESS, *id, (struct words){ file, file_n }, *line);
}

void f_hpm_tstart_at_(const int *id, const char *label, const char *file,
		      const int *line, size_t label_n, size_t file_n)
{
	start(SECTION_THREAD, *id, (struct words){ label, label_n },
	      (struct words){ file, file_n }, *line);
}

void f_hpm_tstop_at_(const int *id, const char *file, const int *line,
		     size_t file_n)
{
	stop(SECTION_THREAD, *id, (struct words){ file, file_n }, *line);
}
