/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of metrics, their groups, and what they need. */

#include "measure/metrics.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "metric/convert.h"

bool metrics_is_input(const char *name)
{
	return strcmp(name, "wall_s") == 0 || strcmp(name, "#") == 0;
}

/* "hpm" from "/somewhere/hpm.txt". */
static char *stem_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return strndup(name,
		       dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/*
 * The names under which sections of a file are for PMU @pmu: its own, and for
 * a simulated one ("sim-icx") also "sim".
 */
struct pmu_names {
	char family[32];
	const char *names[3];
};

static const char *const *names_of(struct pmu_names *p, const char *pmu)
{
	size_t n = strcspn(pmu, "-");

	memset(p, 0, sizeof(*p));
	if (!*pmu)
		return NULL;
	p->names[0] = pmu;
	if (pmu[n] && n < sizeof(p->family)) {
		memcpy(p->family, pmu, n);
		p->names[1] = p->family;
	}
	return p->names;
}

static void free_file(struct metric_file *file)
{
	metric_set_free(file->set);
	defs_free(file->defs);
	free(file->name);
}

/*
 * The machine's constants take the place of those of shipped files; of the
 * user's only if the user named the machine, too.
 */
static bool takes_constants(const struct metrics *m, bool shipped)
{
	return m->constants && (shipped || m->constants->is_users);
}

struct file_text {
	const char *path;
	const char *text;
	size_t length;
	bool shipped;
};

static int add_file(struct metrics *m, const struct file_text *from,
		    const char *pmu, struct diag *diag)
{
	struct metric_file file = { .name = stem_of(from->path),
				    .shipped = from->shipped };
	struct pmu_names names;
	const char *const *cpus = names_of(&names, pmu);
	int err = file.name ? 0 : PAPI_ENOMEM;

	if (!err && from->shipped)
		err = defs_parse_for(from->path, from->text, from->length, cpus,
				     &file.defs, diag);
	else if (!err)
		err = convert_parse(from->path, from->text, from->length,
				    &file.defs, diag);
	if (!err && takes_constants(m, from->shipped))
		err = constants_apply(m->constants, file.defs);
	if (!err)
		err = metric_set_new(file.defs, cpus, &file.set, diag);
	if (!err)
		err = array_grow(&m->files, m->n, sizeof(file));
	if (err) {
		free_file(&file);
		return err;
	}
	m->files[m->n++] = file;
	return 0;
}

int metrics_init(struct metrics *m, const char *pmu, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; !err && metric_files[i].file; i++) {
		const char *text = metric_files[i].text;
		struct file_text from = { metric_files[i].file, text,
					  strlen(text), true };

		err = add_file(m, &from, pmu, diag);
	}
	return err;
}

int metrics_load(struct metrics *m, const char *path, const char *pmu,
		 struct diag *diag)
{
	struct file_text from = { .path = path };
	OWNED char *text = NULL;
	int err = file_read(path, &text, &from.length, diag);

	if (err)
		return err;
	from.text = text;
	return add_file(m, &from, pmu, diag);
}

void metrics_fini(struct metrics *m)
{
	for (size_t i = 0; i < m->n; i++)
		free_file(&m->files[i]);
	free(m->files);
	memset(m, 0, sizeof(*m));
}

static const char *category_of(const struct metric_file *file, size_t i)
{
	return def_field(file->set->metrics[i].def, KEY_CATEGORY);
}

bool metrics_in_group(const struct metric_file *file, size_t i,
		      const char *group)
{
	const char *category = category_of(file, i);

	return !group || strcasecmp(file->name, group) == 0 ||
	       (category && strcasecmp(category, group) == 0);
}

static int add_events_of(const struct metric_file *file, size_t i,
			 struct selection *s)
{
	const struct metric *metric = &file->set->metrics[i];
	int err = 0;

	for (size_t k = 0; !err && k < metric->n_slots; k++) {
		const char *name = file->set->names.names[metric->slots[k]];

		if (!metrics_is_input(name))
			err = selection_add(s, name);
	}
	return err;
}

int metrics_add_events(const struct metrics *m, const char *group,
		       struct selection *s)
{
	bool found = false;
	int err = 0;

	for (size_t f = 0; f < m->n; f++)
		for (size_t i = 0; !err && i < m->files[f].set->n; i++) {
			if (!metrics_in_group(&m->files[f], i, group))
				continue;
			found = true;
			err = add_events_of(&m->files[f], i, s);
		}
	return err || found ? err : PAPI_ENOEVNT;
}

static bool is_listed(const struct selection *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcasecmp(names->names[i], name) == 0)
			return true;
	return false;
}

char *metrics_group_names(const struct metrics *m)
{
	struct selection names = { 0 };
	struct strbuf text = { 0 };

	for (size_t f = 0; f < m->n; f++)
		selection_add(&names, m->files[f].name);
	for (size_t f = 0; f < m->n; f++)
		for (size_t i = 0; i < m->files[f].set->n; i++) {
			const char *category = category_of(&m->files[f], i);

			if (category && !is_listed(&names, category))
				selection_add(&names, category);
		}
	for (size_t i = 0; i < names.n; i++)
		strbuf_addf(&text, "%s%s", i ? ", " : "", names.names[i]);
	selection_fini(&names);
	return strbuf_take(&text);
}

const struct metric *metrics_find(const struct metrics *m, const char *name,
				  const struct metric_file **file)
{
	for (size_t f = 0; f < m->n; f++) {
		const struct metric *metric =
			metric_set_find(m->files[f].set, name);

		if (metric) {
			*file = &m->files[f];
			return metric;
		}
	}
	return NULL;
}

const char *metrics_text(const struct metrics *m, const char *name)
{
	const struct metric_file *file;
	const struct metric *metric = metrics_find(m, name, &file);

	return metric ? def_title(metric->def) : "";
}

/* ">=2" as ">= 2", after @word. */
static void add_bound(struct strbuf *text, const char *word, const char *bound)
{
	char op[3];
	double limit;

	if (bound && def_parse_threshold(bound, op, &limit))
		strbuf_addf(text, "%s%s%s %g", text->len ? ", " : "", word, op,
			    limit);
}

char *metrics_threshold(const struct def *def)
{
	struct strbuf text = { 0 };

	add_bound(&text, "good ", def_field(def, KEY_GOOD));
	add_bound(&text, "poor ", def_field(def, KEY_BAD));
	return text.len ? strbuf_take(&text) : NULL;
}

char *metrics_goal(const struct def *def)
{
	struct strbuf text = { 0 };

	add_bound(&text, "", def_field(def, KEY_GOOD));
	return text.len ? strbuf_take(&text) : NULL;
}
