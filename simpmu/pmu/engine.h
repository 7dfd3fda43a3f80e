/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine, as the PMU layer sees it: signals of threads, which parts of
 * the model run, what is left out, traps on counts, and the life of processes
 * and threads.
 *
 * The engine knows no events, counters or requests. It calls the functions of
 * pmu_hooks (defined by the PMU layer) and is called through the engine_
 * functions below, always from within one of those hooks: guest threads run
 * one at a time, so nothing here needs a lock.
 *
 * A tid is the engine's number of a thread: from 1, reused after its end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/model/tally.h"

/* Guest threads alive at once, and tids stay below: as many as have room for
 * their counters in the simulator's half of the address space. */
#define ENGINE_MAX_TID 1501

/*
 * Not a part of the model, but selected like one: TALLY_PAGE_TOUCH, the only
 * architectural signal that has to look at data addresses.
 */
#define ENGINE_PAGES (1u << 8)

/* What the engine tells the PMU layer. Any of them may be NULL. */
struct engine_hooks {
	/* An option of the command line ("--name=value"); true if known. */
	bool (*option)(const char *arg);

	/* Print the lines of --help that describe the options above. */
	void (*usage)(void);

	/* Options are read; no guest instruction has run; no thread yet. */
	void (*process_start)(void);

	/*
	 * The guest is gone, by exit or by a signal; @status is its exit
	 * status, 0 for a signal. Threads still alive had no thread_exit().
	 */
	void (*process_exit)(int status);

	/* In the child of a fork by @tid; its counts go on, others' are gone.
	 */
	void (*fork_child)(unsigned tid);

	/* In the parent, which has a child now. */
	void (*fork_parent)(void);

	/* @tid is about to exec. If it fails, the guest just goes on. */
	void (*exec)(unsigned tid);

	/*
	 * Another engine will run the program from its beginning: nothing of
	 * this one is to be counted.
	 */
	void (*abandon)(unsigned tid);

	/*
	 * @tid, which is a process of its own that shares the memory of this
	 * one (vfork), is about to exec; that failed; or the program cannot be
	 * simulated. For engines that do not turn vfork into fork.
	 */
	void (*spawn)(unsigned tid);
	void (*spawn_failed)(void);
	void (*spawn_aside)(unsigned why);

	/*
	 * @parent is about to make @tid, which is counted with it: told before
	 * @tid can run, since @parent may have ended when it does. Not for the
	 * first thread. If it comes to nothing, thread_exit() follows.
	 */
	void (*thread_create)(unsigned tid, unsigned parent);

	/* @tid will run its first instruction; @parent is 0 for the first. */
	void (*thread_start)(unsigned tid, unsigned parent);

	/* @tid runs from now on; only where threads run one at a time. */
	void (*thread_runs)(unsigned tid);

	/* @tid ran its last instruction; its totals can still be read. */
	void (*thread_exit)(unsigned tid);

	/*
	 * A client request. args[0] is its code, the rest as the guest gave
	 * them; true if known, with *@result what the guest gets.
	 */
	bool (*request)(unsigned tid, const uint64_t *args, uint64_t *result);

	/*
	 * Guest code of @tid has just stopped running: at system calls, and
	 * at least every 100 000 blocks. For publishing and rotation.
	 */
	void (*safe_point)(unsigned tid);

	/*
	 * A word that changes when somebody outside wants counts published,
	 * and the process's place there; NULL if nobody can.
	 */
	const uint32_t *(*attention)(uint32_t *place);

	/* Whether somebody outside wants a safe point now. */
	bool (*is_wanted)(void);

	/* The simulator has failed, by @what, and will end. */
	void (*failure)(const char *what);

	/* The guest did what may differ from run to run: enum wire_varies. */
	void (*varies)(unsigned what);

	/* The guest is about to exec a program that cannot be simulated; why:
	 * enum wire_aside. */
	void (*leave)(unsigned why);
};

extern const struct engine_hooks pmu_hooks;

/*
 * All signals of @tid since it started, in the order of enum tally. Exact at
 * a client request, at a trap and at a safe point. Signals whose part of the
 * model is off stand still.
 */
void engine_totals(unsigned tid, uint64_t out[TALLY_COUNT]);

/* The same, summed over all threads the process has or had. */
void engine_process_totals(uint64_t out[TALLY_COUNT]);

/* Variances of those that are estimated, not counted; 0 for all others. They
 * only grow, but for what belongs to the last moment. */
void engine_variance(unsigned tid, double out[TALLY_COUNT]);

/* Whether there are any: cycles are estimated. */
bool engine_estimates(void);

/*
 * A number that changes when totals may have changed of a thread that does not
 * run: a line was taken from its cache. Where threads run at the same time it
 * changes always.
 */
uint64_t engine_disturbances(void);

/* The machine being modelled, as option --model chose it. */
struct params;
const struct params *engine_params(void);

/* The parts of the model that this engine can run; and whether its traps watch
 * signals of the model, too. */
unsigned engine_supported(void);
bool engine_traps_model(void);

/*
 * Which parts of the model run: enum model_part and ENGINE_PAGES, or'ed.
 * Costs a retranslation of all code when it changes.
 */
void engine_select(unsigned parts);
unsigned engine_selected(void);

/*
 * Text in [@start, @end) is not the program's: its instructions are in no
 * signal, nor the call (and linkage stub) that leads into it, nor what it
 * calls elsewhere (a mutex of the C library, a user's overflow handler) until
 * it returns to where it was called from. A signal handler that lies in it is
 * left out from delivery to return. For the library's own code.
 */
void engine_exclude(uint64_t start, uint64_t end);

/* Empty caches and TLBs, predictors that know nothing; signals stay. */
void engine_make_cold(void);

/* A line that the instruction at @pc took from another core, @count times, the
 * last time to access @address. */
struct engine_taken {
	uint64_t line, pc, address;
	uint64_t count; /* 0: no entry */
};

/* All there are, @n of them, empty ones among them. */
const struct engine_taken *engine_taken_lines(unsigned *n);

/* Nothing is in flight in the core of @tid afterwards. */
void engine_drain(unsigned tid);

/* Keep what the machine is like, and let it be like that again: see
 * model_keep() and model_bring_back(). */
bool engine_keep(void);
bool engine_bring_back(void);

/*
 * A trap watches a weighted sum of signals and fires at the instruction that
 * makes it cross a threshold, again and again every time it is armed.
 */
#define ENGINE_TRAPS 8

struct engine_trap {
	int32_t weight[TALLY_COUNT]; /* 0 or more each */

	/*
	 * @tid has crossed the threshold. @address is the instruction that
	 * did: for a modelled signal the one that missed, say. The guest will
	 * go on with the next instruction. Arm it again here to go on.
	 */
	void (*fire)(unsigned slot, unsigned tid, uint64_t address);
};

/* Define trap @slot, or remove it with NULL. Armed for no thread at first. */
void engine_trap_set(unsigned slot, const struct engine_trap *trap);

/* Fire after @count more (of the weighted sum) in @tid; 0 disarms. */
void engine_trap_arm(unsigned slot, unsigned tid, uint64_t count);

/* How much is left until it fires; 0 if it is not armed. */
uint64_t engine_trap_left(unsigned slot, unsigned tid);

/*
 * Queue signal @signo to the guest thread @tid with si_code @code and, where
 * a poll signal has them, si_band @band and si_fd @fd. It is delivered before
 * the next guest instruction unless the guest blocks it.
 */
struct engine_signal {
	int signo;
	int code;
	long band;
	int fd;
};

void engine_queue_signal(unsigned tid, const struct engine_signal *signal);
