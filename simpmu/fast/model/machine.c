/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The modelled machine; see machine.h.
 *
 * A thread has a core of its own as long as there are enough. What a core has
 * counted since it was last looked at is due to the thread whose log was
 * replayed. The lock here guards the models; the engine's lock, if it is needed
 * too, is taken first.
 */
#include "simpmu/fast/model/machine.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/model/error.h"
#include "simpmu/fast/model/lane.h"
#include "simpmu/fast/model/log.h"
#include "simpmu/fast/model/look.h"
#include "simpmu/fast/model/miss.h"
#include "simpmu/fast/model/replay.h"
#include "simpmu/fast/model/script.h"
#include "simpmu/fast/publish.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/model/watch.h"
#include "simpmu/pmu/engine.h"
#include "simpmu/pmu/host.h"

#define PIECES    (1u << 20) /* bytes that small pieces are taken from */
#define HUGE_PAGE (2u << 20)
#define LOG_SHORT 2048u /* bytes of a log where there are more threads */

/* The models: those of the lanes, and the scoreboard's. The model of memory
 * has cycles as well, to be told what accesses wait for. */
#define MODEL_CYCLES LANES
#define MODELS       (LANES + 1)

static const unsigned parts_of[MODELS] = { PART_FETCH | PART_DATA | PART_CYCLE,
					   PART_BRANCH, PART_CYCLE };

static struct {
	volatile int lock;
	struct model *model[MODELS];
	unsigned cores;
	unsigned users[MODEL_MAX_CORES];
	uint64_t seen[LANES][MODEL_MAX_CORES][TALLY_COUNT];
	struct modelled ended; /* sums of threads that are gone */
	uint8_t *piece;
	size_t left;
} machine;

static bool lock_patiently(void)
{
	for (unsigned i = 0;
	     __atomic_exchange_n(&machine.lock, 1, __ATOMIC_ACQUIRE); i++)
		if (!publish_wait(i))
			return false;
	return true;
}

void machine_lock(void)
{
	while (__atomic_exchange_n(&machine.lock, 1, __ATOMIC_ACQUIRE))
		SYS(__NR_sched_yield, 0, 0, 0);
}

void machine_unlock(void)
{
	__atomic_store_n(&machine.lock, 0, __ATOMIC_RELEASE);
}

/* ---- the models ---- */

static void *get_pages(size_t bytes)
{
	uint64_t memory = (uint64_t)sys_memory(bytes + HUGE_PAGE);

	memory = (memory + HUGE_PAGE - 1) & ~(uint64_t)(HUGE_PAGE - 1);
	sys_prefer_huge((void *)memory, bytes);
	return (void *)memory;
}

/* Zeroed, and aligned to a line. */
static void *get_memory(void *ctx, size_t bytes)
{
	void *memory;

	(void)ctx;
	bytes = (bytes + 63) & ~(size_t)63;
	if (bytes >= PIECES / 2)
		return get_pages(bytes);
	if (bytes > machine.left) {
		machine.piece = sys_memory(PIECES);
		machine.left = PIECES;
	}
	memory = machine.piece;
	machine.piece += bytes;
	machine.left -= bytes;
	return memory;
}

/* The model may use SSE registers, which are the guest's. */
extern void call_with_fpu(void (*function)(void *), void *context);

static void need(const void *success)
{
	if (!success)
		host_give_up(125, "no memory for the model %s",
			     engine_params()->name);
}

static void add_core_of(unsigned k)
{
	struct core *core = model_add_core(machine.model[k]);

	need(core);
	model_spread(core);
}

static void set_parts(unsigned k, unsigned parts)
{
	static const struct model_alloc alloc = { .get = get_memory };

	if (machine.model[k]) {
		need(model_set_parts(machine.model[k], parts) ? &alloc : NULL);
		return;
	}
	machine.model[k] = model_new(engine_params(), parts, &alloc);
	need(machine.model[k]);
	for (unsigned i = 0; i < machine.cores; i++)
		add_core_of(k);
	if (k == LANE_BRANCHES)
		model_set_decoder(machine.model[k], wrongpath_decode, NULL);
}

/* The core whose lines of code are watched; NULL: there is none. */
static struct core *watched(void)
{
	struct model *model = machine.model[LANE_MEMORY];

