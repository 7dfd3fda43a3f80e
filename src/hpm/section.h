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
 * Pure: reads arrive as arrays, nothing is counted or printed here.
 */
#ifndef HPM_SECTION_H
#define HPM_SECTION_H

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
	double mean;
	double m2; /* sum of squared deviations */
};

struct section {
	int id;
	enum section_kind kind;
	const char *label;      /* the caller's; static or alive to the end */
	struct hpm_place start; /* of the first start */
	struct hpm_place stop;  /* of the last stop */
	int parent;             /* index of the first parent; -1: none */
	uint64_t count;         /* activations that were stopped */
	unsigned active;        /* activations that are open */
	uint64_t outermost;     /* activations that were not recursive */
	/* by their kind: sections directly inside, all together ... */
	uint64_t children[SECTION_KINDS];
	/* ... and at any depth inside the outermost */
	uint64_t descendants[SECTION_KINDS];
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
	int64_t *spread; /* standard deviation of the inside cost */
	bool known;
};

static inline int64_t cost_of(const int64_t *numbers, size_t q)
{
	return __atomic_load_n(&numbers[q], __ATOMIC_RELAXED);
}

static inline bool cost_is_known(const struct cost *cost)
{
	return __atomic_load_n(&cost->known, __ATOMIC_RELAXED);
}

struct frame;

struct sections {
	size_t quantities;
	struct section *list;
	size_t n;
	struct frame *frames; /* what is open, outermost first */
	size_t depth;
	size_t room; /* frames that fit */
	/* for each frame, its reads and what its children took */
	int64_t *reads;
	uint32_t *slots; /* hash table: index into list + 1; 0: free */
	size_t slots_n;  /* a power of two, more than twice n */
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

/* Leave section @id with the reads at this moment. */
enum stop_result sections_leave(struct sections *s, enum section_kind kind,
				int id, const struct hpm_place *place,
				const int64_t *now, const struct cost *costs);

/* The section whose activation number @i (0: outermost) is open, or NULL. */
const struct section *sections_open_at(const struct sections *s, size_t i);

/* Corrected sums of quantity @q: never below 0. */
int64_t section_inclusive(const struct section *section, size_t q,
			  const struct cost *costs);
int64_t section_exclusive(const struct section *section, size_t q,
			  const struct cost *costs);
double section_stddev(const struct section *section, size_t q);

#endif /* HPM_SECTION_H */
