/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What assay offers beyond PAPI's interface.
 *
 * A program that uses PAPI's calls (papi.h) may use these beside them, on the
 * same EventSets and event codes. They add what PAPI's long long cannot carry:
 * where a value comes from, how good it is, and why there is none.
 *
 * Errors are PAPI's codes. Every call may be made from any thread; an EventSet
 * is used by one thread at a time, as in PAPI.
 */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

#include <assay/api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum assay_quality {
	ASSAY_COUNTED,  /* counted all the time that the set ran */
	ASSAY_SCALED,   /* counted part of the time, scaled up to all of it */
	ASSAY_NO_VALUE, /* never counted, or its formula has no value here */
};

/* A value that says where it came from. */
struct assay_value {
	double value;        /* NaN: no value */
	int64_t count;       /* the same, rounded to a whole number: all digits
				of a count, of which a double has 53 bits */
	double error;        /* standard error; 0 when counted; NaN: unknown */
	uint64_t enabled_ns; /* the set ran for so long; where a reset needs no
				system call, since the last one that did */
	uint64_t running_ns; /* with a counter for so long; the least of a
				formula's events */
	enum assay_quality quality;
	int clamped;        /* scaled parts gave a negative count; now 0 */
	const char *source; /* component that counted; static storage */
	const char *unit;   /* "" for a plain count; until the set changes */
	const char *reason; /* why there is no value; else NULL; static */
};

/*
 * Read EventSet @set, running or stopped, as PAPI_read() does. @n is the
 * length of @values and must be at least PAPI_num_events().
 *
 *   PAPI_ENOEVST  no such set
 *   PAPI_EINVAL   @values is NULL or @n too small
 */
ASSAY_API int assay_read(int set, struct assay_value *values, int n);

/*
 * Whether event @code can be counted on this machine now. It is found out by
 * opening and reading it once, and remembered. Returns PAPI_OK, or the code
 * that adding it would give; then *@reason (may be NULL) is a sentence that
 * says why, valid until PAPI_shutdown().
 */
ASSAY_API int assay_event_available(int code, const char **reason);

/*
 * Why the enumeration of @component's events leaves out some that are known:
 * the kernel has no PMU that could count them, as in most virtual machines.
 * NULL if it has them all; valid until PAPI_shutdown().
 */
ASSAY_API const char *assay_left_out(int component);

/* Enumerate them, too, from now on. PAPI_ENOCMP: no such component. */
ASSAY_API int assay_list_left_out(int component);

/*
 * 1 if presets are made of @component's events, 0 if not, as of the network or
 * of a GPU; PAPI_ENOCMP. Also before PAPI_library_init().
 */
ASSAY_API int assay_is_pmu(int component);

/* Whose doing an event counts. */
enum assay_scope {
	ASSAY_SCOPE_THREAD,  /* a thread's; with inheritance its children's */
	ASSAY_SCOPE_PROCESS, /* the calling process's */
	ASSAY_SCOPE_MACHINE, /* everybody's on this machine */
};

/* What kind of event it is. */
struct assay_event_kind {
	enum assay_scope scope; /* the widest of a formula's events */
	int hardware;           /* a PMU's: not 0 if any of its events is */
	int level; /* not 0: a level, as watts are, of which the last is meant,
		      and not what it grew by */
};

/*
 * Put the kind of event @code into *@kind. It needs no counter.
 *
 *   PAPI_ENOEVNT  unknown, or a preset that this machine's PMU lacks
 *   PAPI_EINVAL   @kind is NULL
 */
ASSAY_API int assay_get_event_kind(int code, struct assay_event_kind *kind);

/*
 * The sentence for the last call of this thread that failed: what was wrong,
 * where, and what to do. "" if none failed yet. Valid until the next call.
 */
ASSAY_API const char *assay_error(void);

/*
 * Up to @n known event names that look like @name, best first, into @names
 * (valid until PAPI_shutdown()). Returns how many, or a negative code.
 */
ASSAY_API int assay_nearest_events(const char *name, const char **names, int n);

/*
 * Let an EventSet that is attached to a process count nothing until that
 * process calls exec. Set before PAPI_start().
 */
ASSAY_API int assay_set_start_on_exec(int set);

/*
 * Let an EventSet that is attached to a process, and that its threads and
 * children inherit, keep what each thread counted. Set after PAPI_attach() and
 * PAPI_INHERIT, before PAPI_start(). It takes as many counters of the kernel as
 * there are CPUs, for each event.
 */
ASSAY_API int assay_set_per_thread(int set);

