/* SPDX-License-Identifier: BSD-3-Clause */
/* A bundle at work: what to count, and counting it. */

#include "bundle/drive.h"

#include <errno.h>
#include <inttypes.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <assay/assay.h>

#include "base/array.h"
#include "bundle/counts.h"
#include "host/host.h"
#include "lab/experiment.h"
#include "lab/worker.h"

static int no_memory(struct diag *diag)
{
	return diag_fail(diag, PAPI_ENOMEM, "out of memory");
}

/* Become the second program: it is in memory, and has no name elsewhere. */
static void become_program(const struct request *request)
{
	char name[] = "kernels", pin[] = "--pin";
	char *argv[] = { name, pin, NULL };
	int fd = memfd_create("kernels", MFD_CLOEXEC);
	const char *at = request->program;
	size_t left = request->program_bytes;

	while (fd >= 0 && left > 0) {
		ssize_t n = write(fd, at, left);

		if (n < 0 && errno != EINTR)
			_exit(126);
		at += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	fexecve(fd, argv, environ);
	_exit(127);
}

/* In the child: run kernels with the bundle's own code, or the program's. */
static void become(const void *context)
{
	const struct request *request = context;
	char name[] = "kernels", pin[] = "--pin";
	char *argv[] = { name, pin, NULL };

	if (request->program)
		become_program(request);
	exit(worker_main(2, argv));
}

static int start_worker(struct drive *d, struct diag *diag)
{
	return process_spawn(&d->worker, become, d->request, diag);
}

static int ended(struct drive *d, struct diag *diag)
{
	char fate[64];

	process_end(&d->worker);
	return diag_fail(diag, PAPI_ESYS, "the process that runs kernels %s",
			 process_fate(&d->worker, fate, sizeof(fate)));
}

/* Events. */

static int add_event(struct drive *d, const char *name)
{
	struct drive_event event = { .name = strdup(name) };

	if (!event.name || array_add(d->events, d->n_events, event)) {
		free(event.name);
		return PAPI_ENOMEM;
	}
	return 0;
}

static bool is_asked_for(const struct request *request, const char *name)
{
	for (size_t i = 0; i < request->n_events; i++)
		if (classify_means(request->events[i], name))
			return true;
	return request->n_events == 0;
}

/* Those of this machine's events that the request's patterns mean. */
static int list_events(struct drive *d, struct diag *diag)
{
	char *line;
	int err = 0;

	process_send(&d->worker, d->request->gpu ? "events cuda" : "events");
	while (!err && (line = process_wait_line(&d->worker))) {
		if (strcmp(line, "end") == 0)
			return 0;
		if (strncmp(line, "event ", 6) == 0 &&
		    is_asked_for(d->request, line + 6))
			err = add_event(d, line + 6);
	}
	return err ? no_memory(diag) : ended(d, diag);
}

static int learn_events(struct drive *d, struct diag *diag)
{
	const struct request *r = d->request;
	bool patterns = r->n_events == 0;

	for (size_t i = 0; i < r->n_events; i++)
		patterns |= classify_is_pattern(r->events[i]);
	if (patterns)
		return list_events(d, diag);
	for (size_t i = 0; i < r->n_events; i++)
		if (add_event(d, r->events[i]))
			return no_memory(diag);
	return 0;
}

/* "set N N N": events of one more set, by their numbers among all. */
static int take_set(struct drive *d, const char *text)
{
	size_t n = 0;
	char *end;

	if (array_grow(&d->set_sizes, d->n_sets, sizeof(*d->set_sizes)))
		return PAPI_ENOMEM;
	strbuf_add(&d->sets, "set");
	for (;; text = end, n++) {
		unsigned long which = strtoul(text, &end, 10);

		if (end == text || which >= d->n_wanted)
			break;
		strbuf_addf(&d->sets, " %zu", d->wanted[which]);
	}
	strbuf_add(&d->sets, "\n");
	d->set_sizes[d->n_sets++] = n;
	return 0;
}

static int take_sets(struct drive *d, bool again, struct diag *diag)
{
	char *line;

	while ((line = process_wait_line(&d->worker))) {
		if (strcmp(line, "end") == 0)
			return 0;
		if (strncmp(line, "no ", 3) == 0)
			return diag_fail(diag, PAPI_EINVAL,
					 "the events cannot be counted: %s",
					 line + 3);
		if (!again && strncmp(line, "set", 3) == 0 &&
		    take_set(d, line + 3))
			return no_memory(diag);
	}
	return ended(d, diag);
}

/* Say what is wanted. A process that takes another's place is not asked. */
static int brief(struct drive *d, bool again, struct diag *diag)
{
	for (size_t i = 0; i < d->n_events; i++) {
		struct drive_event *event = &d->events[i];
		char *line;

		if (event->reason)
			continue;
		process_send(&d->worker, "want %s", event->name);
		line = process_wait_line(&d->worker);
		if (!line)
			return ended(d, diag);
		if (again)
			continue;
		if (strcmp(line, "ok") == 0)
			d->wanted[d->n_wanted++] = i;
		else if (!(event->reason = strdup(
				   line + (strncmp(line, "no ", 3) ? 0 : 3))))
			return no_memory(diag);
	}
	process_send(&d->worker, "pack");
	return take_sets(d, again, diag);
}

/* The machine. */

static int ask(struct drive *d, const char *what, struct strbuf *to,
	       struct diag *diag)
{
	const char *line;

	process_send(&d->worker, "%s", what);
	line = process_wait_line(&d->worker);
	if (!line)
		return ended(d, diag);
	strbuf_addf(to, "%s\n", line);
	return to->failed ? no_memory(diag) : 0;
}

static int learn_machine(struct drive *d, struct diag *diag)
{
	struct assay_model model;
	int err = ask(d, "hello", &d->hello, diag);

	err = err ? err : ask(d, "where", &d->where, diag);
	if (err)
		return err;
	d->simulated = strncmp(d->hello.text, "pmu sim ", 8) == 0;
	if (strncmp(d->hello.text, "pmu none ", 9) == 0 && !d->request->gpu)
		return diag_fail(diag, PAPI_EINVAL,
				 "this machine has no PMU that this user may "
				 "use: see /proc/sys/kernel/"
				 "perf_event_paranoid, or try it as root");
	if (!d->simulated)
		return geometry_of_host(&d->machine) ? no_memory(diag) : 0;
	if (assay_get_model("self", &model))
		return diag_fail(diag, PAPI_EINVAL, "%s", assay_error());
	geometry_of_model(&model, &d->machine);
	return 0;
}

static int make_plan(struct drive *d, struct diag *diag)
{
	char all_gpu[] = "gpu/*";
	char *gpu[] = { all_gpu, NULL };
	char **kernels = d->request->kernels;

	if (d->request->gpu && !kernels)
		kernels = gpu;
	/* the process that runs them says what a GPU cannot run */
	if (d->request->gpu
		    ? classify_plan_all(&d->plan, &d->machine, kernels)
		    : classify_plan_make(&d->plan, &d->machine, kernels))
		return no_memory(diag);
	if (d->plan.n_units == 0)
		return diag_fail(diag, PAPI_EINVAL,
				 "none of the kernels can be run here");
	return 0;
}

int drive_start(struct drive *d, const struct request *request,
		struct diag *diag)
{
	int err;

	*d = (struct drive){ .request = request };
	err = start_worker(d, diag);
	if (err)
		return err;
	err = learn_machine(d, diag);
	err = err ? err : learn_events(d, diag);
	if (!err && !(d->wanted = calloc(d->n_events + 1, sizeof(*d->wanted))))
		err = no_memory(diag);
	err = err ? err : brief(d, false, diag);
	if (!err && d->n_events == 0)
		err = diag_fail(diag, PAPI_EINVAL,
				"no event of this machine matches those that "
				"the bundle was made for");
	else if (!err && d->n_wanted == 0)
		err = diag_fail(diag, PAPI_EINVAL,
				"none of the events can be counted here: %s",
				d->events[0].reason);
	err = err ? err : make_plan(d, diag);
	if (!err &&
	    !(d->done = calloc(d->plan.n_units * d->n_sets + 1, sizeof(bool))))
		err = no_memory(diag);
	return err;
}

void drive_header(const struct drive *d, struct strbuf *to)
{
	struct fs fs = { .root = "" };
	struct host host;
	bool known = !host_read(&fs, &host);

	strbuf_addf(to, COUNTS_MAGIC "assay %s\n%s", ASSAY_VERSION,
		    strbuf_text(&d->where));
	strbuf_addf(to, "cpu %s%s\n%s", d->simulated ? "simulated on " : "",
		    known && *host.cpu.name ? host.cpu.name : "unknown",
		    strbuf_text(&d->hello));
	if (known)
		host_fini(&host);
	counts_geometry(to, &d->machine);
	strbuf_addf(to, "repeats %u\n", d->request->repeats);
	for (size_t i = 0; i < d->n_events; i++)
		strbuf_addf(to, "event %s\n", d->events[i].name);
	for (size_t i = 0; i < d->n_events; i++)
		if (d->events[i].reason)
			strbuf_addf(to, "refused %zu %s\n", i,
				    d->events[i].reason);
	strbuf_add(to, strbuf_text(&d->sets));
	for (size_t i = 0; i < d->plan.n_units; i++)
		counts_unit(to, &d->plan.units[i], &d->machine);
	strbuf_add(to, "counts\n");
}

/* Units. */

static void ask_for(struct drive *d, size_t unit, size_t set)
{
	const struct experiment_unit *u = &d->plan.units[unit];
	const struct kernel_point *p = &u->point;
	char sets[1024] = "-";

	if (set < sizeof(sets) - 2) {
		memset(sets, '0', set);
		strcpy(sets + set, "1");
	}
	process_send(&d->worker,
		     "run %s %" PRIu64 " %" PRIu64 " %u %u %u %u %d %u %s",
		     u->kernel->name, p->times, p->footprint, p->unit,
		     p->offset, p->pages_per_block, p->k, (int)u->pattern,
		     d->request->repeats, sets);
}

/* "SET REPEAT COUNT ...": the counts go behind those of the repeats before. */
static void take_counts(const struct drive *d, struct strbuf *sets,
			const char *text)
{
	char *rest;
	unsigned long set = strtoul(text, &rest, 10);

	strtoul(rest, &rest, 10);
	if (set < d->n_sets)
		strbuf_add(&sets[set], rest);
}

static void put_counts(const struct drive *d, size_t unit, struct strbuf *sets,
		       struct strbuf *to)
{
	for (size_t s = 0; s < d->n_sets; s++) {
		if (!sets[s].len)
			continue;
		strbuf_addf(to, "c %zu %zu%s .\n", unit, s, sets[s].text);
		to->failed |= sets[s].failed;
		d->done[unit * d->n_sets + s] = true;
	}
}

static void put_refusal(const struct drive *d, size_t unit, const char *why,
			struct strbuf *to)
{
	strbuf_addf(to, "x %zu %s .\n", unit, why);
	for (size_t s = 0; s < d->n_sets; s++)
		d->done[unit * d->n_sets + s] = true;
}

/* A kernel that ended its process is given up; another process goes on. */
static int replace(struct drive *d, size_t unit, struct strbuf *to,
		   struct diag *diag)
{
	char fate[64], why[96];
	int err;

	process_end(&d->worker);
	snprintf(why, sizeof(why), "the program that ran it %s",
		 process_fate(&d->worker, fate, sizeof(fate)));
	put_refusal(d, unit, why, to);
	err = start_worker(d, diag);
	return err ? err : brief(d, true, diag);
}

int drive_unit(struct drive *d, size_t unit, size_t set, struct strbuf *to,
	       struct diag *diag)
{
	OWNED struct strbuf *sets = calloc(d->n_sets, sizeof(*sets));
	int err = 0;
	char *line;

	if (!sets)
		return no_memory(diag);
	ask_for(d, unit, set);
	while ((line = process_wait_line(&d->worker)) &&
	       strcmp(line, "end") != 0) {
		if (strncmp(line, "c ", 2) == 0)
			take_counts(d, sets, line + 2);
		if (strncmp(line, "no ", 3) == 0) {
			put_refusal(d, unit, line + 3, to);
			break;
		}
	}
	if (!line)
		err = replace(d, unit, to, diag);
	else if (strcmp(line, "end") == 0)
		put_counts(d, unit, sets, to);
	for (size_t s = 0; s < d->n_sets; s++)
		strbuf_fini(&sets[s]);
	return !err && to->failed ? no_memory(diag) : err;
}

void drive_end(struct drive *d)
{
	process_end(&d->worker);
	for (size_t i = 0; i < d->n_events; i++) {
		free(d->events[i].name);
		free(d->events[i].reason);
	}
	free(d->events);
	free(d->wanted);
	free(d->set_sizes);
	free(d->done);
	strbuf_fini(&d->sets);
	strbuf_fini(&d->hello);
	strbuf_fini(&d->where);
	classify_plan_fini(&d->plan);
}
