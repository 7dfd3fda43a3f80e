/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of machine constants, shipped or the user's. */

#include "measure/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "base/tree.h"
#include "host/cache.h"
#include "host/cpu.h"
#include "machine/machine.h"

#define GENERIC "generic.txt"

/* What `assay machine` writes, as lines of the text format. */
static int lines_from_json(const char *text, struct strbuf *lines,
			   struct diag *diag)
{
	const struct tree *list;
	struct tree *root;
	int err = tree_parse(text, &root, diag);

	if (err)
		return err;
	list = tree_member(root, "constants");
	if (!list || list->kind != TREE_ARRAY)
		err = diag_fail(diag, PAPI_EINVAL,
				"this JSON has no list of constants");
	for (size_t i = 0; !err && i < list->n; i++) {
		const struct tree *value =
			tree_member(&list->items[i], "value");
		const char *name = tree_text(&list->items[i], "name");

		if (name && tree_is(value, TREE_NUMBER))
			strbuf_addf(lines, "#define %s %s\n", name,
				    value->text);
	}
	tree_free(root);
	return err;
}

static int parse(const char *path, const char *text, size_t length,
		 struct defs **out, struct diag *diag)
{
	STRBUF(lines);
	int err;

	if (text[strspn(text, " \t\r\n")] != '{')
		return defs_parse(path, text, length, out, diag);
	err = lines_from_json(text, &lines, diag);
	if (err && diag)
		diag->file = path;
	if (!err && lines.failed)
		err = diag_fail(diag, PAPI_ENOMEM, "out of memory");
	if (!err)
		err = defs_parse(path, strbuf_text(&lines), lines.len, out,
				 diag);
	return err;
}

static int read_users(struct constants *c, const char *path, struct diag *diag)
{
	OWNED char *text = NULL;
	size_t length;
	int err = file_read(path, &text, &length, diag);

	if (err)
		return err;
	err = parse(path, text, length, &c->defs, diag);
	if (!err && c->defs->n_constants == 0)
		err = diag_fail(diag, PAPI_EINVAL, "%s defines no constants",
				path);
	if (!err) {
		c->name = strdup(path);
		err = c->name ? 0 : PAPI_ENOMEM;
	}
	if (err)
		constants_fini(c);
	c->is_users = true;
	return err;
}

/* Whether "icx.txt" is for "sim-icx" or "icx". */
static bool is_for(const char *file, const char *pmu)
{
	size_t n = strlen(file) - strlen(".txt");

	if (strncmp(pmu, "sim-", 4) == 0)
		pmu += 4;
	return strncmp(file, pmu, n) == 0 && pmu[n] == '\0';
}

static int take_shipped(struct constants *c, const struct embedded *file,
			struct diag *diag)
{
	c->name = strndup(file->file, strlen(file->file) - strlen(".txt"));
	if (!c->name)
		return PAPI_ENOMEM;
	c->is_guess = strcmp(file->file, GENERIC) == 0;
	return defs_parse(file->file, file->text, strlen(file->text), &c->defs,
			  diag);
}

/* The shipped file called @name, as in "generic"; NULL: there is none. */
static const struct embedded *find_shipped(const char *name)
{
	for (const struct embedded *f = machine_files; f->file; f++)
		if (strlen(name) + strlen(".txt") == strlen(f->file) &&
		    strncmp(name, f->file, strlen(name)) == 0)
			return f;
	return NULL;
}

/* Whether a constant is there and is @value. */
static bool has(const struct constants *c, const char *name, unsigned value)
{
	return constants_get(c, name) == value;
}

/* The path was only lent to @diag: put it into the sentence. */
static void name_in_sentence(struct diag *diag, const char *path)
{
	struct diag why = *diag;

	diag->file = NULL;
	diag->line = 0;
	diag->column = 0;
	if (!why.file)
		return;
	diag_fail(diag, PAPI_EINVAL, "%s:%zu: %s", path, why.line, why.text);
}

/*
 * What `assay machine` measured of machine @name, if it did. A home may be
 * shared by machines and a virtual one may move, so it must be of this
 * processor.
 */
static int read_measured(struct constants *c, const char *name, bool here,
			 bool *found, struct diag *diag)
{
	struct fs fs = { .root = "" };
	struct host_cpu cpu;
	OWNED char *path = machine_store_constants(name);
	int err = 0;

	*found = false;
	if (path && access(path, R_OK) == 0) {
		err = read_users(c, path, diag);
		c->is_users = false;
		*found = !err;
	}
	if (*found && here &&
	    (cpu_read(&fs, &cpu) || !has(c, "cpu_family", cpu.family) ||
	     !has(c, "cpu_model", cpu.model) ||
	     !has(c, "cpu_stepping", cpu.stepping))) {
		constants_fini(c);
		*found = false;
	}
	if (err && diag)
		name_in_sentence(diag, path);
	return err;
}

int constants_take_line(struct constants *c, const struct fs *fs)
{
	struct host_caches caches;
	unsigned line = 0;
	int err = caches_read(fs, &caches);

	if (err)
		return err;
	/* Of the outermost: that is what comes from memory. */
	for (size_t i = 0; i < caches.n_caches; i++)
		if (caches.caches[i].line_bytes)
			line = caches.caches[i].line_bytes;
	caches_fini(&caches);
	return line ? defs_set_constant(c->defs, "line_bytes", line) : 0;
}

int constants_open(struct constants *c, const char *path, const char *pmu,
		   struct diag *diag)
{
	const struct embedded *file = machine_files;
	const struct embedded *generic = NULL;
	bool simulated = strncmp(pmu, "sim-", 4) == 0;
	struct fs fs = { .root = "" };
	struct utsname host;
	bool found = false;
	int err = 0;

	memset(c, 0, sizeof(*c));
	if (path) {
		file = access(path, F_OK) ? find_shipped(path) : NULL;
		return file ? take_shipped(c, file, diag)
			    : read_users(c, path, diag);
	}
	for (; file->file && !is_for(file->file, pmu); file++)
		if (strcmp(file->file, GENERIC) == 0)
			generic = file;
	/* What was measured here is better than what is shipped, but for a
	 * model, whose constants are known. */
	if (!simulated && uname(&host) == 0)
		err = read_measured(c, host.nodename, true, &found, diag);
	else if (simulated && !file->file)
		err = read_measured(c, pmu, false, &found, diag);
	if (err || found)
		return err;
	err = take_shipped(c, file->file ? file : generic, diag);
	if (!err && !simulated)
		err = constants_take_line(c, &fs);
	return err;
}

void constants_fini(struct constants *c)
{
	free(c->name);
	defs_free(c->defs);
	memset(c, 0, sizeof(*c));
}

double constants_get(const struct constants *c, const char *name)
{
	size_t i;

	if (!c->defs || !map_find(&c->defs->constant_names, name, &i))
		return NAN;
	return c->defs->constants[i].value;
}

int constants_apply(const struct constants *c, struct defs *defs)
{
	int err = 0;

	for (size_t i = 0; !err && i < defs->n_constants; i++) {
		const char *name = defs->constants[i].name;
		double value = constants_get(c, name);

		if (!isnan(value))
			err = defs_set_constant(defs, name, value);
	}
	return err;
}
