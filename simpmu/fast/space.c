/* SPDX-License-Identifier: BSD-3-Clause */
/* What the guest has mapped to be executed, from the kernel's list. */
#include "simpmu/fast/layout.h"
#include "simpmu/fast/sys.h"
#include "simpmu/pmu/host.h"

#define MOST 4096

static struct {
	struct host_segment segments[MOST];
	size_t n;
	char *text; /* paths point into it */
} space;

static uint64_t hexadecimal(char **at)
{
	uint64_t value = 0;

	for (;; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			value = value * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + (uint64_t)(c - 'a' + 10);
		else
			return value;
	}
}

static char *skip_word(char *at)
{
	while (*at && *at != ' ' && *at != '\n')
		at++;
	while (*at == ' ')
		at++;
	return at;
}

/* "start-end rwxp offset device inode path"; the next line. */
static char *take_line(char *at)
{
	struct host_segment *s = &space.segments[space.n];
	char *end = at;
	bool is_code;

	while (*end && *end != '\n')
		end++;
	if (*end)
		*end++ = '\0';
	s->start = hexadecimal(&at);
	at++;
	s->end = hexadecimal(&at);
	is_code = at[3] == 'x';
	at = skip_word(at + 1);
	s->offset = hexadecimal(&at);
	at = skip_word(skip_word(skip_word(at)));
	s->path = *at == '/' ? at : NULL;
	if (is_code && space.n + 1 < MOST &&
	    !(s->start >= CACHE_BASE && s->start < 0x80000000))
		space.n++;
	return end;
}

static void look(void)
{
	char *at;

	/* what a sample named before keeps its text: it is not freed */
	space.text = sys_read_file("/proc/self/maps");
	space.n = 0;
	for (at = space.text; at && *at;)
		at = take_line(at);
}

static const struct host_segment *find(uint64_t address)
{
	for (size_t i = 0; i < space.n; i++)
		if (address >= space.segments[i].start &&
		    address < space.segments[i].end)
			return &space.segments[i];
	return NULL;
}

bool host_segment_at(uint64_t address, struct host_segment *out)
{
	const struct host_segment *found = find(address);

	if (!found) {
		look();
		found = find(address);
	}
	if (found)
		*out = *found;
	return found;
}

size_t host_segments(struct host_segment *out, size_t n)
{
	look();
	if (n > space.n)
		n = space.n;
	memcpy(out, space.segments, n * sizeof(*out));
	return n;
}
