/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PMU layer's hooks: what the engine tells of processes and threads, and
 * the options of the command line.
 */
#include "simpmu/pmu/pmu.h"
#include "simpmu/assign.h"
#include "simpmu/model/params.h"
#include "simpmu/pmu/host.h"

struct pmu pmu = { .opt = { .programmable = -1, .fixed = -1 } };

/* xorshift64*, by Marsaglia and Vigna. */
uint64_t pmu_random(uint64_t *state)
{
	uint64_t x = *state ? *state : 0x9e3779b97f4a7c15ULL;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return (x * 0x2545f4914f6cdd1dULL) >> 16;
}

/* The value of option @name in @arg ("--name=value"), or NULL. */
static const char *value_of(const char *arg, const char *name)
{
	while (*name && *arg == *name) {
		arg++;
		name++;
	}
	return *name ? NULL : arg;
}

static uint64_t whole_number(const char *text)
{
	const char *end;
	uint64_t value = host_number(text, &end);

	if (end == text || *end)
		host_give_up(2, "'%s' is not an integer", text);
	return value;
}

/* "unlimited", or how many: "8", or "8+3" with fixed ones. */
static void take_counters(const char *value)
{
	const char *end;

	if (value_of(value, "unlimited")) {
		pmu.opt.unlimited = true;
		return;
	}
	pmu.opt.programmable = (int32_t)host_number(value, &end);
	if (end == value || (*end && *end != '+') ||
	    pmu.opt.programmable > WIRE_PROGRAMMABLE)
		host_give_up(2,
			     "--counters=%s: give up to 16 programmable and 4 "
			     "fixed counters, as in 8+3, or unlimited",
			     value);
	pmu.opt.fixed = *end ? (int32_t)whole_number(end + 1) : 0;
}

static void take_slot(uint64_t passed)
{
	pmu.opt.slot = (uint32_t)(passed % (1u << WIRE_SLOT_BITS)) + 1;
	pmu.opt.shared = (int32_t)(passed >> WIRE_SLOT_BITS);
}

bool pmu_option(const char *arg)
{
	struct pmu_options *opt = &pmu.opt;
	const char *value;

	if ((value = value_of(arg, "--control=")))
		opt->control = value;
	else if ((value = value_of(arg, "--slot=")))
		take_slot(whole_number(value));
	else if ((value = value_of(arg, "--counters=")))
		take_counters(value);
	else if (value_of(arg, "--cycles=sampled"))
		opt->sampled = true;
	else if ((value = value_of(arg, "--blind=")))
		opt->blind = whole_number(value);
	else if ((value = value_of(arg, "--blind-key=")))
		opt->key = value;
	else if ((value = value_of(arg, "--noise=")))
		opt->noise = (uint32_t)whole_number(value);
	else if ((value = value_of(arg, "--seed=")))
		opt->seed = whole_number(value);
	else if ((value = value_of(arg, "--skid=")))
		opt->skid = (uint32_t)whole_number(value);
	else
		return false;
	return true;
}

void pmu_usage(void)
{
	host_print(
		"    --control=FILE            count the events requested in "
		"this file, and publish counts there\n"
		"    --counters=N[+F]          programmable and fixed "
		"counters, or unlimited\n"
		"    --cycles=sampled          cycles may be estimated from "
		"samples\n"
		"    --blind=SEED              hide event names and add "
		"decoys\n"
		"    --blind-key=FILE          write the key to the "
		"--blind codes to FILE\n"
		"    --noise=N                 disturb counts by up to N per "
		"mille\n"
		"    --seed=N                  seed of the noise generator\n"
		"    --skid=N                  instructions between an "
		"overflow and its signal\n");
}

static void start_process(void)
{
	const struct params *params = engine_params();
	uint32_t programmable = params->counters,
		 fixed = params->counters_fixed;

	if (pmu.opt.programmable >= 0) {
		programmable = (uint32_t)pmu.opt.programmable;
		fixed = (uint32_t)pmu.opt.fixed;
	}
	pmu.have = assign_have(programmable, fixed);
	pmu.line_bytes = params->line_bytes;
	for (size_t i = 0; i < sizeof(pmu.model); i++)
		pmu.model[i] = params->name[i];
	pmu.random = (pmu.opt.seed + 1) * 0x9e3779b97f4a7c15ULL;
	events_init(pmu.line_bytes, pmu.opt.blind, pmu.opt.key);
	if (pmu.opt.control && pmu.opt.blind)
		host_give_up(2,
			     "%s cannot ask for events by name in a blind "
			     "test",
			     pmu.opt.control);
	samples_forget();
	control_init(pmu.opt.control);
}

static void end_process(int status)
{
	(void)status;
	control_exit();
}

static void create_thread(unsigned tid, unsigned parent)
{
	pmu.lwp[tid] = LWP_CREATED;
	for (uint32_t id = 1; id < set_limit(); id++) {
		struct pmu_set *set = set_get(id);

		if (set && set->flags & WIRE_INHERIT &&
		    set_has_member(set, parent))
			set_add_member(id, tid);
	}
}

static void start_thread(unsigned tid, unsigned parent)
{
	pmu.lwp[tid] = host_tid();
	if (parent)
		return;
	host_clean_environment(tid);
	control_first_thread(tid);
}

static void forget_thread(unsigned tid)
{
	for (uint32_t id = 1; id < set_limit(); id++)
		if (set_get(id))
			set_remove_member(id, tid);
	order_end(tid);
	pmu.lwp[tid] = 0;
}

static void end_thread(unsigned tid)
{
	control_end_thread(tid);
	forget_thread(tid);
}

static void start_child(unsigned survivor)
{
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++)
		if (pmu.lwp[tid] && tid != survivor)
			forget_thread(tid);
	pmu.lwp[survivor] = host_tid();
	control_fork(survivor);
}

static void reach_safe_point(unsigned tid)
{
	samples_stop(tid);
	control_safe_point();
}

const struct engine_hooks pmu_hooks = {
	.option = pmu_option,
	.usage = pmu_usage,
	.process_start = start_process,
	.process_exit = end_process,
	.fork_child = start_child,
	.fork_parent = control_forked,
	.exec = control_exec,
	.abandon = control_abandon,
	.spawn = control_spawn,
	.spawn_failed = control_spawn_failed,
	.spawn_aside = control_spawn_aside,
	.thread_create = create_thread,
	.thread_start = start_thread,
	.thread_runs = order_run,
	.thread_exit = end_thread,
	.request = request_handle,
	.safe_point = reach_safe_point,
	.attention = control_attention,
	.is_wanted = control_is_wanted,
	.failure = control_fail,
	.varies = control_note,
	.leave = control_leave,
};
