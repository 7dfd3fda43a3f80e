/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this process read and wrote, from /proc/self/io.
 *
 * Reading that file is itself a read of this process. A slice takes what its
 * own readings added off again, so a program that does nothing has 0.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "components/components.h"
#include "core/polled.h"

#define PATH "proc/self/io"

enum {
	RCHAR,
	WCHAR,
	SYSCR,
	SYSCW,
	READ_BYTES,
	WRITE_BYTES,
	CANCELLED_WRITE_BYTES,
};

/* As in the kernel's Documentation/filesystems/proc.rst, 3.3. */
static const struct {
	const char *name;
	const char *text;
	const char *unit;
} fields[] = {
	[RCHAR] = { "rchar", "bytes read by system calls, cached or not",
		    "bytes" },
	[WCHAR] = { "wchar", "bytes written by system calls, cached or not",
		    "bytes" },
	[SYSCR] = { "syscr", "system calls that read", "" },
	[SYSCW] = { "syscw", "system calls that write", "" },
	[READ_BYTES] = { "read_bytes", "bytes fetched from storage", "bytes" },
	[WRITE_BYTES] = { "write_bytes", "bytes sent to storage", "bytes" },
	[CANCELLED_WRITE_BYTES] = { "cancelled_write_bytes",
				    "bytes not written to storage because "
				    "dirty pages were truncated",
				    "bytes" },
};

static int io_probe(struct component *c, const struct fs *fs)
{
	if (!fs_exists(fs, PATH))
		return component_disable(
			c, "cannot read /" PATH ": %s%s", strerror(errno),
			errno == ENOENT ? " (the kernel has no "
					  "CONFIG_TASK_IO_ACCOUNTING)"
					: "");
	return 0;
}

static int io_list(struct component *c)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(fields); i++) {
		struct event *event;

		err = component_add_named(c, &event, fields[i].text,
					  fields[i].name);
		if (!err) {
			event->unit = fields[i].unit;
			event->id = i;
		}
	}
	return err;
}

static uint64_t without_own(const struct polled *p, uint64_t id, uint64_t value)
{
	uint64_t own = id == RCHAR   ? p->own_bytes
		       : id == SYSCR ? p->own_reads
				     : 0;

	return value > own ? value - own : 0;
}

static void put_value(struct slice *s, const char *name, size_t len,
		      uint64_t value)
{
	struct polled *p = s->priv;

	for (size_t i = 0; i < s->n; i++) {
		const struct event *event = p->values[i].event;

		if (strlen(event->name) == len &&
		    strncmp(event->name, name, len) == 0) {
			p->values[i].now = without_own(p, event->id, value);
			p->values[i].seen = true;
		}
	}
}

/* "rchar: 323934931", one whole line each. */
static void io_parse(struct slice *s, const char *text)
{
	const char *end;

	while ((end = strchr(text, '\n'))) {
		const char *colon = memchr(text, ':', (size_t)(end - text));
		const char *digits = colon ? colon + 1 : end;

		while (*digits == ' ')
			digits++;
		if (isdigit((unsigned char)*digits))
			put_value(s, text, (size_t)(colon - text),
				  strtoull(digits, NULL, 10));
		text = end + 1;
	}
}

static int io_open(struct slice *s)
{
	return polled_open(s, PATH, io_parse);
}

const struct component_ops io_component = {
	.name = "io",
	.summary = "reads and writes of this process (/proc/self/io)",
	.scope = SCOPE_PROCESS,
	POLLED_OPS,
	.probe = io_probe,
	.list = io_list,
	.open = io_open,
};
