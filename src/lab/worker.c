/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program that runs kernels and counts them; see worker.h. It prints
 * answers only: who started it decides what to say about them.
 */
#include "lab/worker.h"

#include <inttypes.h>
#include <papi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include <assay/assay.h>

#include "base/array.h"

/* Enough for a chase beyond the largest cache of a model. */
#define MEMORY_BYTES ((size_t)256 << 20)
#define LINE_BYTES   2048

static int refuse(const char *why)
{
	printf("no %s\n", why && *why ? why : "it failed");
	return 0;
}

static int refuse_code(int code)
{
	return refuse(*assay_error() ? assay_error() : PAPI_strerror(code));
}

static void say_hello(void)
{
	static const char *const kinds[] = {
		[ASSAY_PMU_NONE] = "none",
		[ASSAY_PMU_HARDWARE] = "hw",
		[ASSAY_PMU_SIMULATED] = "sim",
	};
	struct assay_pmu pmu = { .kind = ASSAY_PMU_NONE, .name = "" };

	assay_get_pmu(&pmu);
	printf("pmu %s %d %s\n", kinds[pmu.kind], pmu.counters, pmu.name);
}

/* Which machine this is, for who asks from another one. */
static void say_where(void)
{
	struct utsname names;

	if (uname(&names))
		refuse("the system does not say");
	else
		printf("where %s, Linux %s\n", names.machine, names.release);
}

/* Events. */

static bool is_hardware(int code)
{
	struct assay_event_kind kind = { .hardware = 0 };

	return assay_get_event_kind(code, &kind) == PAPI_OK && kind.hardware;
}

static void list_event(int code)
{
	char name[PAPI_MAX_STR_LEN];

	if (PAPI_event_code_to_name(code, name) == PAPI_OK &&
	    is_hardware(code) && !assay_event_available(code, NULL))
		printf("event %s\n", name);
}

/* The event itself if it has no flags, else each of its flags. */
static void list_flags(int component, int code)
{
	int flag = code;

	if (PAPI_enum_cmp_event(&flag, PAPI_NTV_ENUM_UMASKS, component)) {
		list_event(code);
		return;
	}
	do {
		list_event(flag);
	} while (!PAPI_enum_cmp_event(&flag, PAPI_NTV_ENUM_UMASKS, component));
}

/* Whether @component is the PMU, or one of its machine: where that is
 * simulated, the machine's own events, such as its power, are another
 * machine's. */
static bool is_of_pmu(int component)
{
	struct assay_pmu pmu = { .kind = ASSAY_PMU_NONE };
	const PAPI_component_info_t *info = PAPI_get_component_info(component);

	assay_get_pmu(&pmu);
	return pmu.kind != ASSAY_PMU_SIMULATED ||
	       (info && strcmp(info->name, "sim") == 0);
}

static void list_names(int component)
{
	char name[PAPI_MAX_STR_LEN];
	int code = 0 | PAPI_NATIVE_MASK;

	if (PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component))
		return;
	do {
		if (PAPI_event_code_to_name(code, name) == PAPI_OK)
			printf("event %s\n", name);
	} while (!PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component));
}

/* Those of one component, not tried: a GPU has thousands. */
static void list_component(const char *name)
{
	int component = PAPI_get_component_index(name);

	if (component >= 0)
		list_names(component);
	puts("end");
}

static void list_events(void)
{
	int n = PAPI_num_components();

	for (int c = 0; c < n; c++) {
		int code = 0 | PAPI_NATIVE_MASK;

		if (!is_of_pmu(c) ||
		    PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, c))
			continue;
		do {
			list_flags(c, code);
		} while (!PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, c));
	}
	puts("end");
}

static int want(struct worker *worker, const char *name)
{
	struct worker_event event = { .name = NULL };
	int err = PAPI_event_name_to_code(name, &event.code);
	const char *reason = NULL;

	if (err)
		return refuse_code(err);
	err = assay_event_available(event.code, &reason);
	if (err)
		return refuse(reason);
	event.name = strdup(name);
	if (!event.name || array_add(worker->events, worker->n_events, event))
		return PAPI_ENOMEM;
	puts("ok");
	return 0;
}

static int pack(struct worker *worker)
{
	int err = worker_pack(worker);

	if (err)
		return refuse_code(err);
	for (size_t s = 0; s < worker->n_sets; s++) {
		printf("set");
		for (size_t i = 0; i < worker->sets[s].n; i++)
			printf(" %zu", worker->sets[s].members[i]);
		putchar('\n');
	}
	puts("end");
	return 0;
}

/* Kernels. */

/* What is to be run. */
struct order {
	char kernel[64];
	int pattern;
	unsigned repeats;
	char sets[1200]; /* "1001"; "-": all */
};

