/* SPDX-License-Identifier: BSD-3-Clause */
/* Which engine runs a program; see choose.h. */
#include "simpmu/launch/choose.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simpmu/model/tally.h"
#include "simpmu/wire.h"

/* The signals of each event. */
#define MOST_TERMS 16
#define NO_SIGNAL  (-1)

static const int16_t event_signals[][MOST_TERMS + 1] = {
#define T(weight, name)                  TALLY_##name,
#define EVENT(name, counters, text, ...) { __VA_ARGS__ NO_SIGNAL },
#include "simpmu/events.def"
#undef EVENT
#undef T
};

#define EVENTS (sizeof(event_signals) / sizeof(event_signals[0]))

/* The part of the model that each tally needs; 0: none. */
static const uint8_t tally_part[TALLY_COUNT] = {
#define X(name, part, text) [TALLY_##name] = PART_##part,
	MODEL_TALLIES(X)
#undef X
};

/* Parts that the fast engine models, and those of them that threads have each
 * for themselves. */
#define PARTS_FAST    (PART_BRANCH | PART_FETCH | PART_DATA)
#define PARTS_OWN     (PART_BRANCH | PART_FETCH)
#define PARTS_SAMPLED (PARTS_FAST | PART_CYCLE)

static bool is_between_cores(int tally)
{
	switch (tally) {
	case TALLY_SNOOP:
	case TALLY_SNOOP_HIT:
	case TALLY_SNOOP_HITM:
	case TALLY_INVALIDATE:
	case TALLY_INTERVENE:
	case TALLY_SHARED_STORE:
		return true;
	default:
		return false;
	}
}

/*
 * Whether the fast engine counts it, with these @parts of the model. Pages are
 * Valgrind's, and what cores take from each other, for which threads must take
 * turns often. With sampled cycles it is counted as long as there is one
 * thread, and else has no value (src/components/sim/outside.c).
 */
static bool is_tally_fast(int tally, unsigned parts)
{
	if (tally == TALLY_PAGE_TOUCH)
		return false;
	if (is_between_cores(tally))
		return parts == PARTS_SAMPLED;
	return !(tally_part[tally] & ~parts);
}

static bool is_event_fast(uint32_t event, unsigned parts)
{
	if (event >= EVENTS)
		return false;
	for (const int16_t *s = event_signals[event]; *s != NO_SIGNAL; s++)
		if (!is_tally_fast(*s, parts))
			return false;
	return true;
}

/* What overflows must be known from the code alone. */
static bool is_set_fast(const struct wire_set *set, unsigned parts)
{
	for (uint32_t e = 0; e < set->n && e < WIRE_EVENTS; e++)
		if (!is_event_fast(set->events[e],
				   set->thresholds[e] ? 0 : parts))
			return false;
	return true;
}

/* Whether @set has an event of which a tally @is_such. */
static bool has_tally(const struct wire_set *set, bool (*is_such)(int))
{
	for (uint32_t e = 0; e < set->n && e < WIRE_EVENTS; e++) {
		const int16_t *s;

		if (set->events[e] >= EVENTS)
			continue;
		for (s = event_signals[set->events[e]]; *s != NO_SIGNAL; s++)
			if (is_such(*s))
				return true;
	}
	return false;
}

static bool is_timed(int tally)
{
	return tally_part[tally] & PART_CYCLE;
}

/*
 * Who asks for what cores take from each other, and not for cycles, has threads
 * in mind.
 */
static bool is_about_threads(const struct wire_set *set)
{
	return has_tally(set, is_between_cores) && !has_tally(set, is_timed);
}

/* How many sets the file has; *@fast: how many of them are for the engine. */
static unsigned count_sets(const char *control, unsigned parts, unsigned *fast)
{
	size_t bytes = offsetof(struct wire_control, processes);
	int fd = open(control, O_RDONLY | O_CLOEXEC);
	const struct wire_control *c;
	unsigned n = 0;

	*fast = 0;
	if (fd < 0)
		return 0;
	c = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (c == MAP_FAILED)
		return 0;
	for (uint32_t i = 0; i < WIRE_SETS && c->version == WIRE_VERSION; i++) {
		if (c->sets[i].state == WIRE_FREE)
			continue;
		n++;
		*fast += is_set_fast(&c->sets[i], parts) &&
			 !is_about_threads(&c->sets[i]);
	}
	munmap((void *)(uintptr_t)c, bytes);
	return n;
}

bool choose_counts_fast(const char *control, bool sampled)
{
	unsigned parts = sampled ? PARTS_SAMPLED : PARTS_FAST;
	unsigned fast, n = count_sets(control, parts, &fast);

	return n && fast == n;
}

bool choose_is_shared(const char *control)
{
	unsigned fast, n = count_sets(control, PARTS_OWN, &fast);

	return fast < n;
}

bool choose_asks(const char *control)
{
	unsigned fast;

	return count_sets(control, PARTS_FAST, &fast) > 0;
}

bool choose_exceeds_fast(const char *control, bool sampled)
{
	unsigned parts = sampled ? PARTS_SAMPLED : PARTS_FAST;
	unsigned fast, n = count_sets(control, parts, &fast);

	return fast < n;
}

/* The file @path in memory; NULL if it cannot be read. */
static void *map_file(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		*bytes = (size_t)st.st_size;
		file = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return file == MAP_FAILED ? NULL : file;
}

static bool has_word(const void *file, size_t bytes, const char *const *words)
{
	for (; *words; words++)
		if (memmem(file, bytes, *words, strlen(*words)))
			return true;
	return false;
}

bool choose_may_request(const char *path)
{
	/* rol $3, rol $13, rol $61 and rol $51 of rdi; xchg rbx, rbx */
	static const unsigned char sequence[] = {
		0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1,
		0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb,
	};
	static const char words[] = "simulated PMU"; /* of the library's */
	static const char *const libraries[] = { "libassay.so", "libpapi.so",
						 "libhpm", NULL };
	size_t bytes;
	void *file = map_file(path, &bytes);
	bool found;

	if (!file)
		return false;
	/* others speak to Valgrind by the same sequence: V8, for one */
	found = (memmem(file, bytes, sequence, sizeof(sequence)) &&
		 memmem(file, bytes, words, strlen(words))) ||
		has_word(file, bytes, libraries);
	munmap(file, bytes);
	return found;
}

/*
 * pthread_create() alone says little: most interpreters and coreutils' sort
 * import it and hardly ever call it.
 */
bool choose_is_threaded(const char *path)
{
	static const char *const runtimes[] = { "libgomp.so",   "libomp.so",
						"libiomp5.so",  "libtbb.so",
						"_ZNSt6thread", NULL };
	size_t bytes;
	void *file = map_file(path, &bytes);
	bool found = file && has_word(file, bytes, runtimes);

	if (file)
		munmap(file, bytes);
	return found;
}