/*
 * Let an EventSet and others of the same thread that ask for it too have one
 * counter together for an event that all of them count. Set before
 * PAPI_start(). It matters on the simulated PMU, where a set that does not fit
 * beside those that run is refused; on other PMUs it has no effect.
 */
ASSAY_API int assay_set_shared(int set);

struct assay_thread {
	int pid;
	int tid;
	char name[16]; /* "" if not known */
};

/* @values are valid during the call. */
typedef void (*assay_thread_fn)(const struct assay_thread *thread,
				const struct assay_value *values, void *data);

/*
 * Call @each for every thread that such an EventSet counted; values are those
 * of assay_read(). Meant for when the process has ended: what threads that
 * still run have counted is told as the first one's.
 *
 *   PAPI_EINVAL   assay_set_per_thread() was not called
 *   PAPI_ENOSUPP  an event's component cannot tell threads apart
 *   PAPI_ECLOST   more threads ended than the kernel had room to tell of
 */
ASSAY_API int assay_read_threads(int set, assay_thread_fn each, void *data);

enum assay_pmu_kind {
	ASSAY_PMU_NONE,
	ASSAY_PMU_HARDWARE,
	ASSAY_PMU_SIMULATED,
};

/* Which PMU counts hardware events for this process. */
struct assay_pmu {
	enum assay_pmu_kind kind;
	const char *name;   /* "icx", "arm_n1", a model's name; "" if none */
	int counters;       /* how many it has; 0 if none */
	const char *reason; /* why there is none; NULL if there is one */
};

ASSAY_API int assay_get_pmu(struct assay_pmu *pmu);

/*
 * The name of the shipped machine model number @i of the simulated PMU; NULL
 * after the last. Number 0 is the default.
 */
ASSAY_API const char *assay_shipped_model(unsigned i);

/*
 * Count children of this process that will run on the simulated PMU. It
 * models the machine @model: a shipped one (NULL: the default) or a file.
 * @counters is how many it has ("8+3", "unlimited"; NULL: the model's), and the
 * simulators are to be told the same. @control is the path of a file that is
 * made by PAPI_library_init() and through which the simulators are spoken to:
 * they are to be started with it. From then on an EventSet that PAPI_attach()
 * binds to such a child counts it as one counts a process on hardware. The
 * caller removes the file in the end.
 *
 * Call it before PAPI_library_init(). With @control "" there is no file: events
 * can be listed, described and tried, and attaching them fails. With @control
 * NULL the model is only checked, at any time.
 *
 *   PAPI_EINVAL  there is no such model, or its file is wrong; assay_error()
 *                says what, with file and line
 *   PAPI_EISRUN  the library is initialised already
 */
ASSAY_API int assay_simulate(const char *model, const char *counters,
			     const char *control);

/*
 * Count process @pid, which runs on the simulated PMU already (assay run --pmu
 * sim), and models a machine of its own choice. From PAPI_library_init() on an
 * EventSet that PAPI_attach() binds to it, or to a process that it started,
 * counts it from PAPI_start() to PAPI_stop() or its end; so it does without
 * this call for a program that runs on the simulated PMU itself. Call it before
 * PAPI_library_init().
 *
 *   PAPI_EINVAL   there is no such process
 *   PAPI_EPERM    it is another user's
 *   PAPI_ENOSUPP  it does not run on the simulated PMU
 *   PAPI_EISRUN   the library is initialised already
 */
ASSAY_API int assay_simulate_process(int pid);

/* Why a program ran without the simulator, so that nothing of it is counted. */
enum assay_aside {
	ASSAY_ASIDE_CLASS,  /* it is not an x86-64 program */
	ASSAY_ASIDE_SETUID, /* it runs with another user's rights */
	ASSAY_ASIDE_UNREAD, /* it may be executed, but not read */
	ASSAY_ASIDE_REACH,  /* the simulator is out of reach: after chroot() or
			       after rights were given up */
	ASSAY_ASIDE_KINDS
};

/* What may make simulated counts differ from run to run; bits. */
enum assay_varies {
	ASSAY_VARIES_THREADS = 1 << 0,
	ASSAY_VARIES_PROCESSES = 1 << 1,
	ASSAY_VARIES_RANDOM = 1 << 2, /* random numbers of the system */
	ASSAY_VARIES_CLOCK = 1 << 3,
	ASSAY_VARIES_IDS = 1 << 4, /* of processes and threads */
	ASSAY_VARIES_NETWORK = 1 << 5,
	ASSAY_VARIES_SECCOMP = 1 << 6, /* it forbids itself system calls, which
					  the simulator may need */
	ASSAY_VARIES_ADDRESSES = 1 << 7, /* the kernel chose some of them */
	ASSAY_VARIES_SYSTEM = 1 << 8     /* read in /proc */
};