static bool read_order(const char *text, struct order *order,
		       struct kernel_point *point)
{
	int n = sscanf(text,
		       "%63s %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32
		       " %" SCNu32 " %" SCNu32 " %d %u %1199s",
		       order->kernel, &point->times, &point->footprint,
		       &point->unit, &point->offset, &point->pages_per_block,
		       &point->k, &order->pattern, &order->repeats,
		       order->sets);

	if (n == 9)
		strcpy(order->sets, "-");
	return n >= 9 && order->pattern >= 0 && order->pattern < PATTERN_COUNT;
}

static bool is_wanted(const struct order *order, size_t set)
{
	return order->sets[0] == '-' ||
	       (set < strlen(order->sets) && order->sets[set] == '1');
}

static const char *why_not(const struct kernel *kernel,
			   const struct kernel_point *point)
{
	if (!kernel)
		return "there is no such kernel";
	if (!kernel->run)
		return "it is another program's";
	if (point->times == 0 && !kernel->zero)
		return "it must run at least once";
	if (kernel_lacks(kernel->needs))
		return "this processor lacks the instructions";
	if (kernel_memory(kernel, point) > MEMORY_BYTES)
		return "it needs more memory than is available";
	return NULL;
}

/* What is counted must not depend on what ran before. */
static int set_up(const struct kernel *kernel, struct kernel_run *run)
{
	assay_make_cold();
	run->failed = NULL;
	kernel_prepare(kernel, run);
	return run->failed ? PAPI_ESYS : 0;
}

static void take_down(const struct kernel *kernel, struct kernel_run *run)
{
	if (kernel->release)
		kernel->release(run);
}

/* As often as it is worth; long runs need it less. */
static unsigned rehearsals(const struct kernel *kernel,
			   const struct kernel_point *point)
{
	uint64_t most = 1 + 400000 / (point->times + 1);

	return kernel->rehearse < most ? kernel->rehearse : (unsigned)most;
}

static int count_set(struct worker *worker, struct worker_set *set,
		     const struct kernel *kernel, struct kernel_run *run,
		     enum experiment_pattern pattern, long long *values)
{
	unsigned rehearse = rehearsals(kernel, &run->point);
	int err = worker_need_set(worker, set);
	/* here it is in the same place in every worker; where it comes from
	 * depends on what a worker was asked before */
	const struct worker_set here = *set;

	if (err)
		return err;
	if (!kernel->steady)
		err = set_up(kernel, run);
	else if (worker->keeps)
		*run = worker->kept;
	/* the last one, which counts, comes by the same way as the others */
	for (unsigned i = 0; i <= rehearse && !err; i++)
		err = worker_count(&here, kernel, run, pattern, values);
	if (!kernel->steady)
		take_down(kernel, run);
	return err;
}

static void put_counts(size_t set, unsigned repeat, const long long *values,
		       size_t n)
{
	printf("c %zu %u", set, repeat);
	for (size_t i = 0; i < n; i++)
		printf(" %lld", values[i]);
	putchar('\n');
}

/* Repeats outside and sets inside: what drifts hits all sets alike. */
static int count_unit(struct worker *worker, const struct kernel *kernel,
		      struct kernel_run *run, const struct order *order)
{
	long long *values = calloc(worker->n_events + 1, sizeof(*values));
	int err = values ? 0 : PAPI_ENOMEM;

	for (unsigned r = 0; r < order->repeats && !err; r++)
		for (size_t s = 0; s < worker->n_sets && !err; s++) {
			struct worker_set *set = &worker->sets[s];

			if (!is_wanted(order, s))
				continue;
			err = count_set(worker, set, kernel, run,
					(enum experiment_pattern)order->pattern,
					values);
			if (!err)
				put_counts(s, r, values, set->n);
		}
	free(values);
	return err;
}

static int run_unit(struct worker *worker, const char *text)
{
	struct kernel_run run = { .memory = worker->memory };
	const struct kernel *kernel;
	struct order order;
	const char *why;
	int err;

	if (!read_order(text, &order, &run.point))
		return refuse("a run needs a kernel and eight numbers");
	kernel = kernels_find(order.kernel);
	why = why_not(kernel, &run.point);
	if (why)
		return refuse(why);
	if (kernel->steady) {
		if (set_up(kernel, &run))
			return refuse(run.failed);
		kernel->run(&run);
		worker->keeps = !assay_keep_state();
		worker->kept = run;
	}
	err = count_unit(worker, kernel, &run, &order);
	if (kernel->steady)
		take_down(kernel, &run);
	if (err)
		return run.failed ? refuse(run.failed) : refuse_code(err);
	puts("end");
	return 0;
}

