/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The seam to the PMU layer (simpmu/pmu/engine.h): totals of threads, which
 * machine is meant, and what this engine cannot do. Architectural signals are
 * counted by translated code; what is modelled comes from model/.
 */
#include "simpmu/fast/engine.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/count.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/keep/keep.h"
#include "simpmu/fast/model/error.h"
#include "simpmu/fast/model/log.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/model/sample.h"
#include "simpmu/fast/path.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/model/params.h"
#include "simpmu/pmu/engine.h"
#include "simpmu/pmu/host.h"

extern void call_with_fpu(void (*function)(void *), void *context);

static struct {
	struct params params;
	bool is_chosen;
	const char *model; /* NULL: the default */
	const char *dump;  /* file for all signals, or NULL */
	uint64_t at_fork[TALLY_COUNT];
	unsigned parts; /* to be modelled whatever is asked for */
} state;

static const char *const signal_names[TALLY_COUNT] = {
#define X(name, text) [TALLY_##name] = #name,
	ARCH_TALLIES(X)
#undef X
#define X(name, part, text) [TALLY_##name] = #name,
		MODEL_TALLIES(X)
#undef X
};

bool engine_option(const char *arg)
{
	if (text_begins(arg, "--model="))
		state.model = arg + text_length("--model=");
	else if (text_begins(arg, "--signals="))
		state.dump = arg + text_length("--signals=");
	else if (text_begins(arg, "--parts="))
		state.parts = (unsigned)host_number(
			arg + text_length("--parts="), &arg);
	else if (text_begins(arg, "--code-bytes="))
		emit_limit(
			host_number(arg + text_length("--code-bytes="), &arg));
	else if (text_begins(arg, "--hot="))
		enter_hot_after(host_number(arg + text_length("--hot="), &arg));
	else if (text_equal(arg, "--exact-cycles"))
		sample_all = true;
	else
		return text_begins(arg, "--from=exec") || keep_option(arg);
	return true;
}

const struct params *engine_params(void)
{
	struct params_error error;
	char *text;

	if (state.is_chosen)
		return &state.params;
	state.is_chosen = true;
	if (params_builtin(&state.params, state.model))
		return &state.params;
	text = sys_read_file(state.model);
	if (!text)
		host_give_up(125, "no model '%s', nor a file of that name",
			     state.model);
	if (!params_parse(&state.params, text, &error))
		host_give_up(125, "%s", error.text);
	return &state.params;
}

void engine_totals(unsigned tid, uint64_t out[TALLY_COUNT])
{
	const struct thread *t = thread_numbered(tid);

	memset(out, 0, TALLY_COUNT * sizeof(*out));
	machine_catch_up();
	if (!t)
		return;
	count_add(t, out);
	machine_add(t, out);
}

void engine_process_totals(uint64_t out[TALLY_COUNT])
{
	memset(out, 0, TALLY_COUNT * sizeof(*out));
	machine_catch_up();
	engine_lock();
	count_add_ended(out);
	machine_add_ended(out);
	for (const struct thread *t = threads; t; t = t->next) {
		count_add(t, out);
		machine_add(t, out);
	}
	engine_unlock();
}

bool engine_estimates(void)
{
	return !sample_all;
}

uint64_t engine_disturbances(void)
{
	static uint64_t n;

	return ++n;
}

/* ---- what is not here ---- */

unsigned engine_supported(void)
{
	return MACHINE_PARTS;
}

void engine_select(unsigned parts)
{
	machine_select(parts | state.parts);
}

unsigned engine_selected(void)
{
	return log_parts;
}

void engine_make_cold(void)
{
	machine_make_cold();
}

const struct engine_taken *engine_taken_lines(unsigned *n)
{
	*n = 0;
	return NULL;
}

void engine_drain(unsigned tid)
{
	(void)tid;
}

bool engine_keep(void)
{
	return machine_keep();
}

bool engine_bring_back(void)
{
	return machine_bring_back();
}

/* ---- all signals, for tests ---- */

void engine_note_fork(void)
{
	uint64_t totals[TALLY_COUNT];

	if (!state.dump)
		return;
	engine_process_totals(totals);
	memcpy(state.at_fork, totals, sizeof(state.at_fork));
}

/* The name of the file, with the process id for %p. */
static void name_of_dump(char *to, size_t capacity)
{
	size_t n = 0;

	for (const char *from = state.dump; *from && n + 24 < capacity;
	     from++) {
		if (from[0] != '%' || from[1] != 'p') {
			to[n++] = *from;
			continue;
		}
		n += text_format(to + n, capacity - n, "%d",
				 (uint64_t)host_pid());
		from++;
	}
	to[n] = '\0';
}

void engine_dump(void)
{
	uint64_t totals[TALLY_COUNT], error = 0, flushes;
	char text[8192], name[4096];
	size_t n = 0;

	if (!state.dump)
		return;
	engine_process_totals(totals);
	for (int s = 0; s < (state.parts ? TALLY_COUNT : TALLY_ARCH_COUNT); s++)
		n += text_format(text + n, sizeof(text) - n, "%s %d\n",
				 signal_names[s], totals[s] - state.at_fork[s]);
	/* loading translations of an earlier run is one, too */
	flushes = block_epoch() - (keep_loaded() != 0);
	if (flushes)
		n += text_format(text + n, sizeof(text) - n, "flushes %d\n",
				 flushes);
	if (keep_loaded())
		n += text_format(text + n, sizeof(text) - n, "loaded %d\n",
				 keep_loaded());
	if (state.parts & PART_CYCLE) {
		call_with_fpu(error_of_cycles, &error);
		n += text_format(text + n, sizeof(text) - n,
				 "CYCLES_ERROR %d\n", error);
	}
	name_of_dump(name, sizeof(name));
	host_write_file(name, text, n);
}
