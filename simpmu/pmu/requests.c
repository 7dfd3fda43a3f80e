/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Client requests: what the library in the guest asks for. Pointers are the
 * guest's and in the same address space; only the library makes them.
 */
#include "simpmu/model/params.h"
#include "simpmu/pmu/pmu.h"

static int hello(struct wire_hello *hello)
{
	if (hello->version != WIRE_VERSION)
		return WIRE_EINVAL;
	hello->events = events_count();
	hello->programmable = (uint32_t)__builtin_popcount(pmu.have & WIRE_ANY);
	hello->fixed = (uint32_t)__builtin_popcount(pmu.have & ~WIRE_ANY);
	hello->unlimited = pmu.opt.unlimited;
	hello->blind = pmu.opt.blind != 0;
	hello->line_bytes = pmu.line_bytes;
	for (size_t i = 0; i < sizeof(hello->model); i++)
		hello->model[i] = pmu.model[i];
	return (int)WIRE_MAGIC;
}

static int tell_params(struct params *to, uint64_t bytes)
{
	if (bytes != sizeof(*to))
		return WIRE_EINVAL;
	*to = *engine_params();
	return 1;
}

static int describe(uint64_t number, struct wire_event *out)
{
	const struct pmu_event *event =
		number < events_count() ? events_get((uint32_t)number) : NULL;
	size_t i;

	if (!event)
		return WIRE_ENOEVNT;
	for (i = 0; i < sizeof(out->name); i++)
		out->name[i] = event->name[i];
	for (i = 0; event->text[i] && i + 1 < sizeof(out->text); i++)
		out->text[i] = event->text[i];
	out->text[i] = 0;
	out->counters = event->counters;
	return 0;
}

/* Valgrind's number of the thread that the kernel calls @lwp; 0: none. */
static unsigned thread_of(int32_t lwp)
{
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++)
		if (pmu.lwp[tid] == lwp && lwp != LWP_CREATED)
			return tid;
	return 0;
}

static int open_set(unsigned caller, struct wire_open *request)
{
	unsigned tid = request->tid ? thread_of(request->tid) : caller;
	uint32_t id;
	int err;

	if (!tid)
		return WIRE_EINVAL;
	err = set_open(request, &id);
	if (err)
		return err;
	set_get(id)->inside = true;
	set_add_member(id, tid);
	if (request->flags & WIRE_INHERIT)
		control_share_set(id, request);
	return (int)id;
}

static int close_set(uint32_t id)
{
	if (!set_get(id))
		return WIRE_ENOEVST;
	control_unshare_set(id);
	set_close(id);
	return 0;
}

static int read_set(uint32_t id, struct wire_count *counts)
{
	struct pmu_set *set = set_get(id);

	if (!set)
		return WIRE_ENOEVST;
	set_read(id, counts);
	if (set->control >= 0)
		control_add_others(set, counts);
	return 0;
}

static int start_set(uint32_t id, struct wire_count *counts)
{
	int err = set_share_counters(id);

	if (!err)
		err = set_start(id);
	return err ? err : read_set(id, counts);
}

static int stop_set(uint32_t id, struct wire_count *counts)
{
	int err = set_stop(id);

	return err ? err : read_set(id, counts);
}

static int take_overflow(uint32_t id, struct wire_overflow *out)
{
	struct pmu_set *set = set_get(id);

	if (!set)
		return WIRE_ENOEVST;
	if (set->taken == set->queued)
		return 0;
	*out = set->queue[set->taken++ % OVERFLOW_QUEUE];
	return 1;
}

static int tell_truth(uint32_t id, uint64_t *values)
{
	struct pmu_set *set = set_get(id);

	if (!set)
		return WIRE_ENOEVST;
	set_update(set);
	for (uint32_t i = 0; i < set->n; i++)
		values[i] = set->truth[i];
	return 0;
}

bool request_handle(unsigned tid, const uint64_t *args, uint64_t *result)
{
	uint32_t id = (uint32_t)args[1];
	void *second = (void *)args[2];
	int answer = 0;

	switch (args[0]) {
	case WIRE_HELLO:
		answer = hello((struct wire_hello *)args[1]);
		break;
	case WIRE_DESCRIBE:
		answer = describe(args[1], second);
		break;
	case WIRE_OPEN:
		answer = open_set(tid, (struct wire_open *)args[1]);
		break;
	case WIRE_CLOSE:
		answer = close_set(id);
		break;
	case WIRE_START:
		answer = start_set(id, second);
		break;
	case WIRE_READ:
		answer = read_set(id, second);
		break;
	case WIRE_STOP:
		answer = stop_set(id, second);
		break;
	case WIRE_TAKE:
		answer = take_overflow(id, second);
		break;
	case WIRE_TRUTH:
		answer = tell_truth(id, second);
		break;
	case WIRE_EXCLUDE:
		engine_exclude(args[1], args[2]);
		break;
	case WIRE_COLD:
		engine_make_cold();
		break;
	case WIRE_KEEP:
		answer = engine_keep() ? 1 : WIRE_ENOMEM;
		break;
	case WIRE_BRING_BACK:
		answer = engine_bring_back() ? 1 : WIRE_EINVAL;
		break;
	case WIRE_CENSUS:
		answer = control_census((struct wire_census *)args[1]);
		break;
	case WIRE_PARAMS:
		answer = tell_params((struct params *)args[1], args[2]);
		break;
	default:
		return false;
	}
	*result = (uint64_t)(int64_t)answer;
	return true;
}
