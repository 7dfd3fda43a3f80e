/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PMU layer: events made of the engine's signals, sets of them counted
 * for threads, taking turns on the counters, and interrupts.
 *
 * A set's counts come from differences of a thread's totals, taken whenever
 * something happens to it: start, stop, read, a turn's end, an interrupt, the
 * thread's end. So counting itself costs nothing here, any number of sets can
 * run at once, and what multiplexing does not see is still known: its truth.
 * Sets that a program starts on one thread share its counters: one that does
 * not fit beside those that run is refused, or takes more turns. Sets of an
 * observer outside have counters of their own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simpmu/pmu/engine.h"
#include "simpmu/wire.h"

/* Options, from the command line. */
struct pmu_options {
	const char *control; /* path of the control file, or NULL */
	uint32_t slot;  /* 1 + that of the program before an exec; 0: none */
	int32_t shared; /* number of its shared file, if that has no name */
	bool unlimited; /* counters without limit */
	bool sampled;   /* cycles may be estimated */
	int32_t programmable; /* instead of the model's; -1: the model's */
	int32_t fixed;
	uint64_t blind;  /* seed; 0: names are shown */
	const char *key; /* file for what the blind codes mean, or NULL */
	uint32_t noise;  /* per mille; 0: none */
	uint64_t seed;   /* of the noise */
	uint32_t skid;   /* instructions between an overflow and its signal */
};

#define LWP_CREATED (-1) /* a thread that has not run yet */

/* The state of the layer; Valgrind gives callbacks no context. */
struct pmu {
	struct pmu_options opt;
	uint32_t have; /* counters, as bits */
	uint32_t line_bytes;
	char model[32];
	uint64_t random;             /* state of the noise */
	int32_t lwp[ENGINE_MAX_TID]; /* the kernel's number of each thread; 0:
					no such thread */
};

extern struct pmu pmu;

uint64_t pmu_random(uint64_t *state);
bool pmu_option(const char *arg);
void pmu_usage(void);

/* Events. */
#define EVENT_TERMS 16

/* What is wrong with the counter of a decoy; all 0: nothing. */
struct pmu_flaw {
	uint32_t noise;       /* per mille */
	uint32_t over, under; /* counts by this factor, if not 0 */
	uint64_t least;       /* counts nothing below this */
	uint64_t most;        /* and no further than this, if not 0 */
	bool leaks;           /* counts the process's other threads, too */
};

struct pmu_event {
	char name[64];
	const char *text;
	uint32_t counters;
	struct pmu_flaw flaw;
	uint32_t n;
	struct {
		int32_t weight;
		uint32_t signal;
	} terms[EVENT_TERMS];
};

/* Make the list, hidden and with decoys if @seed is not 0. */
void events_init(uint32_t line_bytes, uint64_t seed, const char *key);
uint32_t events_count(void);
const struct pmu_event *events_get(uint32_t i);
uint32_t event_parts(const struct pmu_event *event);

/*
 * How much @event grew between two totals. A difference of signals may shrink
 * for a moment, so sums of growths are to be taken as signed in the end.
 */
uint64_t event_growth(const struct pmu_event *event, const uint64_t *before,
		      const uint64_t *now);

/* What the counter of @event shows for @value since its start. */
uint64_t event_shown(const struct pmu_event *event, uint64_t value);

/* Variance of @event, at most, if those of its signals are @of. */
double event_variance(const struct pmu_event *event, const double *of);

/* Blind names and decoys, in pmu_blind.c. */
uint32_t blind_make(const struct pmu_event *plain, uint32_t n, uint64_t seed,
		    const char *key, struct pmu_event **out);

/* What is known of one event where turns are taken, in one thread. */
struct pmu_turn_state {
	uint64_t slice_value; /* in the present slice */
	uint64_t gap;         /* clocks without a counter since the last one */
	uint64_t lead;        /* clocks before the first slice */
	double rate, change;  /* of the last slice; since the one before */
	double length;        /* of the last slice, in clocks */
	double variance;      /* of the gaps so far */
	uint32_t slices;
};

/* A thread that a set counts. */
struct pmu_member {
	struct pmu_member *next;        /* of the set */
	struct pmu_member *next_of_tid; /* of the thread, in other sets */
	const struct pmu_set *set;
	unsigned tid;
	uint32_t turn;        /* whose events have the counters */
	uint64_t slice_clock; /* clocks of the present slice */
	uint64_t last[TALLY_COUNT];
	uint64_t since[WIRE_EVENTS];   /* growth since start */
	uint64_t crossed[WIRE_EVENTS]; /* thresholds crossed since start */
	double variance[WIRE_EVENTS]; /* of what the engine estimates, so far */
	struct pmu_turn_state state[WIRE_EVENTS];
	struct wire_count own[WIRE_EVENTS]; /* not told of yet; only for sets
					       with WIRE_PER_THREAD */
};

#define OVERFLOW_QUEUE 64

