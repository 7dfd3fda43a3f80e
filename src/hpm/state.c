/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the state, gives each thread its sections and EventSet, and releases
 * them when it ends. The calls of hpm.h are left to hpm.c.
 */
#include "hpm/state.h"

#include <errno.h>
#include <papi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <assay/assay.h>

#include "base/array.h"
#include "base/clock.h"
#include "hpm/live.h"

static pthread_mutex_t global_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hpm_state *_Atomic current;
/* Other threads may still be at work in these, so they are kept. */
static struct hpm_state *finished;
/* Looked at by every call, so without asking ld.so where they are. */
#define HOT __attribute__((tls_model("initial-exec")))
static _Thread_local struct hpm_thread *self HOT;
static _Thread_local struct hpm_state *self_state HOT; /* self's */
static _Thread_local char error[256];
/* Of the calling thread: a call is going on; what came meanwhile. */
static _Thread_local volatile sig_atomic_t calling HOT;
static _Thread_local volatile sig_atomic_t deferred HOT;
static void (*volatile on_deferred)(int signal);
/* Its destructor lets go of what a thread that ends has open. */
static pthread_key_t key;
static bool has_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

void state_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, sizeof(error), format, args);
	va_end(args);
}

const char *state_error(void)
{
	return error;
}

/* The rank that an MPI launcher or batch system gave, or @otherwise. */
static int rank_or(int otherwise)
{
	static const char *const names[] = {
		"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
		"MV2_COMM_WORLD_RANK",  "SLURM_PROCID", "ALPS_APP_PE"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text = secure_getenv(names[i]);

		if (text && *text >= '0' && *text <= '9')
			return atoi(text);
	}
	return otherwise;
}

static bool cost_init(struct cost *cost, size_t n)
{
	cost->n = n;
	cost->inside = calloc(n, sizeof(*cost->inside));
	cost->full = calloc(n, sizeof(*cost->full));
	cost->spread = calloc(n, sizeof(*cost->spread));
	return cost->inside && cost->full && cost->spread;
}

static void cost_fini(struct cost *cost)
{
	free(cost->inside);
	free(cost->full);
	free(cost->spread);
}

/* Calls, and signals that come while one is going on. */

bool call_begin(void)
{
	struct hpm_state *state;

	if (!calling) {
		calling = 1;
		return true;
	}
	state = state_current();
	if (state)
		atomic_fetch_add(&state->nested, 1);
	return false;
}

void call_end(void)
{
	int signal;

	calling = 0;
	signal = deferred;
	if (!signal)
		return;
	deferred = 0;
	on_deferred(signal);
}

bool call_defer(int signal, void (*handler)(int signal))
{
	if (!calling)
		return false;
	on_deferred = handler;
	deferred = signal;
	return true;
}

/* Sets. */

static void release_set(struct hpm_thread *t)
{
	events_stop(t->set);
	t->set = PAPI_NULL;
	t->tried = SET_FOR_NOTHING;
}

static void at_thread_end(void *thread)
{
	release_set(thread);
}

static void make_key(void)
{
	has_key = pthread_key_create(&key, at_thread_end) == 0;
}

/* Threads that are still inside read it no more. */
static void release_process_set(struct hpm_state *state, const char *why)
{
	pthread_mutex_lock(&state->process_lock);
	events_stop(state->process_set);
	state->process_set = PAPI_NULL;
	snprintf(state->process_why, sizeof(state->process_why), "%s", why);
	pthread_mutex_unlock(&state->process_lock);
}

#define OR_FEWER                                                               \
	"to fix it: use fewer events (HPM_EVENTS), one kind of sections, or "  \
	"HPM_MULTIPLEX=1"

/*
 * Whether the process's set had to wait for its counters. Unless sections read
 * it, it begins anew, and its values are counts again.
 */
static bool process_waits(struct hpm_state *state)
{
	long long *values = calloc(state->events.counted, sizeof(*values));
	int err = PAPI_OK;

	pthread_mutex_lock(&state->process_lock);
	if (values && state->process_set != PAPI_NULL)
		err = PAPI_read(state->process_set, values);
	if (err && !atomic_load(&state->process_used))
		PAPI_reset(state->process_set);
	pthread_mutex_unlock(&state->process_lock);
	free(values);
	return err != PAPI_OK;
}

