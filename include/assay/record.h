/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of another process: where it was each time that an event had
 * happened so many times again.
 *
 * PAPI_overflow() and PAPI_profil() sample the program that calls them. A
 * recorder samples a program from outside, with its threads and children,
 * and tells what was mapped where, so that addresses can be given names. On
 * the simulated PMU (see assay_simulate()) every crossing of a threshold has
 * its sample, with the address of the very instruction; on others samples may
 * come late and are lost if they are not taken in time.
 */
#ifndef ASSAY_RECORD_H
#define ASSAY_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <papi.h>

#include <assay/api.h>

#ifdef __cplusplus
extern "C" {
#endif

struct assay_recorder;

/* An event to be sampled. */
struct assay_record_event {
	int code;        /* counts a thread: not a ratio, nor a level */
	uint64_t period; /* a sample each time it grew by so much; not 0 */
};

struct assay_recording {
	/* a process that will call exec, and is sampled from then on */
	pid_t pid;
	const struct assay_record_event *events;
	size_t n;
	int stacks; /* not 0: with registers and stack, to be unwound */
	/*
	 * NULL, or threads of the process, which runs already: they are
	 * sampled from now on, with what they start. What was mapped before is
	 * not told. Not on the simulated PMU.
	 */
	const pid_t *threads;
	size_t n_threads;
};

enum assay_record_kind {
	/* .text is the program's file; what was mapped before is gone */
	ASSAY_RECORD_EXEC,
	/* a process that .pid was made from (.parent): it has its maps */
	ASSAY_RECORD_FORK,
	/* .text is the name of thread .tid */
	ASSAY_RECORD_NAME,
	/* .start, .end, .offset, and .text the file; "" for none */
	ASSAY_RECORD_MAP,
	ASSAY_RECORD_SAMPLE,
	/* .lost samples could not be kept */
	ASSAY_RECORD_LOST,
	/* on the simulated PMU, when a process ends: the instruction at
	   .address took the line from .start to .end from another core .lost
	   times, to access .offset */
	ASSAY_RECORD_TAKEN,
	/* .event came too often: it was not sampled for a while after this */
	ASSAY_RECORD_THROTTLED,
};

/* Registers of a sample with its stack, as DWARF numbers them. */
#define ASSAY_RECORD_REGISTERS 33

/* Something that happened. What it points to lives until the call returns. */
struct assay_record {
	enum assay_record_kind kind;
	pid_t pid, tid, parent;
	const char *text;
	uint64_t start, end, offset; /* end is behind the last byte */
	uint64_t lost;

	/* a sample */
	size_t event;     /* in the recording */
	uint64_t address; /* of the instruction */
	/*
	 * Where the thread's state was taken, perhaps some instructions later,
	 * with the stack from the stack pointer up. stack_bytes is 0 if it is
	 * not known.
	 */
	uint64_t registers[ASSAY_RECORD_REGISTERS];
	uint64_t known; /* bit i: registers[i] is known */
	uint64_t pc;    /* the program counter that belongs to them */
	uint64_t stack_start;
	const void *stack;
	size_t stack_bytes;
	/*
	 * When the sample was taken, in units of assay_recorder_clock(), from
	 * any beginning. Of other records it is known on hardware only.
	 */
	uint64_t time;
};

/* 0 to go on. */
typedef int (*assay_record_fn)(void *context,
			       const struct assay_record *record);

/*
 * Make a recorder, to be closed with assay_recorder_close(). All events must
 * be of one component. An event that is a sum of others is sampled by those.
 *
 *   PAPI_EINVAL   a period is 0, or there are no events
 *   PAPI_ENOEVNT  unknown, or not countable here
 *   PAPI_ESYS     none of the threads is there any more
 *   PAPI_ENOSUPP  the event cannot be sampled: it is a formula, or its
 *                 component cannot
 *   PAPI_ECNFLCT  they cannot be sampled together
 *   and what opening the event gives; assay_error() says more
 */
ASSAY_API int assay_recorder_open(const struct assay_recording *what,
				  struct assay_recorder **out);

/*
 * Call @fn for all that happened since the last time, in the order of time
 * for each process. Call it often while the process runs, and once after its
 * end. 0, what @fn returned, or PAPI_ESYS.
 */
ASSAY_API int assay_recorder_take(struct assay_recorder *recorder,
				  assay_record_fn fn, void *context);

/* The counts so far, one for each event of the recording. */
ASSAY_API int assay_recorder_values(struct assay_recorder *recorder,
				    uint64_t *values);

/* Which component samples: "sim", "perf_event"; static storage. */
ASSAY_API const char *
assay_recorder_source(const struct assay_recorder *recorder);

/*
 * What times are in: "ns"; on the simulated PMU "cycles", where the events need
 * them to be modelled, else "instructions", of all threads and processes
 * together. Known once there was a sample; static storage.
 */
ASSAY_API const char *
assay_recorder_clock(const struct assay_recorder *recorder);

ASSAY_API void assay_recorder_close(struct assay_recorder *recorder);

/*
 * From inside a program: write the @n histograms @regions that PAPI_profil()
 * or PAPI_sprofil() filled to file @path, whole or not at all, with what is
 * mapped now, so that `assay record --import` and `assay view` can show them.
 * @flags are those that were given there (PAPI_PROFIL_BUCKET_*), @event is
 * the event's name, @threshold how many of it a sample stands for.
 *
 *   PAPI_EINVAL  a NULL, no region, two bucket sizes, or a threshold of 0
 *   PAPI_ESYS    the file cannot be written; assay_error() says why
 */
ASSAY_API int assay_profil_write(const char *path,
				 const PAPI_sprofil_t *regions, int n,
				 int flags, const char *event,
				 uint64_t threshold);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_RECORD_H */
