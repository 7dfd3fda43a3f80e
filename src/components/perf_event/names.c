/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of events. In the order that they are tried:
 *
 *   page-faults  perf::PAGE-FAULTS:u    the kernel's own, generic.c
 *   r003c  r0x3c:k                      raw: the CPU's own number
 *   cpu/event=0x3c,umask=1/u            sysfs: PMU and fields or event
 *   mem-loads                           sysfs: an event of any PMU
 *   icx::BR_INST_RETIRED:COND:u=1       libpfm4
 */
#include "components/perf_event/names.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "components/perf_event/boxes.h"
#include "components/perf_event/cpus.h"
#include "components/perf_event/generic.h"
#include "components/perf_event/pfm.h"
#include "components/perf_event/state.h"

struct lookup {
	struct component *c;
	const char *name;
	struct diag *diag;
	struct pe_naming naming; /* what to call it if it is new */
	struct pe_words words;   /* that naming may point to */
};

/* Where levels that a name excludes are kept until all of it is read. */
#define WITHOUT 8

static unsigned level_of(char letter)
{
	switch (letter) {
	case 'u':
		return PE_USER;
	case 'k':
		return PE_KERNEL;
	case 'h':
		return PE_HYPERVISOR;
	default:
		return 0;
	}
}

/* "u=1", "k=0", "precise=2": one of them, @n bytes. */
static int modifier_with_value(const char *text, size_t n, struct pe_event *e)
{
	const char *equals = memchr(text, '=', n);
	size_t before = (size_t)(equals - text);
	char value = text[n - 1];

	if (n != before + 2 || !isdigit((unsigned char)value))
		return PAPI_EINVAL;
	if (before == 7 && !memcmp(text, "precise", 7) && value <= '3') {
		e->code.precise = (unsigned)(value - '0');
		return 0;
	}
	if (before != 1 || !level_of(text[0]) || value > '1')
		return PAPI_EINVAL;
	if (value == '1')
		e->code.levels |= level_of(text[0]);
	else
		e->code.levels |= level_of(text[0]) << WITHOUT;
	return 0;
}

/* "k=0" alone: user space. The hypervisor is left out unless asked for. */
static int settle_levels(struct pe_event *e)
{
	unsigned without = e->code.levels >> WITHOUT;
	unsigned with = e->code.levels & ((1U << WITHOUT) - 1);

	e->code.levels = with & ~without;
	if (!with && without & (PE_USER | PE_KERNEL))
		e->code.levels = (PE_USER | PE_KERNEL) & ~without;
	return (with || without & (PE_USER | PE_KERNEL)) && !e->code.levels
		       ? PAPI_EINVAL
		       : 0;
}

/* "u", "uk", "upp": letters in any order, @n of them. */
static int modifier_letters(const char *text, size_t n, struct pe_event *e)
{
	for (size_t i = 0; i < n; i++) {
		if (level_of(text[i]))
			e->code.levels |= level_of(text[i]);
		else if (text[i] == 'p' && e->code.precise < 3)
			e->code.precise++;
		else if (text[i] == 'G')
			e->code.sides |= PE_GUEST;
		else if (text[i] == 'H')
			e->code.sides |= PE_HOST;
		else
			return PAPI_EINVAL;
	}
	return n ? 0 : PAPI_EINVAL;
}

/*
 * "socket1": the second CPU that counts for a PMU outside the cores, which has
 * one for each socket.
 */
static int modifier_socket(const char *text, size_t n, struct pe_event *e)
{
	struct pe_cpus walk = { e->cpus, 0, 0, false };
	char *end;
	long socket = strtol(text, &end, 10);
	int cpu;

	if (end == text || end != text + n || socket < 0 ||
	    e->code.place != PE_UNCORE || !e->cpus)
		return PAPI_EINVAL;
	for (long i = 0; i <= socket; i++)
		if (!pe_cpus_next(&walk, &cpu))
			return PAPI_ENOEVNT;
	e->socket = (int)socket;
	return 0;
}

static int modifier(const char *text, size_t n, struct pe_event *e)
{
	if (n > 6 && !memcmp(text, "socket", 6))
		return modifier_socket(text + 6, n - 6, e);
	return memchr(text, '=', n) ? modifier_with_value(text, n, e)
				    : modifier_letters(text, n, e);
}

int pe_names_modifiers(const char *text, size_t column, struct pe_event *e,
		       struct diag *diag)
{
	const char *at = text;

