/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time that the hypervisor gave to others while this machine had work to do,
 * for each CPU and for all, from /proc/stat.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "components/components.h"
#include "core/polled.h"

#define PATH  "proc/stat"
#define TOTAL UINT64_MAX /* an event's id; the others' are CPU numbers */
#define STEAL                                                                  \
	7 /* column, behind user nice system idle iowait irq                   \
	     softirq; since Linux 2.6.11 */

/* What a line is about: TOTAL for "cpu ", n for "cpun ". False for others. */
static bool parse_cpu(const char **line, uint64_t *id)
{
	const char *at = *line;
	char *end;

	if (strncmp(at, "cpu", 3) != 0)
		return false;
	at += 3;
	if (isdigit((unsigned char)*at)) {
		*id = strtoull(at, &end, 10);
		at = end;
	} else {
		*id = TOTAL;
	}
	if (*at != ' ')
		return false;
	*line = at;
	return true;
}

/* Column STEAL of the numbers up to @end, in ticks. */
static bool parse_steal(const char *at, const char *end, uint64_t *ticks)
{
	uint64_t numbers[STEAL + 1];

	if (polled_numbers(at, end, numbers, STEAL + 1) <= STEAL)
		return false;
	*ticks = numbers[STEAL];
	return true;
}

static int add_line(struct component *c, const char *line, const char *end)
{
	struct event *event;
	uint64_t id, ticks;
	int err;

	if (!parse_cpu(&line, &id) || !parse_steal(line, end, &ticks))
		return 0;
	if (id == TOTAL)
		err = component_add_event(c, &event,
					  "time stolen from all CPUs in total",
					  "TOTAL");
	else
		err = component_add_event(c, &event,
					  "time stolen from this CPU", "CPU%u",
					  (unsigned)id);
	if (!err) {
		event->unit = "us";
		event->id = id;
	}
	return err;
}

static int stealtime_probe(struct component *c, const struct fs *fs)
{
	return polled_probe(c, fs, PATH);
}

static int stealtime_list(struct component *c)
{
	return polled_list(c, PATH, add_line);
}

/* A tick is 1/100 s on all of today's machines: 10,000 us. */
static uint64_t microseconds(uint64_t ticks)
{
	long per_second = sysconf(_SC_CLK_TCK);

	return ticks *
	       (1000000 / (uint64_t)(per_second > 0 ? per_second : 100));
}

static void stealtime_parse(struct slice *s, const char *text)
{
	struct polled *p = s->priv;
	const char *end;

	while ((end = strchr(text, '\n'))) {
		uint64_t id, ticks;

		if (parse_cpu(&text, &id) && parse_steal(text, end, &ticks))
			for (size_t i = 0; i < s->n; i++) {
				if (p->values[i].event->id != id)
					continue;
				p->values[i].now = microseconds(ticks);
				p->values[i].seen = true;
			}
		text = end + 1;
	}
}

static int stealtime_open(struct slice *s)
{
	return polled_open(s, PATH, stealtime_parse);
}

const struct component_ops stealtime_component = {
	.name = "stealtime",
	.summary = "time the hypervisor gave to others (/proc/stat)",
	.scope = SCOPE_SYSTEM,
	POLLED_OPS,
	.probe = stealtime_probe,
	.list = stealtime_list,
	.open = stealtime_open,
};