/* Try to have both. False: they are too much for the PMU together. */
static bool make_beside(struct hpm_state *state, struct hpm_thread *t)
{
	t->set = events_start(&state->events, false, t->why, sizeof(t->why));
	if (t->set == PAPI_NULL && !*t->why)
		return true; /* there is nothing to count */
	if (t->set != PAPI_NULL && !process_waits(state))
		return true;
	events_stop(t->set);
	t->set = PAPI_NULL;
	process_waits(state); /* what it had to is over */
	atomic_store(&state->crowded, true);
	return false;
}

/* If both do not fit, whose sections came first keep the counters. */
static void make_set(struct hpm_state *state, struct hpm_thread *t)
{
	static const char of_process[] =
		"hpmStart sections use the counters, and there are too few for "
		"hpmTstart as well; " OR_FEWER;
	static const char of_threads[] =
		"hpmTstart sections use the counters, and there are too few "
		"for hpmStart as well; " OR_FEWER;

	if (state->process_set != PAPI_NULL) {
		if (!atomic_load(&state->crowded) && make_beside(state, t))
			return;
		snprintf(t->why, sizeof(t->why), "%s", of_process);
		if (t->tried == SET_FOR_COSTS ||
		    atomic_load(&state->process_used))
			return;
		release_process_set(state, of_threads);
	}
	t->set = events_start(&state->events, false, t->why, sizeof(t->why));
}

bool thread_need_set(struct hpm_state *state, struct hpm_thread *t,
		     enum set_purpose purpose)
{
	/* once: a section's end is read as its beginning is */
	if (t->tried >= (int)purpose)
		return false;
	t->tried = (int)purpose;
	if (t->set != PAPI_NULL)
		return false;
	make_set(state, t);
	pthread_once(&key_once, make_key);
	if (has_key)
		pthread_setspecific(key, t);
	return true;
}

/* What could not be made whole; nobody has seen it yet. */
static void state_free(struct hpm_state *state)
{
	for (int kind = 0; kind < SECTION_KINDS; kind++)
		cost_fini(&state->costs[kind]);
	derive_fini(&state->metrics);
	free(state->quantities);
	events_fini(&state->events);
	free(state);
}

static struct hpm_state *make_state(void)
{
	struct hpm_state *state = calloc(1, sizeof(*state));
	const char *seconds = secure_getenv("HPM_CHECKPOINT");
	struct assay_pmu pmu = { 0 };
	size_t quantities;

	if (!state)
		return NULL;
	assay_exclude_code((const void *)(uintptr_t)make_state);
	pthread_mutex_init(&state->lock, NULL);
	pthread_mutex_init(&state->process_lock, NULL);
	state->pid = getpid();
	state->began_ns = clock_real_ns();
	state->marks = live_marks();
	state->began = time(NULL);
	atomic_store(&state->written_ns, state->began_ns);
	state->process_set = PAPI_NULL;
	if (seconds)
		state->checkpoint_ns = (uint64_t)(strtod(seconds, NULL) * 1e9);
	events_choose(&state->events);
	assay_get_pmu(&pmu);
	state->simulated = pmu.kind == ASSAY_PMU_SIMULATED;
	if (state->simulated)
		missing_begin(&state->missing);
	derive_choose(&state->metrics, &state->events, state->simulated);
	quantities = 1 + state->events.counted;
	state->quantities = calloc(quantities, sizeof(*state->quantities));
	if (!state->quantities) {
		state_free(state);
		return NULL;
	}
	for (int kind = 0; kind < SECTION_KINDS; kind++) {
		if (!cost_init(&state->costs[kind], quantities)) {
			state_free(state);
			return NULL;
		}
	}
	state->process_set =
		events_start(&state->events, true, state->process_why,
			     sizeof(state->process_why));
	return state;
}