struct pmu_set {
	bool used;
	bool running;
	bool inside;    /* the program's own */
	uint32_t flags; /* WIRE_INHERIT and so on */
	uint32_t n;
	const struct pmu_event *events[WIRE_EVENTS];
	uint32_t parts; /* of the model that it needs */
	uint32_t clock; /* signal that is its time */
	uint32_t turns; /* 1: no multiplexing */
	uint8_t turn_of[WIRE_EVENTS];
	uint64_t slice; /* length of a turn, in instructions */
	struct pmu_member *members;
	uint64_t updated;   /* order_time() of the thread that ran then */
	uint64_t disturbed; /* engine_disturbances() then */
	struct wire_count sum[WIRE_EVENTS];
	uint64_t begun[WIRE_EVENTS];  /* their values at the last start */
	uint64_t others[WIRE_EVENTS]; /* what other threads had counted then,
					 for events that leak */
	double shown[WIRE_EVENTS];    /* largest variance ever told */
	uint64_t truth[WIRE_EVENTS];
	double factor[WIRE_EVENTS]; /* noise of this run; 1: none */
	int32_t control;            /* index in the control file, or -1 */
	uint64_t serial;            /* of the set there */

	/* interrupts */
	int32_t signal;
	uint64_t thresholds[WIRE_EVENTS];
	struct wire_overflow queue[OVERFLOW_QUEUE];
	uint32_t queued, taken;
};

/*
 * Make a set of what @request asks for. 0 with *@out its number, or a
 * wire_error with the sentence in request->why.
 */
int set_open(struct wire_open *request, uint32_t *out);
void set_close(uint32_t id);
struct pmu_set *set_get(uint32_t id); /* NULL: no such set */
uint32_t set_limit(void);             /* all numbers are below it */

/* Count thread @tid too, or no longer. */
void set_add_member(uint32_t id, unsigned tid);
void set_remove_member(uint32_t id, unsigned tid);
/* Some event of it interrupts, so it cannot take turns. */
bool set_has_threshold(const struct pmu_set *set);
bool set_has_member(const struct pmu_set *set, unsigned tid);

int set_start(uint32_t id);

/* WIRE_ECNFLCT if a set of the program's cannot have counters beside those
 * that run on its threads. To be called before it starts. */
int set_share_counters(uint32_t id);
int set_stop(uint32_t id);
void set_read(uint32_t id, struct wire_count *counts);

/* Take over what @member's thread did since the last time; or all threads that
 * did something. */
void set_update_member(struct pmu_set *set, struct pmu_member *member);
void set_update(struct pmu_set *set);

/* Forget what was counted; go on from here. In the child of a fork. */
void set_forget(struct pmu_set *set);

/* Threads by when they last began to run, in pmu_order.c. */
void order_run(unsigned tid);
void order_end(unsigned tid);
unsigned order_next(unsigned tid); /* 0: the latest; 0 after the last one */
uint64_t order_time(unsigned tid);

/* Turns, in pmu_turns.c. */
void turns_start(uint32_t id, struct pmu_member *member);
void turns_add(struct pmu_set *set, struct pmu_member *member, uint64_t clock,
	       const uint64_t *growth);
void turns_rotate(struct pmu_set *set, struct pmu_member *member);
/* Variance of what @member's thread adds to an event since its start. */
double turns_variance(const struct pmu_set *set,
		      const struct pmu_member *member, uint32_t event);

/* Traps on the engine: turns and interrupts share its few slots. */
bool traps_reserve(uint32_t id, char *why, size_t capacity);
void traps_release(uint32_t id);
void traps_arm(uint32_t id, struct pmu_member *member);
void traps_disarm(uint32_t id, const struct pmu_member *member);

/* The control file, or NULL. */
struct wire_control *memory_make(void);             /* without a name */
struct wire_control *memory_find(const char *path); /* NULL: has no name */

void control_init(const char *path); /* NULL: it has no name */
void control_first_thread(unsigned tid);
void control_safe_point(void);
void control_publish(void);
void control_exec(unsigned tid);
void control_abandon(unsigned tid);
void control_spawn(unsigned tid);
void control_spawn_failed(void);
void control_spawn_aside(unsigned why); /* enum wire_aside */
void control_end_thread(unsigned tid);  /* while sets still have it */
void control_fork(unsigned tid);
void control_forked(void); /* in the parent */
void control_exit(void);
const uint32_t *control_attention(uint32_t *place);
bool control_is_wanted(void);
void control_fail(const char *what); /* the simulator has failed */
void control_note(unsigned varies);  /* enum wire_varies */
void control_leave(unsigned why);    /* enum wire_aside: it execs this */
/* Sets of this process that children must count too. */
int control_share_set(uint32_t id, const struct wire_open *request);
void control_unshare_set(uint32_t id);
void control_add_others(const struct pmu_set *set, struct wire_count *counts);
bool control_census(struct wire_census *out); /* false: nothing is shared */

/* Samples for a program outside, in pmu_samples.c. */
/* @control is the path of the control file, @shared what is in it. */
void samples_open(const char *control, struct wire_control *shared);
void samples_take(const struct pmu_set *set, uint32_t event, unsigned tid,
		  uint64_t address);
void samples_end(void); /* the process ends, or execs: tell of its lines */
void samples_stop(unsigned tid); /* it has stopped running */
uint32_t samples_flush(void);    /* write them; how many were lost */
void samples_forget(void);       /* a process begins */
void samples_fork(void);         /* the copy of one */

/* Client requests. */
bool request_handle(unsigned tid, const uint64_t *args, uint64_t *result);