/* The kernel of an order, set up; NULL after a refusal. */
static const struct kernel *begin(const char *text, struct kernel_run *run)
{
	const struct kernel *kernel;
	struct order order;
	const char *why;

	if (!read_order(text, &order, &run->point)) {
		refuse("a run needs a kernel and eight numbers");
		return NULL;
	}
	kernel = kernels_find(order.kernel);
	why = why_not(kernel, &run->point);
	if (!why && set_up(kernel, run))
		why = run->failed;
	if (why)
		refuse(why);
	return why ? NULL : kernel;
}

static int multiplex(struct worker *worker, const char *text)
{
	struct kernel_run run = { .memory = worker->memory };
	const struct kernel *kernel = begin(text, &run);
	long long *values = calloc(worker->n_events + 1, sizeof(*values));
	int err;

	if (!kernel || !values) {
		free(values);
		return kernel ? PAPI_ENOMEM : 0;
	}
	err = worker_multiplex(worker, kernel, &run, values);
	take_down(kernel, &run);
	if (err)
		refuse_code(err);
	for (size_t i = 0; !err && i < worker->n_events; i++)
		printf("%s %lld", i ? "" : "m", values[i]);
	if (!err)
		putchar('\n');
	free(values);
	return 0;
}

static int sample(struct worker *worker, const char *text)
{
	struct kernel_run run = { .memory = worker->memory };
	const struct kernel *kernel;
	struct worker_sampled sampled;
	unsigned event;
	int threshold, used = 0, err;

	if (sscanf(text, "%u %d %n", &event, &threshold, &used) != 2 ||
	    event >= worker->n_events || threshold < 1)
		return refuse("a sample needs an event and a threshold");
	kernel = begin(text + used, &run);
	if (!kernel)
		return 0;
	err = worker_sample(worker->events[event].code, threshold, kernel, &run,
			    &sampled);
	take_down(kernel, &run);
	if (err)
		return refuse_code(err);
	printf("s %lld %zu\n", sampled.count, sampled.calls);
	for (size_t i = 0; i < WORKER_BUCKETS; i++)
		printf("b %zu %u\n", i, sampled.buckets[i]);
	puts("end");
	return 0;
}

static void say_code(const char *name)
{
	const struct kernel *kernel = kernels_find(name);

	for (const struct kernel_code *c = kernel_codes; c->name; c++) {
		if (!kernel || !kernel->code ||
		    strcmp(c->name, kernel->code) != 0)
			continue;
		printf("code %u %u %u %u %u %u\n", c->instructions, c->loads,
		       c->stores, c->fp, c->sqrt, c->branches);
		return;
	}
	refuse("its code was not counted");
}

static char *take_memory(void)
{
	void *memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

const char *worker_run_alone(const struct kernel *kernel,
			     const struct kernel_point *point)
{
	struct kernel_run run = { .point = *point };
	const char *why = why_not(kernel, point);

	if (why)
		return why;
	run.memory = take_memory();
	if (!run.memory)
		return "there is no memory for it";
	if (set_up(kernel, &run))
		return run.failed;
	kernel->run(&run);
	take_down(kernel, &run);
	return NULL;
}

/* Lines. */

static int obey(struct worker *worker, const char *line)
{
	int err = 0;

	if (strcmp(line, "hello") == 0)
		say_hello();
	else if (strcmp(line, "where") == 0)
		say_where();
	else if (strcmp(line, "events") == 0)
		list_events();
	else if (strncmp(line, "events ", 7) == 0)
		list_component(line + 7);
	else if (strncmp(line, "want ", 5) == 0)
		err = want(worker, line + 5);
	else if (strncmp(line, "code ", 5) == 0)
		say_code(line + 5);
	else if (strcmp(line, "pack") == 0)
		err = pack(worker);
	else if (strncmp(line, "run ", 4) == 0)
		err = run_unit(worker, line + 4);
	else if (strncmp(line, "multiplex ", 10) == 0)
		err = multiplex(worker, line + 10);
	else if (strncmp(line, "sample ", 7) == 0)
		err = sample(worker, line + 7);
	else
		refuse("not a request");
	return fflush(stdout) || err ? -1 : 0;
}

/* On one CPU, where the counters do not move. */
static void pin(void)
{
	cpu_set_t cpus;
	int cpu = sched_getcpu();

	if (cpu < 0)
		return;
	CPU_ZERO(&cpus);
	CPU_SET((size_t)cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

int worker_main(int argc, char **argv)
{
	struct worker worker = { 0 };
	char line[LINE_BYTES];

	if (argc > 1 && strcmp(argv[1], "--pin") == 0)
		pin();
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	worker.memory = take_memory();
	if (!worker.memory)
		return 1;
	while (fgets(line, sizeof(line), stdin) && *line != '\n') {
		line[strcspn(line, "\n")] = '\0';
		if (obey(&worker, line))
			return 1;
	}
	return 0;
}
