/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface between the core and its components.
 *
 * A component is one source of counts: a PMU, the network, the simulator. It
 * says which events this machine has, and opens, starts, reads and stops them.
 * Finding an event by name or number, listing, describing and trying it is the
 * core's work, written once for all components.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <assay/record.h>

#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/texts.h"

/* Whether an event's count is a sum over places, such as CPUs. */
enum count_sum {
	COUNT_PLAIN,
	COUNT_SUMMED, /* each was scaled by its own times already */
	COUNT_BLIND,  /* and one of them never had a counter */
	COUNT_UNTOLD, /* threads ran at the same time, and what they took from
			 each other was not seen */
};

/*
 * One count since the slice was opened, and for how much of the time it was
 * really counting. All four only grow while a slice is open; the core takes
 * differences, so nothing is ever reset.
 */
struct count {
	uint64_t value;
	uint64_t enabled_ns; /* the slice ran for so long */
	uint64_t running_ns; /* with a counter for so long */
	/*
	 * Variance of the value scaled to the whole enabled time. It adds up
	 * over disjoint times, so the difference of two reads is the variance
	 * of the time between. 0 when counted all the time.
	 */
	double variance;
};

/* What a count covers. */
enum scope {
	SCOPE_THREAD,
	SCOPE_PROCESS,
	SCOPE_SYSTEM,
};

/* What a component can do beyond counting. */
enum component_caps {
	CAP_DOMAIN = 1 << 0,      /* user and kernel apart */
	CAP_ATTACH = 1 << 1,      /* to another thread or process */
	CAP_CPU_ATTACH = 1 << 2,  /* to a CPU */
	CAP_INHERIT = 1 << 3,     /* children and threads counted with it */
	CAP_MULTIPLEX = 1 << 4,   /* by the kernel or by the component */
	CAP_OVERFLOW = 1 << 5,    /* interrupts at a threshold */
	CAP_ON_EXEC = 1 << 6,     /* start when the target calls exec */
	CAP_FAST_READ = 1 << 7,   /* without a system call */
	CAP_HARDWARE = 1 << 8,    /* presets are made of its events */
	CAP_PLAIN_NAMES = 1 << 9, /* names need no "component::" to be known */
	CAP_NO_PTRACE = 1 << 10,  /* attaches to processes as they run */
	CAP_ONE_SOURCE = 1 << 11, /* one file has all counts: a trial of one
				     event tells for all that are listed */
};

enum event_kind {
	EVENT_RUNNING, /* grows: the difference over a time is meant */
	EVENT_LEVEL,   /* a level, such as watts: the last value is meant */
};

/* Whether an event was tried on this machine. */
enum tried {
	TRIED_NOT_YET,
	TRIED_WORKS,
	TRIED_FAILS,
};

#define EVENT_NO_PARENT ((size_t)-1)

/* One event that a component can count. Never moves or goes away. */
struct event {
	const char *name;  /* without "component::" */
	const char *text;  /* one line, or NULL */
	const char *alias; /* what the kernel calls it, static; or NULL */
	const char *unit;
	enum event_kind kind;
	bool hidden;   /* found by name only: not part of the listing */
	bool software; /* of a PMU's component, but the kernel counts it */
	bool machine;  /* counts for a CPU or the machine, whoever asks */
	size_t parent; /* the event that this one is a mask of */
	uint64_t id;   /* the component's own; the core does not look at it */
	void *data;    /* likewise; freed with free() */

	enum tried tried; /* guarded by the component's lock */
	int tried_code;   /* if it fails: PAPI's code */
	char *why;        /* if it fails: the sentence; owned */
};

struct slice;
struct component;

/* What one thread counted since the slice was opened. */
struct thread_counts {
	pid_t pid;
	pid_t tid;
	const char *name; /* "" if not known */
	const struct count *counts;
};
typedef int (*thread_visitor)(const struct thread_counts *t, void *data);

/*
 * The core never runs two operations of one slice at the same time, but
 * slices of several threads are used at once, and probe(), list(), masks() and
 * find() run under the component's lock.
 */
struct component_ops {
	const char *name;    /* what stands before "::" in event names */
	const char *summary; /* one line, for the listing tools */
	enum scope scope;
	unsigned caps;
	size_t slice_bytes; /* of struct slice's priv, zeroed by the core */

	/*
	 * Is there anything to count below @fs (the root of /proc and /sys; a
	 * fixture in tests)? Cheap: it runs in PAPI_library_init(). Events may
	 * be added here or in list(). If there is nothing, return what
	 * component_disable() returns once told the reason.
	 */
	int (*probe)(struct component *c, const struct fs *fs);

