/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists the metrics of a chip as events, and finds an event by its name.
 * Counting them is left to the component.
 */
#include "components/cuda/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "components/cuda/host.h"

/* What a value that is not a whole number is counted in. */
#define FINE 1e6

static const char *const usual_endings[CUPTI_KINDS] = {
	[CUPTI_COUNTER] = ".sum",
	[CUPTI_RATIO] = ".ratio",
	[CUPTI_THROUGHPUT] = ".avg.pct_of_peak_sustained_elapsed",
};

/* Sums add up from range to range; all other values stand for themselves. */
static bool adds_up(int kind, const char *ending)
{
	return kind == CUPTI_COUNTER &&
	       (strcmp(ending, ".sum") == 0 || strcmp(ending, ".avg") == 0);
}

static bool is_whole(int kind, const char *ending)
{
	return kind == CUPTI_COUNTER &&
	       (strcmp(ending, ".sum") == 0 || strcmp(ending, ".min") == 0 ||
		strcmp(ending, ".max") == 0);
}

/* A plain count has no unit: "instruction" and the like say what it counts. */
static const char *plural(const char *unit)
{
	if (strcmp(unit, "byte") == 0)
		return "bytes";
	if (strcmp(unit, "nsecond") == 0)
		return "ns";
	return "";
}

static void put_unit(struct metric *m, size_t capacity, int kind,
		     const char *ending, const char *unit)
{
	if (is_whole(kind, ending)) {
		m->scale = 1;
		snprintf(m->unit, capacity, "%s", plural(unit));
		return;
	}
	m->scale = FINE;
	snprintf(m->unit, capacity, "%s",
		 strstr(ending, "pct") ? "1e-6 %" : "1e-6");
}

static struct metric *metric_new(const struct host *h, int kind,
				 const char *base, const char *ending,
				 int device)
{
	size_t bytes = strlen(base) + strlen(ending) + 1;
	struct metric *m = calloc(1, sizeof(*m) + bytes);
	const char *text, *unit;

	if (!m)
		return NULL;
	snprintf(m->name, bytes, "%s%s", base, ending);
	m->device = device;
	if (host_describe(h, m->name, &text, &unit))
		unit = "";
	put_unit(m, sizeof(m->unit), kind, ending, unit);
	return m;
}

/* Let @event be the metric @base with @ending. */
static int set_metric(struct event *event, const struct host *h, int kind,
		      const char *base, const char *ending, int device)
{
	struct metric *m;

	if (event->data)
		return 0; /* it was there already */
	m = metric_new(h, kind, base, ending, device);
	if (!m)
		return PAPI_ENOMEM;
	event->data = m;
	event->unit = m->unit;
	event->id = (uint64_t)kind;
	event->kind = adds_up(kind, ending) ? EVENT_RUNNING : EVENT_LEVEL;
	return 0;
}

static int add_base(struct component *c, const struct host *h, int kind,
		    const char *base)
{
	const char *text = "", *unit;
	struct event *event;
	int err;

	if (host_describe(h, base, &text, &unit))
		text = "";
	err = component_add_named(c, &event, text, base);
	if (err)
		return err;
	return set_metric(event, h, kind, base, usual_endings[kind], -1);
}

static int open_host(struct component *c, int device, struct gpu **gpu,
		     struct host *h, struct diag *diag)
{
	int err = gpu_lock(c, gpu, diag);

	if (err)
		return err;
	err = host_open(h, &(*gpu)->calls, (*gpu)->devices[device].chip, diag);
	if (err)
		gpu_unlock(*gpu);
	return err;
}

static void close_host(struct gpu *gpu, struct host *h)
{
	host_close(h);
	gpu_unlock(gpu);
}

int gpu_metrics_list(struct component *c)
{
	struct host h;
	struct gpu *gpu;
	int err = open_host(c, 0, &gpu, &h, NULL);

	if (err)
		return err;
	for (int kind = 0; !err && kind < CUPTI_KINDS; kind++) {
		const char *const *names;
		size_t n;

		err = host_base_metrics(&h, kind, &names, &n);
		for (size_t i = 0; !err && i < n; i++)
			err = add_base(c, &h, kind, names[i]);
	}
	close_host(gpu, &h);
	return err;
}

/* "text (.ending, GPU 1)" */
static char *text_of(const struct event *base, const char *ending, int device)
{
	const char *text = base->text ? base->text : "";

	if (device < 0)
		return str_format("%s (%s)", text, ending);
	return str_format("%s (%s, GPU %d)", text, ending, device);
}

/* Add base event @i with @ending under @name. */
static int add_ending(struct component *c, size_t i, const struct host *h,
		      const char *ending, int device, const char *name)
{
	struct event *base = c->events[i];
	OWNED char *text = text_of(base, ending, device);
	struct event *event;
	int err;

	if (!text)
		return PAPI_ENOMEM;
	err = component_add_named(c, &event, text, name);
	if (err)
		return err;
	event->parent = i;
	return set_metric(event, h, (int)base->id, base->name, ending, device);
}

