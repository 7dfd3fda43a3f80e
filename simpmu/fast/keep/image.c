/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables on their way to a file and back; see image.h. */
#include "simpmu/fast/keep/image.h"

#include "simpmu/fast/sys.h"
#include "simpmu/pmu/host.h"

#define WORD        8u
#define FACTOR      0x9e3779b97f4a7c15u
#define MAP_FILLED  0x8000u /* MAP_POPULATE */
#define MOVE_TO     3u      /* MREMAP_MAYMOVE, MREMAP_FIXED */
#define LARGEST_PUT 0x40000000u

static const uint64_t zeroes[PAGE / WORD];

/* ---- sums: against files that were damaged, not against an enemy ---- */

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * FACTOR;
	return sum ^ sum >> 29;
}

/* @bytes: a multiple of a word. */
static void add(struct image *i, const void *data, uint64_t bytes)
{
	const uint64_t *word = data, *end = word + bytes / WORD;
	uint64_t lane = i->at / WORD % IMAGE_LANES;

	for (; word < end && lane; lane = (lane + 1) % IMAGE_LANES)
		i->sum[lane] = mix(i->sum[lane], *word++);
	for (; end - word >= IMAGE_LANES; word += IMAGE_LANES)
		for (unsigned k = 0; k < IMAGE_LANES; k++)
			i->sum[k] = mix(i->sum[k], word[k]);
	for (; word < end; lane++)
		i->sum[lane] = mix(i->sum[lane], *word++);
}

uint64_t image_sum(const struct image *i)
{
	uint64_t sum = i->at;

	for (unsigned k = 0; k < IMAGE_LANES; k++)
		sum = mix(sum, i->sum[k]);
	return sum;
}

uint64_t image_mix(uint64_t sum, const void *data, size_t bytes)
{
	const uint64_t *word = data;

	for (size_t n = bytes / WORD; n; n--)
		sum = mix(sum, *word++);
	return sum;
}

/* ---- writing ---- */

void image_begin(struct image *i, int64_t fd)
{
	memset(i, 0, sizeof(*i));
	i->fd = fd;
	i->at = PAGE;
	if (SYS(__NR_lseek, fd, PAGE, 0) != PAGE)
		i->has_failed = true;
}

static void put(struct image *i, const void *data, uint64_t bytes)
{
	const uint8_t *from = data;

	if (i->has_failed)
		return;
	add(i, data, bytes);
	i->at += bytes;
	while (bytes) {
		uint64_t most = bytes < LARGEST_PUT ? bytes : LARGEST_PUT;
		int64_t n = SYS(__NR_write, i->fd, from, most);

		if (n <= 0) {
			i->has_failed = true;
			return;
		}
		from += n;
		bytes -= (uint64_t)n;
	}
}

static void put_up_to_page(struct image *i)
{
	put(i, zeroes, page_up(i->at) - i->at);
}

/* ---- loading ---- */

bool image_open(struct image *i, int64_t fd, uint64_t bytes)
{
	int64_t at;

	memset(i, 0, sizeof(*i));
	i->is_loading = true;
	i->bytes = bytes;
	at = sys6(__NR_mmap, 0, bytes, PROT_R, MAP_IS_OWN | MAP_FILLED,
		  (uint64_t)fd, 0);
	i->mapped = (const uint8_t *)at;
	i->at = PAGE;
	return !is_error(at);
}

bool image_is_whole(struct image *i, uint64_t sum)
{
	bool is_right;

	add(i, i->mapped + PAGE, i->bytes - PAGE);
	i->at = i->bytes;
	is_right = image_sum(i) == sum;
	i->at = PAGE;
	return is_right;
}

void image_close(struct image *i)
{
	SYS(__NR_munmap, i->mapped, i->bytes, 0);
}

/* The next @bytes of the file; NULL if there are not so many. */
static const uint8_t *next_bytes(struct image *i, uint64_t bytes)
{
	const uint8_t *from = i->mapped + i->at;

	if (i->has_failed || i->bytes - i->at < bytes) {
		i->has_failed = true;
		return NULL;
	}
	i->at += bytes;
	return from;
}

/* The pages themselves: no others are needed until they are written. */
static void move(struct image *i, void *at, uint64_t bytes)
{
	const uint8_t *from = next_bytes(i, bytes);

	if (!from)
		return;
	/* what was there is gone if it fails */
	if (is_error(sys6(__NR_mremap, (uint64_t)from, bytes, bytes, MOVE_TO,
			  (uint64_t)at, 0)) ||
	    SYS(__NR_mprotect, at, bytes, PROT_R | PROT_W))
		host_give_up(125, "out of memory%s", "");
}

/* ---- both ways ---- */

void image_number(struct image *i, uint32_t *value, uint32_t limit)
{
	uint64_t word = *value;
	const uint8_t *from;

	if (!i->is_loading) {
		put(i, &word, sizeof(word));
		return;
	}
	from = next_bytes(i, sizeof(word));
	if (from)
		memcpy(&word, from, sizeof(word));
	if (word >= limit)
		i->has_failed = true;
	else
		*value = (uint32_t)word;
}

/* Whole words, for the sum; there is memory up to the end of the page. */
static uint64_t in_words(uint64_t bytes)
{
	return (bytes + WORD - 1) & ~(uint64_t)(WORD - 1);
}

void image_memory(struct image *i, void *at, uint64_t bytes)
{
	if (!bytes)
		return;
	if (i->is_loading) {
		i->at = page_up(i->at);
		move(i, at, page_up(bytes));
		return;
	}
	put_up_to_page(i);
	put(i, at, in_words(bytes));
	put_up_to_page(i);
}

void image_copy(struct image *i, void *at, uint64_t bytes)
{
	const uint8_t *from;

	if (!i->is_loading) {
		put(i, at, in_words(bytes));
		return;
	}
	from = next_bytes(i, in_words(bytes));
	if (from)
		memcpy(at, from, bytes);
}
