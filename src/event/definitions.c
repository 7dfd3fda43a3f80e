/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which definitions are in force: the built-in tables that are for this
 * machine's PMU, then files that the user names, later ones over earlier.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/file.h"
#include "event/events.h"
#include "event/tables.h"

/* Sections of this CPU hold on any machine whose PMU perf knows. */
#define GENERIC_CPU "perf"

/* "sim-icx" is also a "sim". */
static bool is_pmu(const char *pmu, const char *cpu)
{
	size_t n = strcspn(pmu, "-");

	return ascii_is_same(pmu, cpu) ||
	       (pmu[n] && strlen(cpu) == n && ascii_is_same_n(pmu, cpu, n));
}

static bool is_for_us(const struct events *e, const char *cpu)
{
	if (strcmp(cpu, "*") == 0)
		return true;
	if (!e->hardware)
		return false;
	return strcmp(cpu, GENERIC_CPU) == 0 ||
	       (e->hardware->pmu && is_pmu(e->hardware->pmu, cpu));
}

static bool section_is_for_us(const struct events *e, const struct defs *defs,
			      size_t section)
{
	const struct def_section *s = &defs->sections[section];

	for (size_t i = 0; i < s->n; i++)
		if (is_for_us(e, s->cpus[i]))
			return true;
	return s->n == 0;
}

static int add_user(struct events *e, struct meaning meaning)
{
	struct user_event *user;

	if (array_grow(&e->users, e->n_users, sizeof(struct user_event *)))
		return PAPI_ENOMEM;
	user = calloc(1, sizeof(*user));
	if (!user)
		return PAPI_ENOMEM;
	user->meaning = meaning;
	if (map_set(&e->user_names, meaning.def->name, e->n_users)) {
		free(user);
		return PAPI_ENOMEM;
	}
	e->users[e->n_users++] = user;
	return 0;
}

/* EVENT lines for one CPU in a table of ours are names for encodings. */
static bool is_encoding(const struct meaning *meaning)
{
	return meaning->built_in && !meaning->def->is_preset &&
	       meaning->defs->sections[meaning->def->section].n > 0 &&
	       meaning->def->derived == DERIVED_NOT;
}

static int add_encoding(struct events *e, const struct def *def)
{
	if (array_grow(&e->encoded, e->n_encoded, sizeof(struct def *)) ||
	    map_set(&e->encodings, def->name, e->n_encoded))
		return PAPI_ENOMEM;
	e->encoded[e->n_encoded++] = def;
	return 0;
}

/* A preset that was planned keeps its plan: sets may hold it. */
static int put_in_force(struct events *e, struct meaning meaning)
{
	enum preset preset;

	if (is_encoding(&meaning))
		return add_encoding(e, meaning.def);
	if (!meaning.def->is_preset || !preset_find(meaning.def->name, &preset))
		return add_user(e, meaning);
	if (e->preset_plans[preset].state != PLAN_NOT_YET)
		return 0;
	if (!meaning.built_in)
		e->spare[preset] = (struct meaning){ 0 };
	else if (e->presets[preset].defs != meaning.defs)
		e->spare[preset] = e->presets[preset];
	e->presets[preset] = meaning;
	return 0;
}

/* Make room for @defs to stay. */
static int keep(struct events *e, struct defs *defs)
{
	if (array_grow(&e->files, e->n_files, sizeof(struct defs *)))
		return PAPI_ENOMEM;
	e->files[e->n_files++] = defs;
	return 0;
}

int events_adopt(struct events *e, const char *file, const char *text,
		 size_t len, bool built_in, struct diag *diag)
{
	struct defs *defs;
	int err = (built_in ? defs_parse_shipped : defs_parse)(file, text, len,
							       &defs, diag);

	if (err)
		return err;
	err = keep(e, defs);
	if (err) {
		defs_free(defs);
		return diag_fail(diag, err, "out of memory");
	}
	for (size_t i = 0; i < defs->n; i++) {
		struct meaning meaning = { defs, &defs->defs[i], built_in };

		if (!section_is_for_us(e, defs, meaning.def->section))
			continue;
		err = put_in_force(e, meaning);
		if (err)
			return diag_fail(diag, err, "out of memory");
	}
	return 0;
}

static bool table_is_for_us(const struct events *e,
			    const struct preset_table *table)
{
	if (!table->cpus[0])
		return true;
	for (size_t i = 0; table->cpus[i]; i++)
		if (is_for_us(e, table->cpus[i]))
			return true;
	return false;
}

void events_read_tables(struct events *e)
{
	if (e->tables_read)
		return;
	e->tables_read = true;
	for (size_t i = 0; i < preset_table_count; i++) {
		const struct preset_table *table = &preset_tables[i];

		/* A test reads every table, so that none fails here. */
		if (table_is_for_us(e, table))
			events_adopt(e, table->file, table->text, table->len,
				     true, NULL);
	}
}

int events_load_file(struct events *e, const char *path, struct diag *diag)
{
	OWNED char *text = NULL;
	size_t len;
	int err = file_read(path, &text, &len, diag);

	if (err)
		return err;
	pthread_mutex_lock(&e->lock);
	events_read_tables(e); /* so that the file's come over them */
	err = events_adopt(e, path, text, len, false, diag);
	pthread_mutex_unlock(&e->lock);
	return err;
}

const struct meaning *events_meaning(struct events *e, int code)
{
	const struct meaning *meaning = NULL;
	unsigned i;

	events_read_tables(e);
	switch (code_kind(code)) {
	case CODE_PRESET:
		i = PRESET_INDEX(code);
		meaning = i < PRESET_COUNT ? &e->presets[i] : NULL;
		break;
	case CODE_USER:
		i = USER_INDEX(code);
		meaning = i < e->n_users ? &e->users[i]->meaning : NULL;
		break;
	default:
		break;
	}
	return meaning && meaning->def ? meaning : NULL;
}
