/* SPDX-License-Identifier: BSD-3-Clause */
/* This machine as the simulated one; see host.h. */

#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/strbuf.h"
#include "console/console.h"
#include "console/kept.h"
#include "machine/arch.h"
#include "machine/format.h"

#define STEPS 1000
#define NAME  "host"

static void show_progress(void *context, double done)
{
	progress_step(context, (size_t)(done * STEPS));
}

int machine_measure_by(const struct console *console, struct lab_clock clock,
		       bool quick, struct machine *m)
{
	struct progress progress;
	struct measure_options options = {
		.clock = clock,
		.quick = quick,
		.progress = show_progress,
		.context = &progress,
	};
	int err;

	progress_start(&progress, console, "measuring", "steps", STEPS);
	err = machine_measure(&options, m);
	progress_end(&progress);
	return err;
}

int machine_measure_host(const struct console *console, bool quick,
			 struct machine *m)
{
	struct lab_clock clock = { arch_ticks, NULL, false };
	int err = machine_describe(m);

	m->measured = (double)time(NULL);
	if (!err)
		err = machine_measure_by(console, clock, quick, m);
	return err ? err : machine_add_nominal(m);
}

/* Whether what was kept is of the processor that is here now. */
static bool is_same(const struct machine *a, const struct machine *b)
{
	return !strcmp(a->vendor, b->vendor) && !strcmp(a->cpu, b->cpu) &&
	       a->family == b->family && a->model == b->model &&
	       a->stepping == b->stepping && a->virtual_ == b->virtual_ &&
	       !a->simulated;
}

static int measure_and_save(const struct console *console, struct machine *m,
			    struct diag *diag)
{
	say_note(console, "measuring this machine for --model " NAME
			  ", once: about 15 seconds");
	if (machine_measure_host(console, true, m))
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	return machine_store_save(NULL, m, diag);
}

static int get(const struct console *console, struct machine *m,
	       struct diag *diag)
{
	struct machine now = { 0 };
	int err = machine_describe(&now) ? PAPI_ENOMEM : 0;

	if (!err)
		err = machine_store_load(NULL, now.name, m, diag);
	if (!err && !is_same(m, &now)) {
		machine_fini(m);
		*m = (struct machine){ 0 };
		err = PAPI_ENOEVNT;
	}
	if (err == PAPI_ENOEVNT)
		err = measure_and_save(console, m, diag);
	machine_fini(&now);
	return err;
}

static int set_name(struct machine *m)
{
	free(m->name);
	m->name = strdup(NAME);
	return m->name ? 0 : PAPI_ENOMEM;
}

int machine_host_model(const struct console *console, char **path,
		       struct diag *diag)
{
	struct machine m = { 0 };
	int err = get(console, &m, diag);

	*path = NULL;
	if (!err)
		err = set_name(&m);
	if (!err) {
		*path = kept_path(KEPT_MACHINES, NAME ".model");
		err = *path ? kept_write_to(*path, machine_write_model, &m,
					    diag)
			    : diag_fail(diag, PAPI_ESYS,
					"no directory for the model of this "
					"machine: HOME is not set");
	}
	machine_fini(&m);
	return err;
}