	if (!*text)
		return 0;
	for (;;) {
		size_t n = strcspn(at, ":");
		int err = modifier(at, n, e);

		if (err == PAPI_ENOEVNT)
			return diag_fail_at(
				diag, err, column + (size_t)(at - text),
				"this machine has no %.*s", (int)n, at);
		if (err)
			return diag_fail_at(
				diag, err, column + (size_t)(at - text),
				"\"%s\" is not a modifier; modifiers: u, k, h, "
				"p, G, H, u=1, k=1, precise=1, and socket0 for "
				"an uncore PMU",
				at);
		if (!at[n])
			break;
		at += n + 1;
	}
	if (settle_levels(e))
		return diag_fail_at(diag, PAPI_EINVAL, column,
				    "\"%s\" leaves no privilege level to count "
				    "at",
				    text);
	return 0;
}

/* Modifiers behind the ':' at @colon, or none if it is the name's end. */
static int modifiers_at(struct lookup *l, const char *colon, struct pe_event *e)
{
	if (!*colon)
		return 0;
	if (!colon[1])
		return diag_fail_at(l->diag, PAPI_EINVAL,
				    (size_t)(colon - l->name) + 1,
				    "nothing follows the colon");
	return pe_names_modifiers(colon + 1, (size_t)(colon - l->name) + 2, e,
				  l->diag);
}

/* Where modifiers begin: at the first ':' that is not part of a "::". */
static const char *find_colon(const char *name)
{
	const char *prefix = strstr(name, "::");
	const char *at = prefix ? prefix + 2 : name;

	return at + strcspn(at, ":");
}

static int find_generic(struct lookup *l, struct pe_event *e)
{
	const char *colon = find_colon(l->name);
	struct pe_naming listed;
	size_t row;

	if (!pe_generic_find(l->name, (size_t)(colon - l->name), e, &row))
		return PAPI_ENOEVNT;
	listed = pe_generic_naming(row, &l->words);
	if (!*colon)
		l->naming = listed;
	l->naming.unit = listed.unit;
	return modifiers_at(l, colon, e);
}

static int find_raw(struct lookup *l, struct pe_event *e)
{
	const char *digits = l->name;
	char *end;

	if (!strncmp(digits, "perf_raw::", 10))
		digits += 10;
	if (*digits != 'r')
		return PAPI_ENOEVNT;
	digits++;
	if (digits[0] == '0' && digits[1] == 'x')
		digits += 2;
	if (!isxdigit((unsigned char)*digits))
		return PAPI_ENOEVNT;
	*e = pe_event_init();
	errno = 0;
	e->code.config = strtoull(digits, &end, 16);
	if (*end && *end != ':')
		return PAPI_ENOEVNT; /* a word that begins like one */
	if (errno)
		return diag_fail_at(l->diag, PAPI_EINVAL,
				    (size_t)(digits - l->name) + 1,
				    "a raw event has at most 16 digits");
	e->code.type = PERF_TYPE_RAW;
	e->code.place = PE_CORE;
	return modifiers_at(l, end, e);
}

static void set_unit(struct lookup *l, const struct pe_pmu *pmu,
		     const char *event)
{
	OWNED char *unit = pe_pmu_unit(l->c->fs, pmu, event);

	if (unit)
		l->naming.unit = pe_state_keep(pe_state_of(l->c), unit);
}

/* "PMU/terms/modifiers"; the closing slash may be left out only by mistake. */
static int find_sysfs(struct lookup *l, struct pe_event *e)
{
	struct pe_state *state = pe_state_of(l->c);
	const char *open = strchr(l->name, '/');
	const char *close = open ? strchr(open + 1, '/') : NULL;
	const struct pe_pmu *pmu;
	bool all = false; /* of its kind */
	size_t column;
	OWNED char *terms = NULL;
	int err;

	if (!open)
		return PAPI_ENOEVNT;
	if (!close)
		return diag_fail_at(
			l->diag, PAPI_EINVAL, strlen(l->name) + 1,
			"the closing slash of the event is missing");
	pmu = pe_pmus_find(&state->pmus, l->name, (size_t)(open - l->name));
	if (!pmu) {
		pmu = pe_boxes_first(&state->pmus, l->name,
				     (size_t)(open - l->name));
		all = true;
	}
	if (!pmu)
		return diag_fail_at(l->diag, PAPI_ENOEVNT, 1,
				    "this machine has no PMU called %.*s",
				    (int)(open - l->name), l->name);

	terms = strndup(open + 1, (size_t)(close - open) - 1);
	if (!terms)
		return PAPI_ENOMEM;
	column = (size_t)(open - l->name) + 2;
	err = pe_pmu_encode(&state->pmus, l->c->fs, pmu, terms, column, e,
			    l->diag);
	if (!err && all)
		err = pe_boxes_add(l->c, pmu, terms, e);
	if (!err)
		set_unit(l, pmu, terms);
	if (err)
		return err;
	close++;
	close += *close == ':';
	return pe_names_modifiers(close, (size_t)(close - l->name) + 1, e,
				  l->diag);
}

/*
 * The PMU in sysfs that has an event called @word; core PMUs first. NULL, and
 * PAPI_ENOEVNT in *@err, if none has.
 */
