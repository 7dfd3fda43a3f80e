/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many texts with one owner; what they belong to is the caller's. They lie one
 * behind the other in blocks, so that a thousand take a few allocations.
 */
#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Small for those who keep a few texts, and soon large for many. */
#define FIRST_BYTES   256
#define LARGEST_BYTES 16384

struct texts_block {
	struct texts_block *next;
	size_t bytes;
	char text[];
};

/* A new block with room for @n bytes, and as large as it should be. */
static bool grow(struct texts *texts, size_t n)
{
	struct texts_block *last = texts->newest;
	size_t bytes = last ? 2 * last->bytes : FIRST_BYTES;
	struct texts_block *block;

	if (bytes > LARGEST_BYTES)
		bytes = LARGEST_BYTES;
	if (bytes < n)
		bytes = n;
	block = malloc(sizeof(*block) + bytes);
	if (!block)
		return false;
	*block = (struct texts_block){ .next = last, .bytes = bytes };
	texts->newest = block;
	texts->left = bytes;
	return true;
}

char *texts_reserve(struct texts *texts, size_t n)
{
	char *capacity;

	if (texts->left <= n && !grow(texts, n + 1)) {
		texts->failed = true;
		return NULL;
	}
	capacity = texts->newest->text + texts->newest->bytes - texts->left;
	texts->left -= n + 1;
	capacity[n] = '\0';
	return capacity;
}

const char *texts_copy(struct texts *texts, const char *text)
{
	size_t n = text ? strlen(text) : 0;
	char *capacity = text ? texts_reserve(texts, n) : NULL;

	if (!text)
		return NULL;
	return capacity ? memcpy(capacity, text, n) : "";
}

const char *texts_take(struct texts *texts, char *text)
{
	const char *copy = texts_copy(texts, text);

	if (!text)
		texts->failed = true;
	free(text);
	return copy ? copy : "";
}

int texts_error(const struct texts *texts)
{
	return texts->failed ? PAPI_ENOMEM : 0;
}

void texts_fini(struct texts *texts)
{
	while (texts->newest) {
		struct texts_block *block = texts->newest;

		texts->newest = block->next;
		free(block);
	}
	*texts = (struct texts){ 0 };
}
