/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the perf_event component knows an event: by its encoding. Every way to
 * name an event (libpfm4, sysfs, raw, perf's aliases) ends here, and two names
 * of one encoding are one event.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/component.h"

/* Privilege levels that a name can ask for: "cycles:u". */
enum pe_levels {
	PE_LEVELS_BY_DOMAIN = 0, /* the name does not say */
	PE_USER = 1 << 0,
	PE_KERNEL = 1 << 1,
	PE_HYPERVISOR = 1 << 2,
};

/* Whose work a name can ask for: "cycles:G". */
enum pe_sides {
	PE_SIDES_DEFAULT = 0, /* the host's */
	PE_HOST = 1 << 0,
	PE_GUEST = 1 << 1,
};

/* Which part of the machine counts it, hence what it can be grouped with. */
enum pe_place {
	PE_SOFTWARE, /* the kernel: groups with anything of the same target */
	PE_CORE,     /* a CPU core's PMU: takes one of its counters */
	PE_UNCORE,   /* a PMU outside the cores: counts for a CPU's package */
	PE_DEVICE,   /* any other: for a task, grouped with its own only */
};

/* What a filter for privilege levels would do to it. */
enum pe_side {
	PE_SIDE_USER,   /* as for hardware: the level of the program counts */
	PE_SIDE_CLOCK,  /* none: the kernel counts the time at all levels */
	PE_SIDE_KERNEL, /* always at kernel level: excluding that leaves 0 */
	PE_SIDE_FAULTS, /* at either: without the kernel's some are missing */
	PE_SIDE_NONE,   /* the PMU cannot tell levels apart and refuses */
};

/* Intel's TopDown: metrics are parts of the slots, which must lead them. */
enum pe_topdown {
	PE_NO_TOPDOWN,
	PE_SLOTS,
	PE_METRIC,
};

/* One of several PMUs outside the cores that count the same event. */
struct pe_box {
	uint32_t type;
	const char *cpus;
};

struct pe_encoding {
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint64_t config3; /* Linux 6.3 */
	unsigned levels;  /* enum pe_levels */
	unsigned precise; /* where it is sampled */
	unsigned sides;   /* enum pe_sides */
	enum pe_place place;
	enum pe_side side;
};

/* What struct event's data points to. */
struct pe_event {
	struct pe_encoding code;
	int error;        /* not 0: has no encoding by itself, and why */
	const char *why;  /* then the sentence; static or the component's */
	const char *cpus; /* where its PMU is, such as "0,28"; NULL: any */
	const struct pe_box *boxes; /* its PMUs, if more than one */
	size_t n_boxes;
	enum pe_topdown topdown;
	int cpu;       /* the only one to count on, by name; -1: none said */
	int socket;    /* likewise, of a PMU outside the cores */
	bool pinned;   /* by name: it is to have a counter or to fail */
	int pfm;       /* libpfm4's number of it, or -1 */
	char key[160]; /* the encoding as text: the identity */
};

/* Zeroed but for what has another neutral value. */
struct pe_event pe_event_init(void);

/*
 * Add @e under @name, or find the event that has its encoding already; its
 * index in *@i. Only an event that is new gets @text, @hidden and @unit
 * (borrowed, until the component's shutdown; NULL: a plain count).
 */
struct pe_naming {
	const char *name;
	const char *text;
	const char *kernel; /* its name there, static; or NULL */
	const char *unit;
	bool hidden;
	size_t parent;
};
int pe_event_add(struct component *c, struct pe_event *e,
		 const struct pe_naming *naming, size_t *i);

/*
 * The kernel numbers its own events without gaps and refuses only numbers that
 * it does not know, so where the newest can be opened, all can. Opening the
 * first of a kind and closing the last is dear: the kernel changes its code on
 * all CPUs.
 */
size_t pe_event_proof(struct component *c, size_t i);

/*
 * Where sysfs shows no PMU but the kernel's own, nothing can count a generic
 * hardware event: the kernel offers it to every PMU that it has
 * [perf_init_event()]. One of them is tried, the others fail like it.
 */
int pe_event_foresee(struct component *c, size_t i, struct diag *diag);

/* Whether the kernel translates it for each PMU of cores. */
static inline bool pe_event_is_generic(const struct pe_event *e)
{
	return e->code.place == PE_CORE &&
	       (e->code.type == PERF_TYPE_HARDWARE ||
		e->code.type == PERF_TYPE_HW_CACHE);
}

/*
 * Whether it counts on one of several kinds of cores only. Then its time
 * without a counter is mostly time on the other kind.
 */
static inline bool pe_event_is_partial(const struct pe_event *e)
{
	return e->code.place == PE_CORE && e->cpus;
}

/* Data and name of the event at @position of @s; borrowed. */
const struct pe_event *pe_event_of(const struct slice *s, size_t position);
const char *pe_event_name(const struct slice *s, size_t position);