	/* Add all events; called once, when first needed. NULL: in probe(). */
	int (*list)(struct component *c);

	/* Add the events that list() left out: see left_out below. */
	int (*list_left_out)(struct component *c);

	/* Add the masks of event @i; called once for each. NULL: it has none */
	int (*masks)(struct component *c, size_t i);

	/*
	 * Add the event called @name, which is not in the list, if the
	 * component has a way to count it. PAPI_ENOEVNT if @name is not for
	 * this component; another code, with @diag, if it is and is wrong.
	 */
	int (*find)(struct component *c, const char *name, size_t *i,
		    struct diag *diag);

	/*
	 * Whether event @i can be counted, where finding out by counting it
	 * would be dear. NULL: it is opened, started and stopped once.
	 */
	int (*attempt)(struct component *c, size_t i, struct diag *diag);

	/*
	 * The event that is tried in place of event @i: where it works, so
	 * does @i. @i itself if there is none. Under the component's lock.
	 * NULL: each is tried.
	 */
	size_t (*proof)(struct component *c, size_t i);

	/*
	 * Whether what was tried before shows that event @i cannot be counted:
	 * a code, with @diag as if it had been tried. 0: it has to be tried.
	 * Under the component's lock. NULL: each is tried.
	 */
	int (*foresee)(struct component *c, size_t i, struct diag *diag);

	/*
	 * Open all events of @s, as one group where that is possible, with
	 * the options in s->opt and the thresholds in s->thresholds. All or
	 * nothing. PAPI_ECNFLCT if they cannot be counted together.
	 * slice_fail() keeps the sentence.
	 */
	int (*open)(struct slice *s);
	void (*close)(struct slice *s);

	/*
	 * Start, read, stop: @counts, one for each event, is what was counted
	 * since open() at that moment. Between stop and start nothing counts.
	 */
	int (*start)(struct slice *s, struct count *counts);
	int (*read)(struct slice *s, struct count *counts);
	int (*stop)(struct slice *s, struct count *counts);

	/*
	 * The way of most reads, kept short: what each event has counted since
	 * @base, if all have counted all the time since. False if not, or if
	 * the component does not know; then read() is asked. Optional.
	 */
	bool (*read_plain)(struct slice *s, const struct count *base,
			   long long *values);

	/*
	 * Likewise for resets: what each event has counted since @base into
	 * @values (unless NULL), and what it has counted at all into @base.
	 * The times of events that never share a counter may be left as they
	 * were there. Optional.
	 */
	bool (*reset_plain)(struct slice *s, struct count *base,
			    long long *values);

	/* Samples of other processes; NULL: it has none. */
	const struct recorder_ops *recorder;

	/*
	 * Call @visit for each thread of a slice that was opened with the
	 * option per_thread; those that have not ended may be one with the
	 * first. What is told of one thread in several calls adds up. What
	 * @visit returns, if not 0, ends it. NULL: no such option.
	 */
	int (*threads)(struct slice *s, thread_visitor visit, void *data);

	/* Let go of what probe() and list() made in c->priv. */
	void (*shutdown)(struct component *c);
};

/*
 * Sampling another process. The slice says what: events, a threshold for
 * each, and whom. It is opened by these instead of by the operations above,
 * and keeps the sentence if one fails. See assay/record.h.
 */
struct recorder_ops {
	int (*open)(struct slice *s);
	int (*take)(struct slice *s, assay_record_fn fn, void *context);
	int (*read)(struct slice *s, struct count *counts);
	/* what the times of samples are in; see assay_recorder_clock() */
	const char *(*clock)(const struct slice *s);
	void (*close)(struct slice *s);
};

/*
 * The machine that a component models, where it counts another than this one.
 * Kinds are 'i', 'd' and 'u' for instructions, data and both; a number of ways
 * that is that of the entries is full associativity.
 */
struct component_cache {
	unsigned level;
	char kind;
	uint64_t bytes;
	unsigned line_bytes;
	unsigned ways;
};

struct component_tlb {
	unsigned level;
	char kind;
	uint64_t page_bytes;
	unsigned entries;
	unsigned ways;
};

struct component_machine {
	char name[32];
	char text[96];
	bool is_here;    /* this process runs on it */
	double clock_hz; /* NaN: not known */
	struct component_cache caches[4];
	size_t n_caches;
	struct component_tlb tlbs[6];
	size_t n_tlbs;
};

