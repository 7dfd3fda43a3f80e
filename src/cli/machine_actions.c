/* SPDX-License-Identifier: BSD-3-Clause */
/* What the words after `assay machine` do. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "cli/machine_verb.h"
#include "console/console.h"
#include "console/kept.h"
#include "machine/machine.h"
#include "write/document.h"

/* In the first line of every file of constants that we keep. */
#define MARK "as assay machine measured it"

static int refuse(const struct cli *cli, const struct diag *diag)
{
	return say_failure(&cli->console, "%s", diag->text);
}

/* ---- keeping ---- */

/* A file of constants that somebody wrote by hand is not ours to replace. */
static bool is_ours(const char *path)
{
	FILE *from = fopen(path, "r");
	char line[512] = "";

	if (!from)
		return true;
	if (!fgets(line, sizeof(line), from))
		line[0] = '\0';
	fclose(from);
	return strstr(line, MARK) != NULL;
}

static int write_constants(const char *path, const struct machine *m,
			   struct diag *diag)
{
	if (!is_ours(path))
		return diag_fail(
			diag, PAPI_EINVAL,
			"%s was not written by assay machine; it was not changed",
			path);
	return kept_write_to(path, machine_write_file, m, diag);
}

int machine_keep(const struct cli *cli, const struct machine *m)
{
	const struct machine_options *o = cli->state;
	struct diag diag = { .text = "" };
	OWNED char *path = NULL;
	int err = machine_store_save(o->folder, m, &diag);

	if (err)
		return refuse(cli, &diag);
	/* A folder elsewhere is a collection, not this user's machines. */
	path = o->folder ? NULL : machine_store_constants(m->name);
	err = path ? write_constants(path, m, &diag) : 0;
	if (!err && path)
		say_note(&cli->console,
			 "stored as '%s'; its constants are in %s", m->name,
			 path);
	return err ? refuse(cli, &diag) : CMD_OK;
}

/* ---- finding ---- */

static bool is_path(const char *name)
{
	struct stat st;

	return strchr(name, '/') || (strchr(name, '.') && !stat(name, &st));
}

/* The machine that @name is: stored, or in a file. */
static int get(const struct cli *cli, const char *name, struct machine *m)
{
	const struct machine_options *o = cli->state;
	struct diag diag = { .text = "" };
	int err;

	if (is_path(name)) {
		err = machine_read(name, m, &diag);
		return err ? refuse(cli, &diag) : CMD_OK;
	}
	err = machine_store_load(o->folder, name, m, &diag);
	return err ? refuse(cli, &diag) : CMD_OK;
}

/* ---- showing ---- */

/* Let the curve that --sweep names be the first. */
static int choose_sweep(const struct cli *cli, struct machine *m)
{
	const struct machine_options *o = cli->state;
	STRBUF(names);

	if (!o->sweep)
		return CMD_OK;
	for (size_t i = 0; i < m->n_sweeps; i++) {
		struct machine_sweep kept = m->sweeps[i];

		strbuf_addf(&names, "%s%s", i ? ", " : "", kept.name);
		if (strcmp(kept.name, o->sweep) != 0)
			continue;
		m->sweeps[i] = m->sweeps[0];
		m->sweeps[0] = kept;
		m->chosen = true;
		return CMD_OK;
	}
	say_error(&cli->console, "there is no curve '%s'; curves: %s", o->sweep,
		  strbuf_text(&names));
	return CMD_USAGE;
}

static int show(const struct cli *cli, struct machine *m,
		const struct format *format)
{
	int status = choose_sweep(cli, m);

	return status ? status
		      : output_write_as(&cli->output, format, m, stdout,
					CMD_OK);
}

int machine_do_measure(struct cli *cli, int argc, char **argv)
{
	const struct machine_options *o = cli->state;
	const struct format *format =
		output_format(&cli->output, machine_formats);
	struct machine m = { 0 };
	int status, kept = CMD_OK;

	(void)argc;
	(void)argv;
	if (!format)
		return CMD_USAGE;
	status = machine_verb_measure(cli, &m);
	if (!status)
		status = show(cli, &m, format);
	if (!status && !o->forget)
		kept = machine_keep(cli, &m);
	machine_fini(&m);
	return status ? status : kept;
}

int machine_do_show(struct cli *cli, int argc, char **argv)
{
	const struct format *format =
		output_format(&cli->output, machine_formats);
	struct machine m = { 0 };
	struct utsname host;
	const char *name = argc > 0 ? argv[0] : NULL;
	int status;

	if (!format)
		return CMD_USAGE;
	if (!name)
		name = uname(&host) == 0 ? host.nodename : "machine";
	status = get(cli, name, &m);
	if (!status)
		status = show(cli, &m, format);
	machine_fini(&m);
	return status;
}

int machine_do_compare(struct cli *cli, int argc, char **argv)
{
	static const struct format formats[] = {
		FORMAT("text", ".txt", machine_compare_text),
		DATA_FORMATS(machine_compare_describe),
		{ 0 },
	};
	const struct format *format = output_format(&cli->output, formats);
	struct machine a = { 0 }, b = { 0 };
	struct machine_pair pair = { &a, &b };
	int status;

	(void)argc;
	if (!format)
		return CMD_USAGE;
	status = get(cli, argv[0], &a);
	if (!status)
		status = get(cli, argv[1], &b);
	if (!status)
		status = output_write_as(&cli->output, format, &pair, stdout,
					 CMD_OK);
	machine_fini(&a);
	machine_fini(&b);
	return status;
}

int machine_do_import(struct cli *cli, int argc, char **argv)
{
	const struct machine_options *o = cli->state;
	struct diag diag = { .text = "" };
	struct machine m = { 0 };
	int status = CMD_OK;

	(void)argc;
	if (machine_read(argv[0], &m, &diag))
		return refuse(cli, &diag);
	if (o->name) {
		free(m.name);
		m.name = strdup(o->name);
	}
	if (!m.name || !machine_is_name(m.name))
		status = say_failure(
			&cli->console,
			"cannot store %s under the name in the file; choose one "
			"with --name",
			argv[0]);
	if (!status)
		status = machine_keep(cli, &m);
	machine_fini(&m);
	return status;
}
