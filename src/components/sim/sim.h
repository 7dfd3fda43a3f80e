/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the sim component's files share.
 *
 * Inside: this process runs under the simulator and asks it by requests.
 * Outside: this process counts others that do, through a control file.
 */
#pragma once

#include <stdbool.h>

#include "core/component.h"
#include "simpmu/model/params.h"
#include "simpmu/wire.h"

/* A control file, mapped. */
struct assay_simulation;

struct control_file {
	struct wire_control *shared; /* NULL: none */
	int fd;
};

/* c->priv: which PMU it is. */
struct sim {
	bool inside;
	uint32_t have; /* counters, as bits; outside only */
	bool unlimited;
	char pmu[48]; /* "sim-icx" */
	struct params params;
	struct component_machine machine;
	struct control_file file; /* outside: whom it counts */
	char *samples;            /* path of their file; likewise */
};

/* A slice: a set, inside by number, outside by place in the control file. */
struct sim_slice {
	int id;
	bool opened;
	uint64_t serial;
	struct control_file *file;   /* another process's; NULL: none */
	struct sim_samples *samples; /* of a recorder; or NULL */
};

/* What assay_simulate() said; see simulate.c. */
struct sim_target {
	struct params params;
	const char *control; /* path; "": only to be asked about */
	bool unlimited;
	bool runs; /* the file is that of a process which runs already */
};

/* NULL if it was not called. */
const struct sim_target *sim_target(void);

/* What @p is like, for those who ask the component. */
void sim_describe_machine(const struct params *p, struct component_machine *m);

/* Whether @s can be counted at all: 0, or an error with its reason. */
int sim_check(struct slice *s);

int inside_open(struct slice *s);
void inside_close(struct slice *s);
int inside_start(struct slice *s, struct count *counts);
int inside_read(struct slice *s, struct count *counts);
int inside_stop(struct slice *s, struct count *counts);

/*
 * Make the control file of @target, or take the one that there is, and map it;
 * PAPI's code, with errno as it was.
 */
int control_open(const struct sim_target *target, struct sim *sim);
void control_close(struct sim *sim);

/* The process in slot @i, as this one's namespace has it; 0: it is gone. */
int control_holder(const struct control_file *file, int i);
/* Whether the simulator that runs this process has a place in the file. */
bool control_is_own(const struct control_file *file);
/* Somebody beside it answers, also while it sleeps. */
bool control_has_publisher(const struct control_file *file, int i);
/* The process that @pid publishes the counts of, a process of the simulator's
 * own; 0: it is no such. */
int control_served_by(const struct control_file *file, int pid);
/* It is gone, but its counts are still being published. */
bool control_is_finishing(const struct control_file *file, int i);
/* Wait, not for long, until the counts of a killed process are published. */
void control_await_end(const struct control_file *file, int i);

/* Let others know that set @i is this process's as long as it lives; give it
 * back; and free those whose processes were killed. */
void control_hold_set(const struct control_file *file, int i);
void control_free_set(const struct control_file *file, int i);
void control_reclaim(const struct control_file *file);

/* A new series of processes begins: nothing is known of the last any more. */
void control_forget(const struct control_file *file);

/*
 * The control file of process or thread @tid, which runs on the simulated PMU;
 * its name goes to @path.
 * PAPI_EINVAL: there is no such process; PAPI_EPERM: this user may not look;
 * PAPI_ENOSUPP: it does not run there, or on one of another version.
 */
int peer_open(pid_t tid, struct control_file *out, char *path, size_t capacity);
void peer_close(struct control_file *file);

/* Which machine the file's simulators model. */
void peer_machine(const struct control_file *file, struct params *params);

#define SIM_SERVES                                                             \
	"process %d is part of the simulator; the program that it serves is "  \
	"process %d"

/* What is missing in sets of this process that count its children, too. */
int inside_take_census(struct assay_simulation *out);

int outside_open(struct slice *s);
int outside_open_peer(struct slice *s); /* a process that runs already */
void outside_close(struct slice *s);
int outside_start(struct slice *s, struct count *counts);
int outside_read(struct slice *s, struct count *counts);
int outside_stop(struct slice *s, struct count *counts);
int outside_threads(struct slice *s, thread_visitor visit, void *data);

/* Samples of processes outside, in recorder.c. */
extern const struct recorder_ops sim_recorder;

/*
 * Have the simulator leave this library's own instructions out, and resolve
 * the program's references to it now instead of while it counts.
 */
void sim_hide_library(void);

/* An event's number on the wire. */
static inline uint32_t sim_number(const struct slice *s, size_t i)
{
	return (uint32_t)s->component->events[s->events[i]]->id;
}

/* untold.c: what the machine @p lacks that @event is about; NULL: nothing. */
const char *sim_lacks(const struct params *p, uint32_t event);

/* Whether @event cannot be told of programs that ran as @control says. */
bool sim_is_untold(const struct wire_control *control, uint32_t event);