/* The last part of a path: it becomes part of a file's name. */
static const char *name_of(const char *program)
{
	const char *slash = program ? strrchr(program, '/') : NULL;

	if (slash)
		program = slash + 1;
	return program && *program ? program : program_invocation_short_name;
}

struct hpm_state *state_init(int task, const char *program)
{
	struct hpm_state *state;

	pthread_mutex_lock(&global_lock);
	state = atomic_load(&current);
	if (!state)
		state = make_state();
	if (state) {
		state->task = rank_or(task);
		snprintf(state->program, sizeof(state->program), "%s",
			 name_of(program));
		atomic_store(&current, state);
	}
	pthread_mutex_unlock(&global_lock);
	return state;
}

struct hpm_state *state_current(void)
{
	return atomic_load_explicit(&current, memory_order_acquire);
}

void state_abandon(void)
{
	pthread_mutex_init(&global_lock, NULL);
	atomic_store(&current, NULL);
	self = NULL;
	self_state = NULL;
	if (has_key)
		pthread_setspecific(key, NULL);
}

void state_finish(void)
{
	struct hpm_state *state;

	pthread_mutex_lock(&global_lock);
	state = atomic_exchange(&current, NULL);
	if (state) {
		state->next = finished;
		finished = state;
	}
	pthread_mutex_unlock(&global_lock);
	if (state)
		release_process_set(state, "counting had ended");
	if (self)
		release_set(self); /* others' when they end, or begin anew */
	self = NULL;
	self_state = NULL;
}

static struct hpm_thread *make_thread(struct hpm_state *state)
{
	struct hpm_thread *t = calloc(1, sizeof(*t));
	size_t quantities = state->costs[0].n;

	if (!t)
		return NULL;
	t->now = calloc(2 * quantities, sizeof(*t->now));
	if (!t->now) {
		free(t);
		return NULL;
	}
	t->tid = gettid();
	t->set = PAPI_NULL;
	atomic_flag_clear(&t->lock);
	sections_init(&t->sections, quantities);
	sections_init(&t->costs, quantities);
	pthread_mutex_lock(&state->lock);
	t->number = state->threads_n++;
	atomic_store(state->last ? &state->last->next : &state->threads, t);
	state->last = t;
	pthread_mutex_unlock(&state->lock);
	return t;
}

struct hpm_thread *state_thread(struct hpm_state *state)
{
	if (self && self_state == state)
		return self;
	if (self)
		release_set(self);
	self = make_thread(state);
	self_state = state;
	return self;
}

void thread_lock(struct hpm_thread *t)
{
	while (atomic_flag_test_and_set_explicit(&t->lock,
						 memory_order_acquire))
		sched_yield();
}

bool thread_lock_dying(struct hpm_thread *t)
{
	const struct timespec ms = { 0, 1000000 };

	for (int i = 0; i < 300; i++) {
		if (!atomic_flag_test_and_set_explicit(&t->lock,
						       memory_order_acquire))
			return true;
		if (t == self && calling)
			return true; /* it is ours, and we never go back */
		nanosleep(&ms, NULL);
	}
	return false;
}

void thread_unlock(struct hpm_thread *t)
{
	atomic_flag_clear_explicit(&t->lock, memory_order_release);
}

void state_problem(struct hpm_state *state, const char *what, int id,
		   const struct hpm_place *place)
{
	struct problem *p;

	pthread_mutex_lock(&state->lock);
	for (int i = 0; i < state->problems_n; i++) {
		p = &state->problems[i];
		if (p->what == what && p->id == id && p->line == place->line &&
		    strcmp(p->file ? p->file : "", place->file) == 0) {
			p->count++;
			goto unlock;
		}
	}
	if (state->problems_n == PROBLEMS_MAX) {
		state->problems_lost++;
		goto unlock;
	}
	state->problems[state->problems_n++] = (struct problem){
		.what = what,
		.id = id,
		.file = strdup(place->file), /* a plug-in may be closed */
		.line = place->line,
		.count = 1,
	};
unlock:
	pthread_mutex_unlock(&state->lock);
}
