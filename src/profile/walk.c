/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks as other programs want them. */

#include "profile/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static size_t count_frames(const struct profile *p, size_t stack)
{
	size_t n = 0;

	for (; stack != PROFILE_NONE; stack = p->stacks[stack].caller)
		n += p->locations[p->stacks[stack].location].n;
	return n;
}

struct profile_frame **profile_walk(const struct profile *p, size_t stack,
				    size_t *n)
{
	size_t at = count_frames(p, stack);
	struct profile_frame **frames = calloc(at + 1, sizeof(*frames));

	*n = at;
	if (!frames)
		return NULL;
	for (; stack != PROFILE_NONE; stack = p->stacks[stack].caller) {
		const struct profile_location *l =
			&p->locations[p->stacks[stack].location];

		for (size_t k = 0; k < l->n; k++)
			frames[--at] = &l->frames[k];
	}
	return frames;
}

uint64_t profile_weight(const struct profile *p,
			const struct profile_sample *sample, size_t event)
{
	return sample->counts[event] * p->events[event].period;
}

const char *profile_unit(const struct profile_event *event)
{
	return strcmp(event->unit, "ns") == 0 ? "nanoseconds" : "";
}

void profile_put_plain(const char *text, const char *unwanted, FILE *to)
{
	while (*text) {
		size_t n = utf8_length(text);
		unsigned char c = (unsigned char)*text;

		if (n == 0 || c < 0x20 || c == 0x7f ||
		    (n == 1 && strchr(unwanted, c)))
			putc('_', to);
		else
			fwrite(text, 1, n, to);
		text += n ? n : 1;
	}
}