static const struct pe_pmu *find_word(struct lookup *l, const char *word,
				      struct pe_event *e, int *err)
{
	const struct pe_pmus *pmus = &pe_state_of(l->c)->pmus;

	*err = PAPI_ENOEVNT;
	for (int core = 1; core >= 0; core--) {
		for (size_t i = 0; i < pmus->n; i++) {
			const struct pe_pmu *pmu = &pmus->items[i];

			if (pmu->core != (core == 1))
				continue;
			*err = pe_pmu_find_event(pmus, l->c->fs, pmu, word, e);
			if (!*err)
				return pmu;
		}
	}
	return NULL;
}

/* A bare word: an event of a PMU in sysfs, and of all others of its kind. */
static int find_bare(struct lookup *l, struct pe_event *e)
{
	const char *colon = l->name + strcspn(l->name, ":");
	const struct pe_pmu *pmu;
	OWNED char *word = NULL;
	int err;

	if (strpbrk(l->name, "=,./") || (colon[0] == ':' && colon[1] == ':'))
		return PAPI_ENOEVNT;
	word = strndup(l->name, (size_t)(colon - l->name));
	if (!word)
		return PAPI_ENOMEM;
	pmu = find_word(l, word, e, &err);
	if (pmu)
		err = pe_boxes_add(l->c, pmu, word, e);
	if (pmu && !err)
		set_unit(l, pmu, word);
	if (err)
		return err == PAPI_ENOMEM ? err : PAPI_ENOEVNT;
	return modifiers_at(l, colon, e);
}

static int find_pfm(struct lookup *l, struct pe_event *e)
{
	return pe_pfm_encode(pe_state_of(l->c), l->name, e, l->diag);
}

int pe_names_find(struct component *c, const char *name, size_t *i,
		  struct diag *diag)
{
	struct lookup l = { .c = c,
			    .name = name,
			    .diag = diag,
			    .naming = { .name = name,
					.hidden = true,
					.parent = EVENT_NO_PARENT } };
	struct pe_event e;
	int err = find_generic(&l, &e);

	if (err == PAPI_ENOEVNT)
		err = find_raw(&l, &e);
	if (err == PAPI_ENOEVNT) {
		err = pe_pmus_load(&pe_state_of(c)->pmus, c->fs);
		if (!err)
			err = find_sysfs(&l, &e);
	}
	if (err == PAPI_ENOEVNT)
		err = find_bare(&l, &e);
	if (err == PAPI_ENOEVNT && !strchr(name, '/'))
		err = find_pfm(&l, &e);
	if (err)
		return err;
	return pe_event_add(c, &e, &l.naming, i);
}

static int list_generic(struct component *c)
{
	struct pe_words words;
	struct pe_naming naming;
	int err = 0;

	for (size_t row = 0; !err; row++) {
		struct pe_event e;
		size_t i;

		naming = pe_generic_naming(row, &words);
		if (!naming.name)
			break;
		e = pe_generic_event(row);
		err = pe_event_add(c, &e, &naming, &i);
	}
	return err;
}

static int list_sysfs_event(struct component *c, const struct pe_pmu *pmu,
			    const char *event)
{
	struct pe_state *state = pe_state_of(c);
	struct pe_naming naming = { .parent = EVENT_NO_PARENT };
	struct pe_event e;
	char *name, *unit;
	size_t i;
	int err;

	if (pe_pmu_encode(&state->pmus, c->fs, pmu, event, 1, &e, NULL))
		return 0; /* it wants a value that only a user can give */
	name = str_format("%s/%s/", pmu->name, event);
	if (!name)
		return PAPI_ENOMEM;
	unit = pe_pmu_unit(c->fs, pmu, event);
	if (unit)
		naming.unit = pe_state_keep(state, unit);
	free(unit);
	naming.name = name;
	err = pe_event_add(c, &e, &naming, &i);
	free(name);
	return err;
}

static int list_sysfs(struct component *c)
{
	struct pe_state *state = pe_state_of(c);
	int err = pe_pmus_load(&state->pmus, c->fs);

	for (size_t p = 0; p < state->pmus.n && !err; p++) {
		const struct pe_pmu *pmu = &state->pmus.items[p];
		char **names;
		size_t n;

		err = pe_pmu_events(c->fs, pmu, &names, &n);
		if (err)
			break;
		for (size_t i = 0; i < n && !err; i++)
			err = list_sysfs_event(c, pmu, names[i]);
		fs_free_names(names, n);
	}
	return err;
}

int pe_names_list(struct component *c)
{
	int err = list_generic(c);

	if (!err)
		err = list_sysfs(c);
	if (err)
		return err;
	if (!pe_pmus_are_whole(&pe_state_of(c)->pmus, c->fs))
		return pe_pfm_list(c);
	c->left_out = PE_NO_PMU;
	return 0;
}
