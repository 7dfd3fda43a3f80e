/* SPDX-License-Identifier: BSD-3-Clause */
/* A few words of a C library; see sys.h. */
#include "simpmu/fast/sys.h"

#include <stdarg.h>

#include "simpmu/fast/layout.h"
#include "simpmu/pmu/host.h"

#define MADVISE_HUGE     14
#define MADVISE_COLLAPSE 25
#define HUGE_PAGE        (UINT64_C(2) << 20)
#define ERROR_TAKEN      (-17) /* EEXIST, of MAP_IF_FREE */

void *memcpy(void *to, const void *from, size_t n)
{
	void *start = to;

	__asm__ volatile("rep movsb"
			 : "+D"(to), "+S"(from), "+c"(n)
			 :
			 : "memory");
	return start;
}

void *memset(void *to, int byte, size_t n)
{
	void *start = to;

	__asm__ volatile("rep stosb"
			 : "+D"(to), "+c"(n)
			 : "a"(byte)
			 : "memory");
	return start;
}

void *memmove(void *to, const void *from, size_t n)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	if (t <= f || t >= f + n)
		return memcpy(to, from, n);
	while (n--)
		t[n] = f[n];
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const uint8_t *x = a, *y = b;

	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t text_length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

bool text_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

bool text_begins(const char *text, const char *beginning)
{
	while (*beginning && *text == *beginning) {
		text++;
		beginning++;
	}
	return !*beginning;
}

/* Digits of @value before @end; where they begin. */
static char *digits(char *end, uint64_t value, unsigned base)
{
	do {
		*--end = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	return end;
}

size_t text_format(char *to, size_t capacity, const char *format, ...)
{
	va_list list;
	size_t n = 0;

	va_start(list, format);
	for (; *format && n + 1 < capacity; format++) {
		char number[24], *end = number + sizeof(number) - 1;
		const char *piece;

		if (*format != '%') {
			to[n++] = *format;
			continue;
		}
		*end = '\0';
		if (*++format == 's')
			piece = va_arg(list, const char *);
		else
			piece = digits(end, va_arg(list, uint64_t),
				       *format == 'x' ? 16 : 10);
		while (*piece && n + 1 < capacity)
			to[n++] = *piece++;
	}
	va_end(list);
	to[n] = '\0';
	return n;
}

static uint64_t reserved;

static void note_reserved(uint64_t bytes)
{
	__atomic_add_fetch(&reserved, bytes, __ATOMIC_RELAXED);
}

uint64_t sys_reserved(void)
{
	return reserved;
}

/* A place for @bytes, where huge pages can be had if they would fit. */
static uint64_t take_place(size_t bytes)
{
	static uint64_t next = OWN_FIRST;
	uint64_t room = bytes < HUGE_PAGE ? 0 : HUGE_PAGE;
	uint64_t at = __atomic_fetch_add(&next, page_up(bytes) + room,
					 __ATOMIC_RELAXED);

	return room ? (at + room - 1) & ~(room - 1) : at;
}

int64_t sys_map(size_t bytes, uint64_t flags, int64_t fd)
{
	uint64_t at;
	int64_t got;

	do {
		at = take_place(bytes);
		got = sys6(__NR_mmap, at < OWN_LAST ? at : 0, bytes,
			   PROT_R | PROT_W,
			   at < OWN_LAST ? flags | MAP_IF_FREE : flags,
			   (uint64_t)fd, 0);
	} while (got == ERROR_TAKEN);
	if (!is_error(got))
		note_reserved(bytes);
	return got;
}

void *sys_memory(size_t bytes)
{
	int64_t at =
		sys_map(bytes, MAP_IS_OWN | MAP_NO_FILE | MAP_NO_COMMIT, -1);

	if (is_error(at))
		host_give_up(125, "out of memory%s", "");
	return (void *)at;
}

void *sys_memory_at(uint64_t at, size_t bytes, int prot)
{
	int64_t got =
		sys6(__NR_mmap, at, bytes, (uint64_t)prot,
		     MAP_IS_OWN | MAP_NO_FILE | MAP_NO_COMMIT | MAP_IF_FREE,
		     (uint64_t)-1, 0);

	if (got != (int64_t)at)
		host_give_up(125, "cannot reserve memory in the low 2 GB%s",
			     "");
	note_reserved(bytes);
	return (void *)at;
}

void sys_prefer_huge(void *memory, size_t bytes)
{
	SYS(__NR_madvise, memory, bytes, MADVISE_HUGE);
}

void sys_make_huge(void *memory, size_t bytes)
{
	sys_prefer_huge(memory, bytes);
	/* kernels before 6.1 cannot, or do so by and by */
	SYS(__NR_madvise, memory, page_up(bytes), MADVISE_COLLAPSE);
}

void sys_free_file(char *text)
{
	if (!text)
		return;
	SYS(__NR_munmap, text, SYS_FILE_CAPACITY, 0);
	note_reserved(-(uint64_t)SYS_FILE_CAPACITY);
}

char *sys_read_file(const char *path)
{
	int64_t fd = SYS(__NR_open, path, 0, 0), n = 1;
	size_t used = 0, capacity = SYS_FILE_CAPACITY;
	char *text;

	if (is_error(fd))
		return NULL;
	text = sys_memory(capacity);
	while (n > 0 && used + 1 < capacity) {
		n = SYS(__NR_read, fd, text + used, capacity - 1 - used);
		used += n > 0 ? (size_t)n : 0;
	}
	SYS(__NR_close, fd, 0, 0);
	text[used] = '\0';
	return text;
}
