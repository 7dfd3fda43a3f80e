/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled machine: which one (--model), when it exists, which core a
 * thread runs on, and whose the signals are that a core has counted.
 *
 * A thread has a core of its own as long as there are enough. Only one thread
 * runs at a time, so what a core has counted since it was last looked at is
 * due to the thread that runs on it.
 */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/model/machine.h"
#include "simpmu/vg/fresh.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/second.h"
#include "simpmu/vg/trap.h"

#define BIG       (1u << 20)
#define HUGE_PAGE (2u << 20)

static struct {
	const HChar *name; /* NULL: the default */
	struct params params;
	struct model *model;
	struct core *core_of[ENGINE_MAX_TID];
	unsigned users[MODEL_MAX_CORES];
	uint64_t seen[MODEL_MAX_CORES][TALLY_COUNT]; /* added to totals */
	bool shared; /* there is, or was, a second thread */
} machine;

struct core *machine_idle;

bool machine_option(const HChar *arg)
{
	return VG_STR_CLO(arg, "--model", machine.name);
}

static void give_up(const HChar *format, ...)
{
	va_list args;

	va_start(args, format);
	VG_(vprintf)(format, args);
	va_end(args);
	VG_(exit)(2);
}

/* The whole of a file, 0-terminated; NULL if it cannot be read. */
static HChar *read_text(const HChar *path)
{
	SysRes fd = VG_(open)(path, VKI_O_RDONLY, 0);
	HChar *text = NULL;
	SizeT used = 0;
	Int n = 1;

	if (sr_isError(fd))
		return NULL;
	while (n > 0) {
		text = VG_(realloc)("simpmu.model", text, used + 4097);
		n = VG_(read)((Int)sr_Res(fd), text + used, 4096);
		used += n > 0 ? (SizeT)n : 0;
	}
	VG_(close)((Int)sr_Res(fd));
	text[used] = '\0';
	return text;
}

/* Find out before the guest starts whether there is such a machine. */
void machine_init(void)
{
	struct params_error error;
	HChar *text;

	if (params_builtin(&machine.params, machine.name))
		return;
	text = read_text(machine.name);
	if (!text)
		give_up("simpmu: no model '%s', nor a file of that name\n",
			machine.name);
	if (!params_parse(&machine.params, text, &error))
		give_up("%s:%u:%u: %s\n", machine.name, error.line,
			error.column, error.text);
	VG_(free)(text);
}

const struct params *engine_params(void)
{
	return &machine.params;
}

unsigned engine_supported(void)
{
	return PART_BRANCH | PART_FETCH | PART_DATA | PART_CYCLE | ENGINE_PAGES;
}

bool engine_traps_model(void)
{
	return true;
}

unsigned machine_line_bytes(void)
{
	return machine.params.line_bytes;
}

bool machine_has_bias(void)
{
	return machine.params.bias_limit != 0;
}

/* ---- the model ---- */

/* The model of a large cache hops about in it: ask for 2 MB pages, which the
 * host may have. Valgrind has no call for this. */
static void prefer_huge_pages(Addr start, size_t bytes)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(__NR_madvise), "D"(start), "S"(bytes), "d"(14)
			 : "rcx", "r11", "memory");
	(void)result;
}

/* Fresh pages, zero already. */
static void *get_pages(size_t bytes)
{
	Addr memory = (Addr)fresh_pages(bytes + HUGE_PAGE);

	if (!memory)
		return NULL;
	memory = (memory + HUGE_PAGE - 1) & ~(Addr)(HUGE_PAGE - 1);
	prefer_huge_pages(memory, bytes);
	return (void *)memory;
}

/* The first core: inlined code that may name it wants an address of 31 bits.
 */
static struct {
	_Alignas(64) char memory[sizeof(struct core) + 4096];
	bool taken;
} first_core;

/* Zero, and aligned. */
static void *get_piece(size_t bytes)
{
	Addr memory = (Addr)VG_(calloc)("simpmu.machine", 1, bytes + 63);

	return (void *)((memory + 63) & ~(Addr)63);
}

static void *get_memory(void *ctx, size_t bytes)
{
	(void)ctx;
	if (!first_core.taken && bytes >= sizeof(struct core) &&
	    bytes <= sizeof(first_core.memory)) {
		first_core.taken = true;
		return first_core.memory;
	}
	return bytes >= BIG ? get_pages(bytes) : get_piece(bytes);
}

static void need(bool success)
{
	if (!success)
		give_up("simpmu: no memory for the model %s\n",
			machine.params.name);
}

static void empty_filter(struct filter *filter, uint64_t *stamp)
{
	const struct filter_entry none = { FILTER_NONE, stamp };

	for (unsigned i = 0; i < FILTER_LINES; i++)
		filter->line[i] = none;
	for (unsigned i = 0; i < FILTER_PAGES; i++)
		filter->page[i] = none;
}

