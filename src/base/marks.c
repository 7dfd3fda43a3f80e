/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each slot has a turn: twice the number of the mark in it, the first being 1,
 * and one more while that is written. A reader that finds another turn, before
 * or after it has read, has come too late for that mark. One writer at a time
 * has a slot: who finds there one that was overtaken by a whole round, or a
 * newer mark, gives up its own, and says so in "skipped".
 */
#include "base/marks.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC   0x32736b72616d7361u /* "asmarks2" */
#define WORDS   (MARKS_WORD / 8)
#define WRITING 1u

struct slot {
	_Atomic uint64_t turn;
	_Atomic uint64_t skipped; /* the turn of the last that was given up */
	_Atomic uint64_t ns;
	_Atomic uint64_t what; /* number, and whether it begins */
	_Atomic uint64_t word[WORDS];
};

struct marks {
	uint64_t magic;
	_Atomic uint64_t n; /* marks that were begun */
	struct slot slots[MARKS_CAPACITY];
};

static struct marks *map(int fd)
{
	void *at = mmap(NULL, sizeof(struct marks), PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

struct marks *marks_create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct marks *m = NULL;

	if (fd < 0)
		return NULL;
	if (ftruncate(fd, sizeof(struct marks)) == 0)
		m = map(fd);
	if (m)
		m->magic = MAGIC;
	close(fd);
	return m;
}

struct marks *marks_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct marks *m = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size == sizeof(struct marks))
		m = map(fd);
	close(fd);
	if (m && m->magic != MAGIC) {
		marks_close(m);
		m = NULL;
	}
	return m;
}

void marks_close(struct marks *m)
{
	if (m)
		munmap(m, sizeof(*m));
}

static uint64_t turn_of(uint64_t k)
{
	return 2 * (k + 1);
}

static void skip(struct slot *slot, uint64_t turn)
{
	uint64_t last = atomic_load(&slot->skipped);

	while (last < turn &&
	       !atomic_compare_exchange_weak(&slot->skipped, &last, turn))
		;
}

/* Take the slot; whoever reads sees that before anything that is written. */
static bool claim_slot(struct slot *slot, uint64_t turn)
{
	uint64_t before = atomic_load(&slot->turn);

	do {
		if (before & WRITING || before > turn)
			return false;
	} while (!atomic_compare_exchange_weak(&slot->turn, &before,
					       turn | WRITING));
	return true;
}

void marks_put(struct marks *m, const struct mark *mark)
{
	uint64_t k = atomic_fetch_add(&m->n, 1);
	struct slot *slot = &m->slots[k % MARKS_CAPACITY];
	uint64_t word[WORDS];

	if (!claim_slot(slot, turn_of(k))) {
		skip(slot, turn_of(k));
		return;
	}
	memcpy(word, mark->word, sizeof(word));
	atomic_store_explicit(&slot->ns, mark->ns, memory_order_release);
	atomic_store_explicit(&slot->what,
			      (uint64_t)(uint32_t)mark->number << 1 |
				      mark->begins,
			      memory_order_release);
	for (int i = 0; i < WORDS; i++)
		atomic_store_explicit(&slot->word[i], word[i],
				      memory_order_release);
	atomic_store_explicit(&slot->turn, turn_of(k), memory_order_release);
}

/* False if it is not whole: overwritten meanwhile, or still being written. */
static bool read_slot(struct slot *slot, uint64_t k, struct mark *out)
{
	uint64_t word[WORDS], what;

	if (atomic_load_explicit(&slot->turn, memory_order_acquire) !=
	    turn_of(k))
		return false;
	out->ns = atomic_load_explicit(&slot->ns, memory_order_acquire);
	what = atomic_load_explicit(&slot->what, memory_order_acquire);
	for (int i = 0; i < WORDS; i++)
		word[i] = atomic_load_explicit(&slot->word[i],
					       memory_order_acquire);
	if (atomic_load_explicit(&slot->turn, memory_order_relaxed) !=
	    turn_of(k))
		return false;
	out->number = (int)(uint32_t)(what >> 1);
	out->begins = what & 1;
	memcpy(out->word, word, sizeof(word));
	out->word[MARKS_WORD - 1] = '\0';
	return true;
}

/* Whether mark @k is still to come, or has come since it was looked for. */
static bool is_coming(struct slot *slot, uint64_t k)
{
	return atomic_load(&slot->skipped) < turn_of(k) &&
	       atomic_load(&slot->turn) <= (turn_of(k) | WRITING);
}

size_t marks_take(struct marks *m, struct marks_reader *reader,
		  struct mark *out, size_t capacity)
{
	uint64_t n = atomic_load(&m->n);
	size_t taken = 0;

	if (n - reader->at > MARKS_CAPACITY) {
		reader->lost += n - MARKS_CAPACITY - reader->at;
		reader->at = n - MARKS_CAPACITY;
	}
	for (; reader->at < n && taken < capacity; reader->at++) {
		struct slot *slot = &m->slots[reader->at % MARKS_CAPACITY];

		if (read_slot(slot, reader->at, &out[taken]))
			taken++;
		else if (n - reader->at < 64 && is_coming(slot, reader->at))
			break; /* next time */
		else
			reader->lost++;
	}
	return taken;
}
