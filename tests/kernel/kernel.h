/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A model of the kernel's perf events, in user space: perf_event_open(),
 * read(), ioctl(), mmap() and the user page obey the rules of Linux on a
 * machine of machines.h. calls.c stands in for libc's functions, so that the
 * library and the command run on it as they are.
 *
 * Time is virtual: a task works when a test says so (mk_work()), and each
 * call of the kernel costs it MK_CALL_NS. With MODEL_CLOCK=cpu in the
 * environment it is the CPU time that the threads really use.
 *
 * All state is in one piece of shared memory without pointers: a child of
 * fork() and the program that it executes live on the same machine.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/kernel/machines.h"

#define MK_EVENTS  4096
#define MK_TASKS   256
#define MK_CPUS    128
#define MK_PMUS    160
#define MK_CALL_NS 250
#define MK_TICK_NS 1000000 /* HZ is 1000 */
#define MK_TURN_NS 4000000 /* perf_event_mux_interval_ms */

#define MK_FIXED   32 /* number of the first fixed counter */

struct mk_pmu {
	char name[64];
	uint32_t type;
	struct mk_pmu_kind kind; /* its prefix is not used */
	uint64_t cpus[MK_CPUS / 64];
};

enum mk_state {
	MK_ERROR = -1, /* pinned, and did not fit */
	MK_OFF,
	MK_INACTIVE,
	MK_ACTIVE,
};

struct mk_event {
	bool used;
	struct perf_event_attr attr;
	uint64_t config3; /* which .attr may have no room for */
	uint64_t raw;     /* the encoding, also of a generic event */
	uint64_t rate;    /* counts per 1000 ns */
	uint64_t id;
	uint64_t order; /* of its group among those of its context */
	pid_t owner;    /* the process that opened it */
	int fd;         /* there */
	int pmu;        /* -1: software */
	int task;       /* -1: whatever runs on .cpu */
	int cpu;        /* -1: any */
	int leader;     /* itself, if it leads */
	int parent;     /* of an inherited one; else -1 */
	int output;     /* whose ring it writes to; itself at first */
	enum mk_state state;
	int counter; /* while active; -1: needs none */
	uint64_t enabled, running;
	uint64_t active_ns;  /* that count */
	uint64_t base;       /* count of ended children, and after a reset */
	uint64_t started_at; /* value when the counter was last programmed */
	uint64_t programmed; /* what the counter held then */
	uint64_t next;       /* value of the next overflow */
	int refresh;         /* overflows that are allowed; 0: no limit */
	uint64_t tick;       /* of the last overflow */
	unsigned in_tick;    /* overflows in it */
	bool throttled;
	int lock_pages;
	size_t ring_bytes;
	int sig, async; /* fcntl() */
	pid_t to;
};

struct mk_task {
	bool used, ended;
	pid_t pid, tid;
	int parent;
	int cpu;
	uint64_t work;    /* ns on a CPU, up to where events were brought */
	bool crowded;     /* a group did not fit: they take turns */
	uint64_t extra;   /* virtual work, beside the CPU time */
	uint64_t final;   /* CPU time when it ended */
	uint64_t address; /* where it works */
	uint64_t minor, major; /* faults that were counted */
};

struct mk_kernel {
	int lock; /* the process that is inside; 0: none */
	int machine;
	unsigned version, traits;
	int paranoid;
	bool privileged;
	bool cpu_clock;
	int cpus;
	uint64_t online[MK_CPUS / 64];
	size_t n_pmus;
	struct mk_pmu pmus[MK_PMUS];
	struct mk_task tasks[MK_TASKS];
	int n_events;
	struct mk_event events[MK_EVENTS];
	uint64_t now;          /* virtual ns */
	bool crowded[MK_CPUS]; /* as of a task */
	uint64_t next_id, next_order;
	uint64_t locked_pages, max_locked_pages;
	uint64_t max_sample_rate;
	uint64_t migrate_ns; /* a task goes to another CPU so often; 0: never */
	unsigned stolen;     /* counters that another user has, on all CPUs */
	uint64_t opens, reads,
		switches; /* what it was asked to do, for tests */
};

/* The machine that this process is on. */
extern struct mk_kernel *mk;

/*
 * Boot machine @name with the tree below @root, as an ordinary user would have
 * it at kernel.perf_event_paranoid @paranoid.
 */
void mk_boot(const char *name, const char *root, int paranoid);

/* Live on the machine that another process booted; false: there is none. */
bool mk_join(const char *root);

/* For tests: work, go to another CPU, sleep. */
void mk_work(uint64_t ns);
void mk_migrate(int cpu);
void mk_idle(uint64_t ns);

/* What events of @type and @config count in @ns at user level. */
uint64_t mk_expected(uint32_t type, uint64_t config, uint64_t ns);

/* How many events of a task are switched on just now: those cost switches. */
int mk_enabled_events(void);
int mk_enabled_software(void); /* likewise, of events of the kernel */

/* Inside: open.c, sched.c, page.c, ring.c. Callers hold the lock. */

int mk_task_self(void);
uint64_t mk_task_clock(int task); /* CPU time; virtual: 0 */
int mk_task_find(pid_t tid);
int mk_task_add(pid_t pid, pid_t tid, int parent);
void mk_task_exec(int task);
void mk_task_end(int task);

int mk_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader,
	    unsigned long flags);
void mk_release(int event);
long mk_read(int event, void *to, size_t bytes);
int mk_control(int event, unsigned long request, unsigned long argument);

void mk_advance(void);
void mk_reschedule(int cpu, int task);
uint64_t mk_value(const struct mk_event *e);
uint64_t mk_total(int event, uint64_t *enabled, uint64_t *running);
bool mk_cpu_in(const uint64_t *set, int cpu);
bool mk_fits(const int *events, size_t n, int pmu, bool is_check);
const struct mk_pmu *mk_pmu_of(const struct mk_event *e);
bool mk_is_metric(const struct mk_event *e);
bool mk_is_slots(const struct mk_event *e);

void mk_page_update(int event);
void mk_ring_write(int event, uint32_t type, uint16_t misc, const void *body,
		   size_t bytes);
void mk_sample(int event);
void mk_throttle(int event, bool on);
void mk_count_faults(void);
uint64_t mk_rdpmc(uint32_t index, bool *valid);

void mk_enter(void);
void mk_leave(void);