static struct core *new_idle(void)
{
	static uint64_t stamp;
	struct core *core = get_piece(sizeof(*core));

	empty_filter(&core->data, &stamp);
	empty_filter(&core->code, &stamp);
	if (machine.params.btb_bits)
		core->btb = get_piece(sizeof(*core->btb)
				      << machine.params.btb_bits);
	second_ignore(core);
	return core;
}

void machine_set_parts(unsigned parts)
{
	static const struct model_alloc alloc = { .get = get_memory };

	parts &= PART_BRANCH | PART_FETCH | PART_DATA | PART_CYCLE;
	if (!parts)
		return;
	second_drain();
	if (machine.model) {
		need(model_set_parts(machine.model, parts));
		return;
	}
	machine.model = model_new(&machine.params, parts, &alloc);
	need(machine.model);
	model_set_decoder(machine.model, wrongpath_decode, NULL);
	machine_idle = new_idle();
}

void engine_make_cold(void)
{
	second_drain();
	if (machine.model)
		model_flush(machine.model);
}

/* All is counted here. */
void engine_variance(unsigned tid, double out[TALLY_COUNT])
{
	(void)tid;
	for (unsigned s = 0; s < TALLY_COUNT; s++)
		out[s] = 0;
}

bool engine_estimates(void)
{
	return false;
}

void engine_drain(unsigned tid)
{
	second_drain();
	if (engine.parts & PART_CYCLE && machine.core_of[tid])
		model_drain(machine.core_of[tid]);
}

/* Without a model all times are alike. */
bool engine_keep(void)
{
	second_drain();
	return !machine.model || model_keep(machine.model);
}

bool engine_bring_back(void)
{
	second_drain();
	return !machine.model || model_bring_back(machine.model);
}

/* ---- what is left for later ---- */

void machine_defer(void)
{
	struct core *core;
	unsigned parts = 0;

	if (!machine.model || !model_core_count(machine.model))
		return;
	core = model_core(machine.model, 0);
	if (!machine.shared && !trap_watches_model && !wrongpath_is_rewritten())
		parts = model_deferrable(machine.model) & engine.parts;
	if (parts != second_parts())
		second_defer(core, parts);
}

bool machine_is_shared(void)
{
	return machine.shared;
}

void machine_share(void)
{
	machine.shared = true;
	if (second_parts())
		translate_now();
}

/* ---- cores ---- */

/* A core without a thread, a new one, or else the least used. */
static struct core *choose_core(void)
{
	unsigned n = model_core_count(machine.model), best = 0;
	struct core *core;

	for (unsigned i = 0; i < n; i++)
		if (machine.users[i] < machine.users[best])
			best = i;
	if (n && !machine.users[best])
		return model_core(machine.model, best);
	core = model_add_core(machine.model);
	need(core || n);
	return core ? core : model_core(machine.model, best);
}

struct core *machine_core(unsigned tid)
{
	struct core **core = &machine.core_of[tid];

	if (!machine.model)
		return NULL;
	if (!*core) {
		*core = choose_core();
		if (!machine.shared) /* with its core, work can be deferred */
			engine_retranslate();
		machine.users[(*core)->index]++;
	}
	return *core;
}

bool machine_btb_index(Addr pc, uint64_t *index)
{
	const struct core *core = machine_core(engine.running);

	if (!core || !core->btb)
		return false;
	*index = btb_index(core, pc);
	return true;
}

void machine_end_thread(unsigned tid)
{
	struct core *core = machine.core_of[tid];

	if (core)
		machine.users[core->index]--;
	machine.core_of[tid] = NULL;
}

void machine_sum(unsigned tid, uint64_t totals[TOTAL_COUNT])
{
	struct core *core = machine.core_of[tid];
	uint64_t *seen;

	if (!core)
		return;
	second_drain();
	seen = machine.seen[core->index];
	for (unsigned s = TALLY_MODEL_FIRST; s < TALLY_COUNT; s++) {
		totals[s] += core->tallies[s] - seen[s];
		seen[s] = core->tallies[s];
	}
}

uint64_t engine_disturbances(void)
{
	return machine.model ? machine.model->contended : 0;
}

/* What @signal of the thread has beyond that of its core, which others had
 * before. */
static uint64_t beyond(const struct core *core, const uint64_t *totals,
		       unsigned signal)
{
	return totals[signal] - core->tallies[signal];
}

void machine_finish_totals(unsigned tid, uint64_t totals[TOTAL_COUNT])
{
	const struct core *core = machine.core_of[tid];

	second_drain();
	if (core)
		model_add_lookups(
			totals, core,
			totals[TALLY_COUNT + EXTRA_SEEN_LOADS] +
				beyond(core, totals, TALLY_SPLIT_LOAD),
			totals[TALLY_COUNT + EXTRA_SEEN_STORES] +
				beyond(core, totals, TALLY_SPLIT_STORE),
			totals[TALLY_COUNT + EXTRA_SEEN_FETCHES]);
}
