/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting this process, which runs under the simulator. An overflow comes as
 * a signal that names the set; what overflowed is then asked for.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "components/components.h"
#include "components/sim/request.h"
#include "components/sim/sim.h"

_Static_assert(sizeof(struct wire_count) == sizeof(struct count) &&
		       offsetof(struct wire_count, variance) ==
			       offsetof(struct count, variance),
	       "counts travel as they are");
_Static_assert(WIRE_EINVAL == PAPI_EINVAL && WIRE_ENOMEM == PAPI_ENOMEM &&
		       WIRE_ENOEVNT == PAPI_ENOEVNT &&
		       WIRE_ECNFLCT == PAPI_ECNFLCT &&
		       WIRE_ENOTRUN == PAPI_ENOTRUN &&
		       WIRE_EISRUN == PAPI_EISRUN &&
		       WIRE_ENOEVST == PAPI_ENOEVST &&
		       WIRE_ENOSUPP == PAPI_ENOSUPP,
	       "errors are PAPI's");

/*
 * Slices with thresholds by set number: a signal handler has no context. A
 * chunk of the table is made when a number in it is first used, and stays.
 */
enum {
	CHUNK = 256,
	CHUNKS = 1024
};
struct chunk {
	_Atomic(struct slice *) slices[CHUNK];
};
static _Atomic(struct chunk *) overflowing[CHUNKS];

/* The place of set @id; NULL: there is none. */
static _Atomic(struct slice *) *place_of(int id)
{
	struct chunk *chunk = id >= 0 && id < CHUNK * CHUNKS
				      ? atomic_load(&overflowing[id / CHUNK])
				      : NULL;

	return chunk ? &chunk->slices[id % CHUNK] : NULL;
}

static bool make_place(int id)
{
	struct chunk *none = NULL, *made;

	if (id < 0 || id >= CHUNK * CHUNKS)
		return false;
	if (place_of(id))
		return true;
	made = calloc(1, sizeof(*made));
	if (made && !atomic_compare_exchange_strong(&overflowing[id / CHUNK],
						    &none, made))
		free(made); /* another thread was first */
	return place_of(id);
}

static void set_place(int id, struct slice *s)
{
	_Atomic(struct slice *) *place = place_of(id);

	if (place)
		atomic_store(place, s);
}

static int overflow_signal(void)
{
	return SIGRTMIN + 5;
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
	struct wire_overflow o;
	int id = info->si_fd;
	_Atomic(struct slice *) *place = place_of(id);
	struct slice *s = place ? atomic_load(place) : NULL;

	(void)signo;
	if (!s)
		return;
	while (sim_request(WIRE_TAKE, (uint64_t)id, (uintptr_t)&o) == 1)
		s->on_overflow(s, o.which, (void *)(uintptr_t)o.address,
			       context);
}

static void catch_signal(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(overflow_signal(), &action, NULL);
}

static bool has_threshold(const struct slice *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->thresholds[i])
			return true;
	return false;
}

static void fill(const struct slice *s, struct wire_open *request)
{
	request->n = (uint32_t)s->n;
	request->flags = (s->opt.inherit ? WIRE_INHERIT : 0u) |
			 (s->opt.multiplex ? WIRE_MULTIPLEX : 0u) |
			 (s->opt.shared ? WIRE_SHARED : 0u);
	request->tid = s->opt.target == TARGET_TASK ? s->opt.tid : 0;
	request->signal = overflow_signal();
	request->slice_ns = s->opt.multiplex_ns;
	for (size_t i = 0; i < s->n; i++) {
		request->events[i] = sim_number(s, i);
		request->thresholds[i] = s->thresholds[i];
	}
}

int inside_open(struct slice *s)
{
	struct sim_slice *mine = s->priv;
	struct wire_open request = { 0 };
	int id = sim_check(s);

	if (id)
		return id;
	fill(s, &request);
	if (has_threshold(s))
		catch_signal();
	id = sim_request(WIRE_OPEN, (uintptr_t)&request, 0);
	/* not of this process: perhaps of another that runs there */
	if (id == PAPI_EINVAL && request.tid && !request.why[0])
		return outside_open_peer(s);
	if (id <= 0)
		return slice_fail(s, id ? id : PAPI_ESYS, "%s",
				  request.why[0] ? request.why
						 : "the simulator refused");
	mine->id = id;
	mine->opened = true;
	if (has_threshold(s) && !make_place(id)) {
		inside_close(s);
		return slice_fail(s, PAPI_ENOMEM,
				  "no memory to report overflows");
	}
	if (has_threshold(s))
		set_place(id, s);
	return 0;
}

void inside_close(struct slice *s)
{
	struct sim_slice *mine = s->priv;

	if (!mine->opened)
		return;
	set_place(mine->id, NULL);
	sim_request(WIRE_CLOSE, (uint64_t)mine->id, 0);
	mine->opened = false;
}

static int ask(struct slice *s, enum wire_request code, struct count *counts)
{
	struct sim_slice *mine = s->priv;
	int err = sim_request(code, (uint64_t)mine->id, (uintptr_t)counts);

	if (err == PAPI_ECNFLCT)
		return slice_fail(s, err,
				  "another EventSet running on this thread "
				  "uses the counters; stop it, or multiplex");
	return err ? slice_fail(s, err, "the simulator refused") : 0;
}

int inside_start(struct slice *s, struct count *counts)
{
	return ask(s, WIRE_START, counts);
}

int inside_read(struct slice *s, struct count *counts)
{
	return ask(s, WIRE_READ, counts);
}

int inside_stop(struct slice *s, struct count *counts)
{
	return ask(s, WIRE_STOP, counts);
}

void sim_make_cold(void)
{
	sim_request(WIRE_COLD, 0, 0);
}

/* Where there is no simulator a request is answered by 0. */
static int ask_machine(enum wire_request request)
{
	int answer = sim_request(request, 0, 0);

	return answer > 0 ? 0 : answer < 0 ? answer : PAPI_ENOSUPP;
}

int sim_keep_state(void)
{
	return ask_machine(WIRE_KEEP);
}

int sim_restore_state(void)
{
	return ask_machine(WIRE_BRING_BACK);
}

int inside_take_census(struct assay_simulation *out)
{
	struct wire_census census;

	if (sim_request(WIRE_CENSUS, (uintptr_t)&census, 0) != 1)
		return PAPI_ENOSUPP;
	*out = (struct assay_simulation){ .killed = census.killed,
					  .lost = census.lost,
					  .first_aside = -1 };
	for (int i = 0; i < ASSAY_ASIDE_KINDS; i++)
		out->aside[i] = census.aside[i];
	return 0;
}
