/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps the buffer and takes records out of it, one at a time. What a record
 * means is left to its readers.
 */
#include "components/perf_event/ring.h"

#include <sys/mman.h>
#include <unistd.h>

bool pe_ring_open(struct pe_ring *ring, int fd, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, (1 + pages) * page, PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);

	*ring = (struct pe_ring){ 0 };
	if (at == MAP_FAILED)
		return false;
	ring->page = at;
	ring->data = (const char *)at + page;
	ring->bytes = pages * page;
	return true;
}

void pe_ring_close(struct pe_ring *ring, bool stale)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (ring->page && !stale)
		munmap(ring->page, page + ring->bytes);
	*ring = (struct pe_ring){ 0 };
}

bool pe_ring_is_full(const struct pe_ring *ring, size_t bytes)
{
	uint64_t head =
		__atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	return head - ring->page->data_tail + bytes > ring->bytes;
}

/* The word at @offset, which wraps; records are whole words [perf_event.h]. */
static uint64_t word_at(const struct pe_ring *ring, uint64_t offset)
{
	const char *at = ring->data + (offset & (ring->bytes - 1));

	return *(const uint64_t *)(const void *)at;
}

bool pe_ring_next(struct pe_ring *ring, struct pe_record *out)
{
	union {
		uint64_t word;
		struct perf_event_header header;
	} first;
	uint64_t head, tail;
	size_t n;

	if (!ring->page)
		return false;
	head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	tail = ring->page->data_tail;
	if (tail >= head)
		return false;
	first.word = word_at(ring, tail);
	n = first.header.size / sizeof(uint64_t);
	if (n < 1) /* cannot be; but do not stay here for ever */
		return false;
	out->type = first.header.type;
	out->n = n - 1 < PE_RECORD_WORDS ? n - 1 : PE_RECORD_WORDS;
	for (size_t i = 0; i < out->n; i++)
		out->words[i] = word_at(ring, tail + 8 * (i + 1));
	__atomic_store_n(&ring->page->data_tail, tail + first.header.size,
			 __ATOMIC_RELEASE);
	return true;
}
