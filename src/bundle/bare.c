/* SPDX-License-Identifier: BSD-3-Clause */
/* A bundle that perf stat counts. */

#include "bundle/bare.h"

#include <errno.h>
#include <inttypes.h>
#include <papi.h>
#include <string.h>
#include <sys/utsname.h>

#include <assay/assay.h>

#include "base/strbuf.h"
#include "bundle/counts.h"
#include "bundle/foreign.h"
#include "classify/classify.h"
#include "host/host.h"
#include "lab/worker.h"

/*
 * Perf counts all of the process. What comes before the kernel and after it is
 * the same at each length, so it does not matter; but only if numbers that are
 * longer do not take longer to be read and printed.
 */
#define DIGITS 12

static int no_memory(struct diag *diag)
{
	return diag_fail(diag, PAPI_ENOMEM, "out of memory");
}

static int write_out(const struct strbuf *text, FILE *to, struct diag *diag)
{
	if (text->failed)
		return no_memory(diag);
	if (fputs(strbuf_text(text), to) < 0 || fflush(to))
		return diag_fail(diag, PAPI_ESYS,
				 "cannot write standard output: %s",
				 strerror(errno));
	return 0;
}

int bare_list(const struct request *request, FILE *to, struct diag *diag)
{
	struct kernel_machine machine;
	struct classify_plan plan;
	STRBUF(text);

	if (request->gpu)
		return diag_fail(diag, PAPI_EINVAL,
				 "perf stat does not count a GPU's events");
	if (geometry_of_host(&machine) ||
	    classify_plan_make(&plan, &machine, request->kernels))
		return no_memory(diag);
	for (size_t i = 0; i < plan.n_units; i++) {
		const struct kernel_point *p = &plan.units[i].point;

		strbuf_addf(&text, "%s %0*" PRIu64 " %" PRIu64 " %u %u %u %u\n",
			    plan.units[i].kernel->name, DIGITS, p->times,
			    p->footprint, p->unit, p->offset,
			    p->pages_per_block, p->k);
	}
	classify_plan_fini(&plan);
	return write_out(&text, to, diag);
}

static void put_machine(struct strbuf *to, const struct kernel_machine *machine)
{
	struct fs fs = { .root = "" };
	struct utsname names;
	struct host host;
	bool known = !host_read(&fs, &host);

	strbuf_addf(to, PERF_RUN "assay %s\n", ASSAY_VERSION);
	if (uname(&names))
		strbuf_add(to, "where unknown\n");
	else
		strbuf_addf(to, "where %s, Linux %s\n", names.machine,
			    names.release);
	strbuf_addf(to, "cpu %s\n",
		    known && *host.cpu.name ? host.cpu.name : "unknown");
	if (known)
		host_fini(&host);
	counts_geometry(to, machine);
}

int bare_run(const char *unit, FILE *to, struct diag *diag)
{
	struct experiment_unit u = { .kernel = NULL };
	struct kernel_point *p = &u.point;
	struct kernel_machine machine;
	const char *why;
	char name[64];
	STRBUF(text);
	int err, used = 0;

	if (sscanf(unit,
		   "%63s %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32
		   " %" SCNu32 " %" SCNu32 "%n",
		   name, &p->times, &p->footprint, &p->unit, &p->offset,
		   &p->pages_per_block, &p->k, &used) != 7 ||
	    unit[used])
		return diag_fail(diag, PAPI_EINVAL,
				 "'%s' is not a line of --list", unit);
	u.kernel = kernels_find(name);
	if (!u.kernel)
		return diag_fail(diag, PAPI_EINVAL, "there is no kernel '%s'",
				 name);
	if (geometry_of_host(&machine))
		return no_memory(diag);
	put_machine(&text, &machine);
	strbuf_addf(&text, "unit %s %016" PRIx64 "\n", unit,
		    counts_fingerprint(u.kernel, p, &machine));
	err = write_out(&text, to, diag);
	why = err ? NULL : worker_run_alone(u.kernel, p);
	return why ? diag_fail(diag, PAPI_EINVAL, "%s: %s", name, why) : err;
}
