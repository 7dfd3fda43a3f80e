/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing only: the files, and what their values mean, are the callers'. */
#include "host/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* More CPUs than Linux can have; a longer range is not a list of CPUs. */
#define CPULIST_MAX 16384 /* twice what Linux can be built for */

static void copy_trimmed(char *to, size_t size, const char *from, size_t n)
{
	while (n > 0 && isspace((unsigned char)*from)) {
		from++;
		n--;
	}
	while (n > 0 && isspace((unsigned char)from[n - 1]))
		n--;
	if (n >= size)
		n = size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

void text_copy(char *to, size_t size, const char *text)
{
	copy_trimmed(to, size, text, strlen(text));
}

static char *read_formatted(const struct fs *fs, const char *format,
			    va_list args)
{
	char path[512];
	int n = vsnprintf(path, sizeof(path), format, args);

	if (n < 0 || (size_t)n >= sizeof(path))
		return NULL;
	return fs_read(fs, path);
}

bool text_read(const struct fs *fs, char *to, size_t size,
	       const char *path_format, ...)
{
	va_list args;
	OWNED char *text = NULL;

	va_start(args, path_format);
	text = read_formatted(fs, path_format, args);
	va_end(args);
	to[0] = '\0';
	if (!text)
		return false;
	copy_trimmed(to, size, text, strcspn(text, "\n"));
	return to[0] != '\0';
}

static bool parse_number(const char *text, uint64_t *out)
{
	char *end;
	unsigned long long value;

	while (isspace((unsigned char)*text))
		text++;
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoull(text, &end,
			 text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
	if (errno)
		return false;
	*out = value;
	return true;
}

bool text_read_number(const struct fs *fs, uint64_t *out,
		      const char *path_format, ...)
{
	va_list args;
	OWNED char *text = NULL;

	va_start(args, path_format);
	text = read_formatted(fs, path_format, args);
	va_end(args);
	return text && parse_number(text, out);
}

/* Whether the @n bytes before a colon are @key with blanks around it. */
static bool is_key(const char *line, size_t n, const char *key)
{
	size_t len = strlen(key);

	while (n > 0 && isspace((unsigned char)*line)) {
		line++;
		n--;
	}
	while (n > 0 && isspace((unsigned char)line[n - 1]))
		n--;
	return n == len && memcmp(line, key, n) == 0;
}

bool text_find_field(const char *text, const char *key, char *to, size_t size)
{
	to[0] = '\0';
	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *colon = memchr(text, ':', len);

		if (colon && is_key(text, (size_t)(colon - text), key)) {
			colon++;
			copy_trimmed(to, size, colon,
				     len - (size_t)(colon - text));
			return true;
		}
		text += len;
		if (*text)
			text++;
	}
	return false;
}

bool text_find_number(const char *text, const char *key, uint64_t *out)
{
	char value[64];

	return text_find_field(text, key, value, sizeof(value)) &&
	       parse_number(value, out);
}

/* A number at list->at; moves on behind it. */
static bool take_number(struct cpulist *list, unsigned long *out)
{
	char *end;

	if (!isdigit((unsigned char)*list->at))
		return false;
	*out = strtoul(list->at, &end, 10);
	list->at = end;
	return *out < CPULIST_MAX;
}

bool cpulist_next(struct cpulist *list, unsigned *cpu)
{
	if (!list->inside) {
		unsigned long from = list->next; /* the kernel's lists ascend */

		if (*list->at == ',')
			list->at++;
		if (!take_number(list, &list->next) || list->next < from)
			return false;
		list->last = list->next;
		if (*list->at == '-') {
			list->at++;
			if (!take_number(list, &list->last))
				return false;
		}
		if (list->last < list->next)
			return false;
		list->inside = true;
	}
	*cpu = (unsigned)list->next;
	if (list->next++ == list->last)
		list->inside = false;
	return true;
}