	return model && machine.cores > LOOK_CORE && log_parts & PART_FETCH
		       ? model_core(model, LOOK_CORE)
		       : NULL;
}

static void watch_core(void)
{
	struct core *core = watched();

	if (core)
		need(watch_init(core) ? core : NULL);
}

/* Make the models have what log_parts asks for. */
static void set_all_parts(void *unused)
{
	(void)unused;
	for (unsigned k = 0; k < MODELS; k++)
		if (log_parts & parts_of[k])
			set_parts(k, log_parts & parts_of[k]);
	watch_core();
}

static void add_core(void *unused)
{
	(void)unused;
	for (unsigned k = 0; k < MODELS; k++)
		if (machine.model[k])
			add_core_of(k);
}

/* ---- threads ---- */

/* A core without a thread, a new one, or else the least used. */
static unsigned choose_core(void)
{
	unsigned best = 0;

	for (unsigned i = 0; i < machine.cores; i++)
		if (machine.users[i] < machine.users[best])
			best = i;
	if (machine.cores &&
	    (!machine.users[best] || machine.cores == MODEL_MAX_CORES))
		return best;
	call_with_fpu(add_core, NULL);
	machine.cores++;
	watch_core();
	return machine.cores - 1;
}

static struct core *core_of(unsigned k, unsigned index)
{
	return machine.model[k] ? model_core(machine.model[k], index) : NULL;
}

/* Where bit LOG_BIT of addresses is 0. */
static uint64_t *new_log(void)
{
	uint64_t memory = (uint64_t)sys_memory(4ul * LOG_BYTES);

	return (uint64_t *)((memory + 2ul * LOG_BYTES - 1) &
			    ~(2ul * LOG_BYTES - 1));
}

/* Whether the process has one thread. */
static bool is_alone(void)
{
	return !threads || !threads->next;
}

/* Threads that run at the same time share caches: their logs are short, so that
 * the model sees them take turns. */
static void start_log(struct thread *t)
{
	struct modelled *m = &t->modelled;

	m->done = m->logs[m->log];
	if (!is_alone())
		m->done += (LOG_BYTES - LOG_SHORT) / sizeof(*m->done);
	t->log = (uint64_t)m->done;
}

static void add_thread(struct thread *t)
{
	struct modelled *m = &t->modelled;

	if (!m->is_added) {
		m->is_added = true;
		m->core = choose_core();
		machine.users[m->core]++;
	}
	if (!m->logs[m->log])
		m->logs[m->log] = new_log();
	if (!t->log)
		start_log(t);
	m->memory = core_of(LANE_MEMORY, m->core);
	m->branches = core_of(LANE_BRANCHES, m->core);
	m->cycles = core_of(MODEL_CYCLES, m->core);
	/* the line it begins in */
	if (!m->fetches && log_parts & PART_FETCH)
		m->fetches = 1;
}

void machine_add_thread(struct thread *t)
{
	if (!log_parts)
		return;
	machine_lock();
	/* another core changes the model that lanes are at */
	lane_finish();
	call_with_fpu(miss_end, NULL);
	add_thread(t);
	machine_unlock();
}

static void sum(struct modelled *m, unsigned k, const struct core *core)
{
	uint64_t *seen;

	if (!core)
		return;
	seen = machine.seen[k][m->core];
	for (unsigned s = TALLY_MODEL_FIRST; s < TALLY_COUNT; s++) {
		m->tallies[s] += core->tallies[s] - seen[s];
		seen[s] = core->tallies[s];
	}
}

/* A log, of which the scoreboard has not seen the detailed records. */
struct due {
	struct modelled *m;
	unsigned log;
};

/* What is told of the piece of a log that begins at @from. */
static struct detail *detail_of(struct modelled *m, const uint64_t *from)
{
	for (unsigned i = 0; i < MODELLED_LOGS; i++)
		if (m->details[i].from == from && m->details[i].is_due)
			return &m->details[i];
	return NULL;
}

static void retire_with_fpu(void *of)
{
	const struct due *due = of;

	detail_retire(due->m, &due->m->details[due->log]);
}

