/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the file when a slice starts, is read and stops, and adds up what the
 * values have grown by. Which values belong to which event is left to the
 * component.
 */
#include "core/polled.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"

#define FIRST_CAPACITY 4096
#define MOST_CAPACITY  (1U << 24)

int polled_probe(struct component *c, const struct fs *fs, const char *path)
{
	return fs_exists(fs, path)
		       ? 0
		       : component_disable(c, "there is no /%s", path);
}

int polled_list(struct component *c, const char *path,
		int (*add)(struct component *c, const char *line,
			   const char *end))
{
	OWNED char *text = fs_read(c->fs, path);
	const char *line = text;
	int err = 0;

	if (!text)
		return PAPI_ESYS;
	while (!err && *line) {
		const char *end = line + strcspn(line, "\n");

		err = add(c, line, end);
		line = end + (*end == '\n');
	}
	return err;
}

size_t polled_numbers(const char *text, const char *end, uint64_t *numbers,
		      size_t most)
{
	size_t n = 0;

	while (n < most) {
		char *after;

		while (text < end && *text == ' ')
			text++;
		if (text >= end || !isdigit((unsigned char)*text))
			break;
		numbers[n++] = strtoull(text, &after, 10);
		text = after;
	}
	return n;
}

int polled_open(struct slice *s, const char *path,
		void (*parse)(struct slice *s, const char *text))
{
	struct polled *p = s->priv;
	OWNED char *full = str_format("%s/%s", s->component->fs->root, path);

	*p = (struct polled){ .fd = -1,
			      .capacity = FIRST_CAPACITY,
			      .parse = parse };
	p->text = malloc(p->capacity);
	p->values = calloc(s->n ? s->n : 1, sizeof(*p->values));
	if (full && p->text && p->values)
		p->fd = open(full, O_RDONLY | O_CLOEXEC);
	else
		errno = ENOMEM;
	if (p->fd < 0) {
		int error = errno;

		polled_close(s);
		return slice_fail(s, err_from_errno(error),
				  "cannot open /%s: %s", path, strerror(error));
	}
	for (size_t i = 0; i < s->n; i++)
		p->values[i].event =
			component_event(s->component, s->events[i]);
	return 0;
}

void polled_close(struct slice *s)
{
	struct polled *p = s->priv;

	if (p->fd >= 0)
		close(p->fd);
	free(p->text);
	free(p->values);
	*p = (struct polled){ .fd = -1 };
}

static bool saw_all(const struct slice *s)
{
	const struct polled *p = s->priv;

	for (size_t i = 0; i < s->n; i++)
		if (!p->values[i].seen)
			return false;
	return true;
}

/* Let the text have room for more behind its @used bytes and a NUL. */
static int make_room(struct polled *p, size_t used)
{
	char *grown;

	if (used + 1 < p->capacity)
		return 0;
	if (p->capacity >= MOST_CAPACITY)
		return PAPI_EBUF;
	grown = realloc(p->text, p->capacity * 2);
	if (!grown)
		return PAPI_ENOMEM;
	p->text = grown;
	p->capacity *= 2;
	return 0;
}

/*
 * Read and parse, piece by piece, until every event was seen or the file
 * ends. A piece of a kernel file may be short without being the last.
 */
static int poll_file(struct slice *s)
{
	struct polled *p = s->priv;
	uint64_t reads = 0;
	size_t used = 0;
	int err = 0;

	for (size_t i = 0; i < s->n; i++)
		p->values[i].seen = false;
	do {
		ssize_t n;

		err = make_room(p, used);
		if (err)
			break;
		n = pread(p->fd, p->text + used, p->capacity - used - 1,
			  (off_t)used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = slice_fail(s, err_from_errno(errno),
					 "cannot read %s's file: %s",
					 s->component->ops->name,
					 strerror(errno));
		reads++;
		if (n <= 0)
			break;
		used += (size_t)n;
		p->text[used] = '\0';
		p->parse(s, p->text);
	} while (!saw_all(s));
	p->own_reads += reads;
	p->own_bytes += used;
	return err;
}

/*
 * How much each value grew since it was last looked at. One that got smaller
 * has started anew from 0, as an interface that was taken away and came back;
 * one that is not there has not grown.
 */
static void add_growth(struct slice *s)
{
	struct polled *p = s->priv;

	for (size_t i = 0; i < s->n; i++) {
		struct polled_value *v = &p->values[i];

		if (!v->seen)
			continue;
		if (v->known)
			v->total +=
				v->now >= v->last ? v->now - v->last : v->now;
		v->last = v->now;
		v->known = true;
	}
}

static void put_counts(const struct slice *s, uint64_t ns, struct count *counts)
{
	const struct polled *p = s->priv;

	for (size_t i = 0; i < s->n; i++)
		counts[i] = (struct count){ .value = p->values[i].total,
					    .enabled_ns = ns,
					    .running_ns = ns };
}

int polled_start(struct slice *s, struct count *counts)
{
	struct polled *p = s->priv;
	int err = poll_file(s);

	if (err)
		return err;
	for (size_t i = 0; i < s->n; i++) {
		p->values[i].known = p->values[i].seen;
		p->values[i].last = p->values[i].now;
	}
	p->started_ns = clock_real_ns();
	put_counts(s, p->ran_ns, counts);
	return 0;
}

int polled_read(struct slice *s, struct count *counts)
{
	struct polled *p = s->priv;
	int err = poll_file(s);

	if (err)
		return err;
	add_growth(s);
	put_counts(s, p->ran_ns + (clock_real_ns() - p->started_ns), counts);
	return 0;
}

int polled_stop(struct slice *s, struct count *counts)
{
	struct polled *p = s->priv;
	int err = polled_read(s, counts);

	if (!err)
		p->ran_ns += clock_real_ns() - p->started_ns;
	return err;
}
