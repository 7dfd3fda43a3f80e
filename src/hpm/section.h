/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections of one thread: what is open, and what was added up.
 *
 * A quantity is time (number 0, in nanoseconds) or an event. Of each there are
 * raw sums, and the same with the cost of the calls taken off:
 *
 *   An activation that holds C sections directly and D at any depth sees, on
 *   top of the program's own work, the inside cost of its own pair of calls
 *   (what lies between the two reads) and the full cost of D pairs. Its own
 *   share, without its children, sees its inside cost and, for each child,
 *   what lies outside the child's reads: full minus inside. Pairs of the two
 *   kinds cost differently. So a function here that is handed @costs gets one
 *   for each kind.
 *
 * Of time, most of a pair's cost is not an estimate: each call is told how long
 * it took (sections_charge()), and that is taken off the sections around it.
 * What remains is the same whatever state the process is in.
 *
 * Of a section whose counters could not be read, even once, there are no sums
 * of events but a reason.
 *
 * Pure: reads arrive as arrays, nothing is counted or printed here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hpm.h>

/* Whose activity a section counts. */
enum section_kind {
	SECTION_PROCESS, /* this process and the threads it starts */
	SECTION_THREAD,  /* the calling thread */
	SECTION_KINDS
};

/* One quantity of one section. */
struct tally {
	int64_t inclusive; /* raw */
	int64_t exclusive; /* raw */
	/* of the corrected inclusive value of one activation */
	int64_t min;
	int64_t max;
	int64_t last;
	double mean;
	double m2; /* sum of squared deviations */
};

struct section {
	int id;
	enum section_kind kind;
	char *label;              /* owned */
	char *file;               /* owned; of the first start */
	int line_start, line_end; /* of the first start and the last stop */
	int parent;               /* index of the first parent; -1: none */
	uint64_t count;           /* activations that were stopped */
	unsigned active;          /* activations that are open */
	uint64_t outermost;       /* activations that were not recursive */
	/* by their kind: sections directly inside, all together ... */
	uint64_t children[SECTION_KINDS];
	/* ... and at any depth inside the outermost */
	uint64_t descendants[SECTION_KINDS];
	/* How long the calls took: its own pairs; those directly inside, all
	 * together; and those at any depth inside the outermost. */
	uint64_t own_ns, children_ns, descendants_ns;
	/* Activations without counts, and those with such a one inside. */
	uint64_t unread, unread_inside;
	char *why;             /* they were not read: the first; owned */
	struct tally *tallies; /* one for each quantity */
};

/*
 * What a pair of calls costs, one number for each quantity. Measured again at
 * the end, while other threads may be at work: read by cost_of().
 */
struct cost {
	size_t n;
	int64_t *inside; /* seen by the section itself */
	int64_t *full;   /* seen by a section around it */
	int64_t *spread; /* uncertainty of the inside cost */
	bool known;
	int64_t pair_ns; /* time beyond that, which calls are charged with */
};

static inline int64_t cost_of(const int64_t *numbers, size_t q)
{
	return __atomic_load_n(&numbers[q], __ATOMIC_RELAXED);
}

static inline bool cost_is_known(const struct cost *cost)
{
	return __atomic_load_n(&cost->known, __ATOMIC_RELAXED);
}

/* What is read when a section is left. */
struct reading {
	const int64_t *now; /* what the section's kind counts */
	/* The calling thread's, for a section of the process directly inside
	 * one of the thread, where sections_needs_thread(); else NULL. */
	const int64_t *thread;
	const char *why; /* the counters could not be read; NULL: they were */
};

struct frame;

struct sections {
	size_t quantities;
	struct section *list;
	size_t n;
	struct frame *frames; /* what is open, outermost first */
	size_t depth;
	size_t capacity; /* frames that fit */
	/* for each frame, its reads, what its children took, and what the
	 * thread had counted */
	int64_t *reads;
	uint32_t *slots; /* hash table: index into list + 1; 0: free */
	size_t slots_n;  /* a power of two, more than twice n */
	/* The section last entered or left, and how many are open around it. */
	size_t last, around;
};

/* What became of a stop. */
enum stop_result {
	STOP_OK,
	STOP_UNKNOWN, /* nothing of that number is open */
	STOP_CROSSED, /* others inside it were open; they were closed with it */
};

void sections_init(struct sections *s, size_t quantities);
void sections_fini(struct sections *s);

/*
 * Enter a section. The reads at this moment are put into what is returned,
 * by the caller, as late as possible; NULL if there is no memory, and then
 * the section is not entered.
 */
int64_t *sections_enter(struct sections *s, enum section_kind kind, int id,
			const char *label, const struct hpm_place *place);

/* Where what the thread has counted goes too; NULL: it is not needed. */
int64_t *sections_thread_reads(struct sections *s);

/* The counters could not be read when the innermost section was entered. */
void sections_fail(struct sections *s, const char *why);

/* What the thread has counted could not be read when it was entered. */
void sections_fail_thread(struct sections *s);

/* Whether leaving section @id needs what the thread has counted, too. */
bool sections_needs_thread(const struct sections *s, enum section_kind kind,
			   int id);

/* Leave section @id with the reads at this moment. */
enum stop_result sections_leave(struct sections *s, enum section_kind kind,
				int id, const struct hpm_place *place,
				const struct reading *reading,
				const struct cost *costs);

/* The call that entered or left a section last took so long. */
void sections_charge(struct sections *s, uint64_t ns);

/* So did what it did only this once: it is no part of what a pair costs. */
void sections_charge_around(struct sections *s, uint64_t ns);

/* The section whose activation number @i (0: outermost) is open, or NULL. */
const struct section *sections_open_at(const struct sections *s, size_t i);

/* Corrected sums of quantity @q: never below 0, and exclusive is no more than
 * inclusive. */
int64_t section_inclusive(const struct section *section, size_t q,
			  const struct cost *costs);
int64_t section_exclusive(const struct section *section, size_t q,
			  const struct cost *costs);
double section_stddev(const struct section *section, size_t q);