/* Let the scoreboard see what both models have gone over. */
static void retire_log(struct modelled *m, unsigned log)
{
	struct due due = { m, log };

	if (m->details[log].is_due)
		call_with_fpu(retire_with_fpu, &due);
}

/* The same for all logs that lanes have, each as soon as they have done it.
 * False if that cannot be waited for. */
static bool retire_given(struct modelled *m)
{
	/* logs are written one after the other, and the next is the oldest */
	for (unsigned i = 1; i <= MODELLED_LOGS; i++) {
		unsigned log = (m->log + i) % MODELLED_LOGS;

		if (m->details[log].is_due && !lane_wait(m->given[log]))
			return false;
		retire_log(m, log);
	}
	return lane_finish();
}

struct piece {
	unsigned lane;
	struct modelled *m;
	const uint64_t *from, *end;
};

static void begin_with_fpu(void *context)
{
	const struct piece *p = context;

	detail_begin(&p->m->details[p->m->log], p->from, p->end);
}

static void begin_piece(struct modelled *m, const uint64_t *end)
{
	struct piece piece = { LANES, m, m->done, end };

	if (log_parts & PART_CYCLE)
		call_with_fpu(begin_with_fpu, &piece);
}

static void replay_with_fpu(void *context)
{
	const struct piece *p = context;

	if (p->lane == LANE_MEMORY)
		replay_memory(p->m, p->from, p->end);
	else
		replay_branches(p->m, p->from, p->end);
}

static void replay_piece(unsigned lane, struct modelled *m,
			 const uint64_t *from, const uint64_t *end)
{
	struct piece piece = { lane, m, from, end };

	m->detail[lane] = detail_of(m, from);
	if (lane == LANE_MEMORY)
		miss_begin_piece(m->detail[lane]);
	if (log_parts & parts_of[lane])
		call_with_fpu(replay_with_fpu, &piece);
}

/* Under the lock. */
static void replay(struct thread *t)
{
	struct modelled *m = &t->modelled;
	uint64_t *end = (uint64_t *)__atomic_load_n(&t->log, __ATOMIC_ACQUIRE);

	if (!m->is_added || !retire_given(m))
		return;
	begin_piece(m, end);
	miss_be_alone(true);
	for (unsigned k = 0; k < LANES; k++)
		replay_piece(k, m, m->done, end);
	call_with_fpu(miss_drain, NULL);
	miss_be_alone(false);
	retire_log(m, m->log);
	m->done = end;
	sum(m, LANE_MEMORY, m->memory);
	sum(m, LANE_BRANCHES, m->branches);
}

/* Leave the log to the lanes and go on with the next, when it is empty. */
static void give(struct thread *t)
{
	struct modelled *m = &t->modelled;

	begin_piece(m, (uint64_t *)t->log);
	m->given[m->log] = lane_give(m, m->done, (uint64_t *)t->log);
	m->log = (m->log + 1) % MODELLED_LOGS;
	if (!m->logs[m->log])
		m->logs[m->log] = new_log();
	lane_wait(m->given[m->log]);
	retire_log(m, m->log);
	start_log(t);
}

void machine_empty_log(struct thread *t)
{
	if (!t->modelled.is_added)
		return;
	wrongpath_look();
	machine_lock();
	if (is_alone() && lane_is_ready(replay_piece)) {
		call_with_fpu(miss_begin, machine.model[LANE_MEMORY]);
		give(t);
	} else {
		replay(t);
		start_log(t);
	}
	machine_unlock();
}

struct addition {
	const struct modelled *m;
	uint64_t *out;
};

static void add_estimate_with_fpu(void *addition)
{
	const struct addition *a = addition;

	estimate_add(&a->m->estimate, &a->m->samplers[REPLAY_CYCLES], a->out);
}

static void add_estimate(const struct modelled *m, uint64_t out[TALLY_COUNT])
{
	struct addition a = { m, out };

	call_with_fpu(add_estimate_with_fpu, &a);
}

static void add_up(struct modelled *to, const struct modelled *m)
{
	to->loads += m->loads;
	to->stores += m->stores;
	to->fetches += m->fetches;
	for (unsigned s = TALLY_MODEL_FIRST; s < TALLY_COUNT; s++)
		to->tallies[s] += m->tallies[s];
	add_estimate(m, to->tallies);
}