/* What became of the processes that were to run on the simulated PMU. */
struct assay_simulation {
	unsigned started; /* programs that simulators began to run */
	unsigned running; /* still run; their counts so far are in the sums */
	unsigned killed;  /* ended without telling their last counts */
	unsigned lost;    /* were not counted: there was no room */
	unsigned aside[ASSAY_ASIDE_KINDS]; /* programs that ran without it */
	int first_aside; /* enum assay_aside: the first program; -1: no */
	unsigned varies; /* enum assay_varies */
	unsigned failed; /* simulators that failed: a fault of this library */
	const char *reason; /* of the first failure; NULL: none failed */
	unsigned fast;      /* programs that the fast engine was chosen for */
	unsigned valgrind;  /* ... and Valgrind's */
	const char *valgrind_reason; /* why the first of them; NULL: none */
};

/*
 * Tell what became of children that were counted on the simulated PMU since the
 * last EventSet was attached to one while no other was. What @out points to
 * stays until the next call. To a program that runs on the simulated PMU itself
 * it tells who is missing in its EventSets that count children: only .killed,
 * .lost and .aside.
 *
 *   PAPI_ENOSUPP  children do not run on the simulated PMU
 *   PAPI_EINVAL   @out is NULL
 */
ASSAY_API int assay_get_simulation(struct assay_simulation *out);

/* A cache or TLB of a modelled machine. */
struct assay_cache {
	uint64_t size;    /* bytes; of a TLB: entries. 0: there is none */
	unsigned ways;    /* lines or entries of a set */
	unsigned latency; /* cycles until what is found there is ready; of the
			     second-level TLB: cycles added */
};

/* What a model that the simulated PMU can have is like. */
struct assay_model {
	char name[32];
	unsigned line_bytes;
	struct assay_cache l1i, l1d, l2, l3;
	int l3_is_victim; /* it holds what left L2, and no copy of that */
	struct assay_cache itlb, dtlb, stlb; /* pages of 4 KB */
	unsigned walk_latency;               /* cycles added by a page walk */
	unsigned memory_latency;
	int prefetches; /* not 0: some prefetcher is on */
	/* The longest loop whose end the branch predictor can foresee; 0: it
	 * never can. */
	unsigned branch_history;
	unsigned return_stack; /* entries */
	unsigned mispredict_penalty;
	unsigned issue_width;
	unsigned counters; /* programmable */
	unsigned fixed_counters;
	/* Not 0: a miss of L2 also brings the other line of its aligned pair */
	int prefetches_pairs;
	/* Not 0: every cache replaces the least recently used line */
	int replaces_lru;
	/* Not 0: physical pages lie in the order of virtual ones, so that the
	 * sets of L2 and L3 follow from a program's addresses */
	int pages_in_order;
	/* Not 0: a miss of L1D also brings the line after it */
	int prefetches_next;
	unsigned wrong_path; /* instructions run behind a misprediction */
};

/*
 * What @model (as for assay_simulate(); NULL: the default; "self": the machine
 * that this program is run on) is like. May be called at any time.
 *
 *   PAPI_EINVAL  as for assay_simulate(), or @out is NULL
 */
ASSAY_API int assay_get_model(const char *model, struct assay_model *out);

/*
 * For libraries that count on a program's behalf: on the simulated PMU, leave
 * out the code of the shared object that holds @address, all that it calls,
 * and the program's calls of it. Without effect on other PMUs, and for the
 * program itself. May be called at any time.
 */
ASSAY_API void assay_exclude_code(const void *address);

/*
 * On the simulated PMU, from a program that runs on it: empty the caches and
 * TLBs and let the predictors forget what they learnt, so that what is counted
 * next does not depend on what ran before. Without effect on other PMUs.
 */
ASSAY_API void assay_make_cold(void);

/*
 * On the simulated PMU, from a program that runs on it: keep what caches, TLBs
 * and predictors hold and what is in flight, and let them have it again, as
 * often as one likes. So code can be counted by one EventSet after the other as
 * if all had counted the same run. The program's own memory is not touched.
 *
 *   PAPI_ENOSUPP  the program does not run on the simulated PMU
 *   PAPI_ENOMEM   there is no memory to keep it
 *   PAPI_EINVAL   nothing was kept, or the machine has more cores since, or
 *                 models more: a thread was begun, an EventSet made
 */
ASSAY_API int assay_keep_state(void);
ASSAY_API int assay_restore_state(void);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_H */