struct component {
	const struct component_ops *ops;
	const struct fs *fs;
	unsigned index; /* in the registry */
	bool disabled;
	char *reason;      /* if disabled; owned */
	unsigned counters; /* events that count at the same time; 0: no limit */
	const char *pmu;   /* "icx", "sim-icx"; NULL if not a PMU; until
			      shutdown */
	unsigned domains;  /* PAPI_DOM_* that can be asked for */
	const struct component_machine *machine; /* NULL: this machine */
	void *priv;

	pthread_mutex_t lock; /* guards all below, and events' tried state */
	struct event **events;
	size_t n;
	struct map names;   /* name -> index */
	struct texts texts; /* names and texts of events */
	bool listed;
	/*
	 * Why list() left out events that are known and cannot be counted here,
	 * which is cheaper than to list and to try them; NULL: it did not.
	 */
	const char *left_out;
};

/* For a component's probe(), list(), masks(), find(). */

/* Say that nothing can be counted, and why. Returns PAPI_ECMP_DISABLED. */
int component_disable(struct component *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Add an event; *@out (may be NULL) is it, to fill in unit, id and so on. Its
 * index is c->n - 1. @text may be NULL. A name that is there already is left
 * as it is: then *@out is the one that was there.
 */
int component_add_event(struct component *c, struct event **out,
			const char *text, const char *name_format, ...)
	__attribute__((format(printf, 4, 5)));
int component_add_named(struct component *c, struct event **out,
			const char *text, const char *name);

/* For the core and for tests. */

struct component *component_new(const struct component_ops *ops);
void component_free(struct component *c);

/* Probe below @fs. A disabled component is not an error. */
int component_probe(struct component *c, const struct fs *fs);

/* How many events are known, after listing them all. */
size_t component_event_count(struct component *c);

/* Why events were left out of that, static; NULL: none was. */
const char *component_left_out(struct component *c);

/* List those, too. */
int component_list_left_out(struct component *c);

/* Event @i, or NULL; borrowed until component_free(). */
struct event *component_event(struct component *c, size_t i);

/* Make sure the masks of event @i are in the table. */
int component_list_masks(struct component *c, size_t i);

/*
 * The event called @name, without "component::". PAPI_ENOEVNT if there is
 * none; PAPI_ECMP_DISABLED, with the component's reason in @diag.
 */
int component_find_event(struct component *c, const char *name, size_t *i,
			 struct diag *diag);

/*
 * Open, start, read and stop event @i once, and remember how it went. 0, or
 * the code, with the sentence in *@why (borrowed; may be NULL).
 */
int component_try_event(struct component *c, size_t i, const char **why);

/*
 * Whether @n events can be counted at the same time, found out by doing so
 * once; @diag has the sentence if not. Not remembered: it depends on who else
 * holds counters.
 */
int component_try_together(struct component *c, const size_t *events, size_t n,
			   struct diag *diag);

/* A slice is one EventSet's share of a component. */

enum target_kind {
	TARGET_SELF, /* the calling thread */
	TARGET_TASK, /* thread or process .tid */
	TARGET_CPU,  /* whatever runs on .cpu */
};

struct slice_options {
	unsigned domain; /* PAPI_DOM_*; 0: the component's default */
	int granularity; /* PAPI_GRN_* */
	enum target_kind target;
	pid_t tid;
	int cpu;
	bool inherit;
	bool on_exec;
	bool per_thread; /* with inherit: each one's counts are kept too */
	bool shared;     /* may read counters that such a set has already */
	bool multiplex;
	uint64_t multiplex_ns; /* 0: the component's default */
	bool stacks;           /* samples come with the stack */
	/* a recorder's: threads of .tid, which runs already; or NULL */
	const pid_t *tids;
	size_t n_tids;
};

struct slice {
	struct component *component;
	struct slice_options opt;
	size_t n;
	size_t *events;       /* indices of the component's events */
	uint64_t *thresholds; /* overflow every so many; 0: no overflow */
	enum count_sum *sums; /* what counts are; by the component's reads */
	bool open;
	size_t opened_n; /* how many events it was opened with */
	bool running;
	void *priv;       /* slice_bytes of the component's own */
	struct diag diag; /* why the last operation failed */

	/*
	 * What to call at an overflow, in the signal handler. @which has bit i
	 * set for the slice's event i.
	 */
	void (*on_overflow)(struct slice *s, uint64_t which, void *address,
			    void *context);
	void *owner; /* of on_overflow */
};

/* Keep the sentence for a failed operation; returns @code. */
int slice_fail(struct slice *s, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
