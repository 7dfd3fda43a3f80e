/* SPDX-License-Identifier: BSD-3-Clause */
/* What the guest has mapped, from the kernel's list. */
#include "simpmu/fast/space.h"

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

bool space_find_code(uint64_t address, uint64_t *start, uint64_t *end)
{
	const struct host_segment *found;
	uint8_t byte;

	look();
	*start = address & ~(uint64_t)(PAGE - 1);
	*end = *start + PAGE;
	if (!space.text) /* no /proc here: what can be read will do */
		return !guest_copy(&byte, (const void *)address, 1);
	found = find(address);
	if (found) {
		*start = found->start;
		*end = found->end;
	}
	sys_free_file(space.text);
	space.text = NULL;
	space.n = 0;
	return found;
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

/* ---- the list as the guest reads it ---- */

#define NAME_COLUMN 73
#define NAMES       64 /* bytes for what is added: two names */

extern const char _end[]; /* of the engine's image */

/* Of the kernel's own there is one each, which the engine was given. */
static bool is_engines(uint64_t start, const char *name)
{
	return (start >= CACHE_BASE && start < (uint64_t)_end) ||
	       (start >= OWN_FIRST && start < OWN_LAST) ||
	       text_begins(name, "[stack]") || text_begins(name, "[vdso]") ||
	       text_begins(name, "[vvar");
}

/* What the kernel would call memory without a name; NULL: nothing. */
static const char *name_of(uint64_t start, uint64_t end)
{
	if (start == HEAP_FIRST)
		return "[heap]";
	return end == STACK_LAST ? "[stack]" : NULL;
}

/* Copy the line at *@from, which is moved on, if it is the guest's; bytes. */
static size_t put_line(char *to, char **from)
{
	char *line = *from, *at = line, *name, *next;
	uint64_t start = hexadecimal(&at), end;
	const char *given;
	size_t n;

	at++;
	end = hexadecimal(&at);
	name = line;
	for (int i = 0; i < 5; i++)
		name = skip_word(name);
	for (next = name; *next && *next != '\n';)
		next++;
	*from = *next ? next + 1 : next;
	if (is_engines(start, name))
		return 0;
	n = (size_t)(*from - line);
	memcpy(to, line, n);
	given = name == next ? name_of(start, end) : NULL;
	if (given) {
		for (n--; n < NAME_COLUMN;)
			to[n++] = ' ';
		n += text_format(to + n, NAMES / 2, "%s\n", given);
	}
	return n;
}

char *space_list(size_t *bytes)
{
	char *all = sys_read_file("/proc/self/maps"), *at = all, *list;
	size_t n = 0;

	if (!all)
		return NULL;
	list = sys_memory(SYS_FILE_CAPACITY);
	while (*at && n + NAME_COLUMN + NAMES + PAGE < SYS_FILE_CAPACITY)
		n += put_line(list + n, &at);
	sys_free_file(all);
	*bytes = n;
	return list;
}
