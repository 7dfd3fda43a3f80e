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

#include "simpmu/model/signal.h"
#include "simpmu/wire.h"

/* The signals of each event. */
#define MOST_TERMS 16
#define NO_SIGNAL  (-1)

static const int16_t event_signals[][MOST_TERMS + 1] = {
#define T(weight, name)                  SIG_##name,
#define EVENT(name, counters, text, ...) { __VA_ARGS__ NO_SIGNAL },
#include "simpmu/events.def"
#undef EVENT
#undef T
};

#define EVENTS (sizeof(event_signals) / sizeof(event_signals[0]))

static bool is_architectural(uint32_t event)
{
	if (event >= EVENTS)
		return false;
	for (const int16_t *s = event_signals[event]; *s != NO_SIGNAL; s++)
		if (*s >= SIG_ARCH_COUNT || *s == SIG_PAGE_TOUCH)
			return false;
	return true;
}

static bool is_set_fast(const struct wire_set *set, bool unlimited)
{
	if (set->flags & WIRE_RECORD ||
	    (set->flags & WIRE_MULTIPLEX && !unlimited))
		return false;
	for (uint32_t e = 0; e < set->n && e < WIRE_EVENTS; e++)
		if (set->thresholds[e] || !is_architectural(set->events[e]))
			return false;
	return true;
}

/* How many sets the file has; *@fast: how many of them are for the engine. */
static unsigned count_sets(const char *control, bool unlimited, unsigned *fast)
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
		*fast += is_set_fast(&c->sets[i], unlimited);
	}
	munmap((void *)(uintptr_t)c, bytes);
	return n;
}

bool choose_counts_fast(const char *control, bool unlimited)
{
	unsigned fast, n = count_sets(control, unlimited, &fast);

	return n && fast == n;
}

bool choose_exceeds_fast(const char *control, bool unlimited)
{
	unsigned fast, n = count_sets(control, unlimited, &fast);

	return fast < n;
}

bool choose_may_request(const char *path)
{
	/* rol $3, rol $13, rol $61 and rol $51 of rdi; xchg rbx, rbx */
	static const unsigned char sequence[] = {
		0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1,
		0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb,
	};
	static const char *const libraries[] = { "libassay.so", "libpapi.so",
						 "libhpm" };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool found;
	void *file;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0) {
		close(fd);
		return false;
	}
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return false;
	found = memmem(file, (size_t)st.st_size, sequence, sizeof(sequence));
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		found = found || memmem(file, (size_t)st.st_size, libraries[i],
					strlen(libraries[i]));
	munmap(file, (size_t)st.st_size);
	return found;
}