int gpu_metrics_list_endings(struct component *c, size_t i)
{
	const struct event *base = c->events[i];
	const char *const *endings;
	struct gpu *gpu;
	struct host h;
	size_t n;
	int err;

	if (base->parent != EVENT_NO_PARENT)
		return 0;
	err = open_host(c, 0, &gpu, &h, NULL);
	if (err)
		return err;
	err = host_endings(&h, (int)base->id, base->name, &endings, &n);
	for (size_t k = 0; !err && k < n; k++) {
		OWNED char *name = str_format("%s%s", base->name, endings[k]);

		err = name ? add_ending(c, i, &h, endings[k], -1, name)
			   : PAPI_ENOMEM;
	}
	close_host(gpu, &h);
	return err;
}

/* A name taken apart. */
struct parts {
	char base[256];
	char ending[128]; /* "" : the usual one */
	int device;       /* -1: none was named */
};

static int parse_device(const char *text, size_t len, struct parts *parts,
			struct diag *diag)
{
	char *end;
	long device = strtol(text, &end, 10);

	if (len == 0 || end != text + len || device < 0 || device >= GPU_MOST)
		return diag_fail(diag, PAPI_EINVAL,
				 "device=%.*s is not a GPU number (0, 1, ...)",
				 (int)len, text);
	parts->device = (int)device;
	return 0;
}

/* One ":key=value". */
static int parse_option(const char *text, size_t len, struct parts *parts,
			struct diag *diag)
{
	static const char device[] = "device=", stat[] = "stat=";

	if (len > strlen(device) && strncmp(text, device, strlen(device)) == 0)
		return parse_device(text + strlen(device), len - strlen(device),
				    parts, diag);
	if (len > strlen(stat) && strncmp(text, stat, strlen(stat)) == 0 &&
	    len - strlen(stat) + 2 < sizeof(parts->ending)) {
		snprintf(parts->ending, sizeof(parts->ending), ".%.*s",
			 (int)(len - strlen(stat)), text + strlen(stat));
		return 0;
	}
	return diag_fail(diag, PAPI_EINVAL,
			 "':%.*s' is neither :device=NUMBER nor :stat=ENDING",
			 (int)len, text);
}

/* Where the ending begins: a metric's own dots come before its "__". */
static const char *ending_in(const char *name, const char *end)
{
	const char *bars = strstr(name, "__");
	const char *dot = bars ? memchr(bars, '.', (size_t)(end - bars)) : NULL;

	return dot ? dot : end;
}

/* PAPI_ENOEVNT if @name cannot be a metric's. */
static int split(const char *name, struct parts *parts, struct diag *diag)
{
	const char *end = name + strcspn(name, ":");
	const char *ending = ending_in(name, end);
	const char *option = end;

	if (!strstr(name, "__") || ending == name ||
	    (size_t)(ending - name) >= sizeof(parts->base) ||
	    (size_t)(end - ending) >= sizeof(parts->ending))
		return PAPI_ENOEVNT;
	snprintf(parts->base, sizeof(parts->base), "%.*s", (int)(ending - name),
		 name);
	snprintf(parts->ending, sizeof(parts->ending), "%.*s",
		 (int)(end - ending), ending);
	parts->device = -1;
	while (*option == ':') {
		size_t len = strcspn(option + 1, ":");
		int err = parse_option(option + 1, len, parts, diag);

		if (err)
			return err;
		option += 1 + len;
	}
	return 0;
}

static bool is_among(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Check and add what @parts say, of base event @base. */
static int add_parts(struct component *c, size_t base,
		     const struct parts *parts, const char *name,
		     struct diag *diag)
{
	const struct event *event = c->events[base];
	const char *ending =
		*parts->ending ? parts->ending : usual_endings[event->id];
	const char *const *endings;
	struct gpu *gpu;
	struct host h;
	size_t n;
	int err = open_host(c, 0, &gpu, &h, diag);

	if (err)
		return err;
	err = host_endings(&h, (int)event->id, event->name, &endings, &n);
	if (!err && parts->device >= gpu->n)
		err = diag_fail(diag, PAPI_EINVAL,
				"there is no GPU %d; there are %d",
				parts->device, gpu->n);
	if (!err && !is_among(endings, n, ending))
		err = diag_fail(
			diag, PAPI_EINVAL,
			"%s has no suffix '%s'; the usual ones are .sum, "
			".avg, .min and .max, and for ratios .ratio and .pct",
			event->name, ending);
	if (!err)
		err = add_ending(c, base, &h, ending, parts->device, name);
	close_host(gpu, &h);
	return err;
}

int gpu_metrics_find(struct component *c, const char *name, size_t *i,
		     struct diag *diag)
{
	struct parts parts;
	size_t base;
	int err = split(name, &parts, diag);

	if (err)
		return err;
	if (!c->listed) {
		struct gpu *gpu;

		err = gpu_lock(c, &gpu, diag); /* says why, if it cannot */
		if (err)
			return err;
		gpu_unlock(gpu);
		err = gpu_metrics_list(c);
		if (err)
			return diag_fail(diag, err,
					 "CUPTI does not list its metrics");
		c->listed = true;
	}
	if (!map_find(&c->names, parts.base, &base) ||
	    c->events[base]->parent != EVENT_NO_PARENT)
		return PAPI_ENOEVNT;
	if (!*parts.ending && parts.device < 0) {
		*i = base;
		return 0;
	}
	err = add_parts(c, base, &parts, name, diag);
	if (!err)
		map_find(&c->names, name, i);
	return err;
}