void machine_end_thread(struct thread *t)
{
	struct modelled *m = &t->modelled;

	if (!m->is_added)
		return;
	machine_lock();
	replay(t);
	add_up(&machine.ended, m);
	call_with_fpu(error_keep, m);
	machine.users[m->core]--;
	m->is_added = false;
	machine_unlock();
}

bool machine_catch_up_locked(void)
{
	if (!log_parts)
		return true;
	if (!lock_patiently())
		return false;
	for (struct thread *t = threads; t; t = t->next)
		replay(t);
	machine_unlock();
	return true;
}

void machine_stop(void)
{
	machine_catch_up();
	lane_stop();
}

void machine_forget_lanes(void)
{
	lane_forget();
}

void machine_catch_up(void)
{
	if (!log_parts)
		return;
	wrongpath_look();
	engine_lock();
	machine_catch_up_locked();
	engine_unlock();
}

void machine_add_code(void)
{
	if (!log_parts)
		return;
	machine_catch_up();
	wrongpath_change();
}

void machine_change_code(uint64_t start, uint64_t bytes)
{
	if (wrongpath_has(start, bytes))
		machine_add_code();
}

void machine_forget_exits(void)
{
	call_with_fpu(look_flush, watched());
}

void machine_select(unsigned parts)
{
	parts &= MACHINE_PARTS;
	if (parts == log_parts)
		return;
	machine_catch_up();
	engine_lock();
	machine_lock();
	call_with_fpu(miss_end, NULL);
	script_init();
	wrongpath_init();
	log_parts = parts;
	call_with_fpu(set_all_parts, NULL);
	for (struct thread *t = threads; t; t = t->next)
		add_thread(t);
	machine_unlock();
	block_kill_all();
	engine_unlock();
	wrongpath_look();
}

/* ---- reading ---- */

static void add_totals(const struct modelled *m, uint64_t out[TALLY_COUNT])
{
	for (unsigned s = TALLY_MODEL_FIRST; s < TALLY_COUNT; s++)
		out[s] += m->tallies[s];
	out[TALLY_L1D_LOAD] += m->loads + m->tallies[TALLY_SPLIT_LOAD];
	out[TALLY_L1D_STORE] += m->stores + m->tallies[TALLY_SPLIT_STORE];
	out[TALLY_DTLB_LOAD] = out[TALLY_L1D_LOAD];
	out[TALLY_DTLB_STORE] = out[TALLY_L1D_STORE];
	out[TALLY_L1I_ACCESS] += m->fetches;
	out[TALLY_ITLB_ACCESS] = out[TALLY_L1I_ACCESS];
}

void machine_add(const struct thread *t, uint64_t out[TALLY_COUNT])
{
	if (!t->modelled.is_added)
		return;
	add_totals(&t->modelled, out);
	add_estimate(&t->modelled, out);
}

struct modelled *machine_ended(void)
{
	return &machine.ended;
}

void machine_add_ended(uint64_t out[TALLY_COUNT])
{
	add_totals(&machine.ended, out);
}

/* ---- the machine's state ---- */

static void flush_all(void *unused)
{
	(void)unused;
	look_forget(watched());
	for (unsigned k = 0; k < MODELS; k++)
		if (machine.model[k])
			model_flush(machine.model[k]);
}

void machine_make_cold(void)
{
	machine_catch_up();
	call_with_fpu(flush_all, NULL);
}

static void keep_all(void *is_kept)
{
	bool *kept = is_kept;

	look_settle();
	for (unsigned k = 0; k < MODELS; k++)
		if (machine.model[k])
			*kept = *kept && model_keep(machine.model[k]);
}

bool machine_keep(void)
{
	bool kept = true;

	machine_catch_up();
	call_with_fpu(keep_all, &kept);
	return kept;
}

static void bring_back_all(void *is_brought)
{
	bool *brought = is_brought;

	look_forget(watched());
	for (unsigned k = 0; k < MODELS; k++)
		if (machine.model[k])
			*brought =
				*brought && model_bring_back(machine.model[k]);
}

bool machine_bring_back(void)
{
	bool brought = true;

	machine_catch_up();
	call_with_fpu(bring_back_all, &brought);
	return brought;
}
