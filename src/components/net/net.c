/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface statistics from /proc/net/dev: one event per column and line. */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "components/components.h"
#include "core/polled.h"

#define PATH "proc/net/dev"

static const struct {
	const char *name;
	const char *text;
	const char *unit;
} columns[] = {
	{ "rx:bytes", "bytes received", "bytes" },
	{ "rx:packets", "packets received", "" },
	{ "rx:errors", "packets received with an error", "" },
	{ "rx:dropped", "received packets dropped", "" },
	{ "rx:fifo", "FIFO overruns while receiving", "" },
	{ "rx:frame", "framing errors", "" },
	{ "rx:compressed", "compressed packets received", "" },
	{ "rx:multicast", "multicast packets received", "" },
	{ "tx:bytes", "bytes sent", "bytes" },
	{ "tx:packets", "packets sent", "" },
	{ "tx:errors", "packets that could not be sent", "" },
	{ "tx:dropped", "packets dropped before they were sent", "" },
	{ "tx:fifo", "FIFO overruns while sending", "" },
	{ "tx:colls", "collisions", "" },
	{ "tx:carrier", "carrier losses", "" },
	{ "tx:compressed", "compressed packets sent", "" },
};

/*
 * The interface that the @n bytes of "  eth0: 1 2 ..." are about; its length
 * in *@len. NULL for the two heading lines and for lines that are cut.
 */
static const char *interface_name(const char *line, size_t n, size_t *len)
{
	const char *colon = memchr(line, ':', n);

	if (!colon)
		return NULL;
	while (line < colon && isspace((unsigned char)*line))
		line++;
	*len = (size_t)(colon - line);
	return *len > 0 ? line : NULL;
}

static int add_interface(struct component *c, const char *line, const char *end)
{
	size_t len;
	const char *name = interface_name(line, (size_t)(end - line), &len);
	int err = 0;

	for (size_t i = 0; name && !err && i < ARRAY_SIZE(columns); i++) {
		struct event *event;

		err = component_add_event(c, &event, columns[i].text, "%.*s:%s",
					  (int)len, name, columns[i].name);
		if (!err) {
			event->unit = columns[i].unit;
			event->id = i;
		}
	}
	return err;
}

static int net_probe(struct component *c, const struct fs *fs)
{
	return polled_probe(c, fs, PATH);
}

static int net_list(struct component *c)
{
	return polled_list(c, PATH, add_interface);
}

/* Give the events of interface @name their values. */
static void put_row(struct slice *s, const char *name, size_t len,
		    const uint64_t *row, size_t n)
{
	struct polled *p = s->priv;

	for (size_t i = 0; i < s->n; i++) {
		const struct event *event = p->values[i].event;

		if (event->id < n && strncmp(event->name, name, len) == 0 &&
		    strcmp(event->name + len + 1, columns[event->id].name) ==
			    0) {
			p->values[i].now = row[event->id];
			p->values[i].seen = true;
		}
	}
}

/* Only whole lines are looked at: a number at the end may be cut. */
static void net_parse(struct slice *s, const char *text)
{
	const char *end;

	while ((end = strchr(text, '\n'))) {
		uint64_t row[ARRAY_SIZE(columns)];
		size_t len;
		const char *name =
			interface_name(text, (size_t)(end - text), &len);

		if (name)
			put_row(s, name, len, row,
				polled_numbers(name + len + 1, end, row,
					       ARRAY_SIZE(row)));
		text = end + 1;
	}
}

static int net_open(struct slice *s)
{
	return polled_open(s, PATH, net_parse);
}

const struct component_ops net_component = {
	.name = "net",
	.summary = "network interface statistics (/proc/net/dev)",
	.scope = SCOPE_SYSTEM,
	POLLED_OPS,
	.probe = net_probe,
	.list = net_list,
	.open = net_open,
};
