/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `assay count` left as the performance file of a task whose one section
 * is the whole program: its mean over the runs, which are the activations.
 * What has no place there is told as remarks.
 */
#include "taskfile/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "base/tree.h"

struct count_file {
	const struct tree *root;
	const struct taskfile_sink *sink;
	double runs;
	struct task_datum *data;
	size_t n;
};

static double number(const struct tree *object, const char *key)
{
	return tree_number(tree_member(object, key));
}

static long double count(const struct tree *object, const char *key)
{
	return tree_count(tree_member(object, key));
}

static const char *text(const struct tree *object, const char *key)
{
	const char *value = tree_text(object, key);

	return value ? value : "";
}

static long integer(const struct tree *object, const char *key, long otherwise)
{
	double value = number(object, key);

	return fabs(value) < 1e15 ? (long)value : otherwise;
}

bool count_is_report(const struct tree *root)
{
	return number(root, "assay") == 1 &&
	       tree_is(tree_member(root, "command"), TREE_ARRAY) &&
	       tree_is(tree_member(root, "events"), TREE_ARRAY);
}

/* @from has the spread between runs, if there were several. */
static struct task_datum datum_of(const char *name, long double value,
				  const struct tree *from)
{
	struct task_datum datum = task_datum_empty;

	datum.name = name;
	datum.value = datum.exclusive = value;
	datum.mean = (double)value;
	datum.stddev = number(from, "stddev");
	datum.min = count(from, "min");
	datum.max = count(from, "max");
	return datum;
}

static int add(struct count_file *c, const struct task_datum *datum)
{
	return array_add(c->data, c->n, *datum);
}

static int add_times(struct count_file *c)
{
	static const char *const names[] = { "ExcSec", "IncSec" };
	const struct tree *time = tree_member(c->root, "time");
	struct task_datum datum = datum_of("Count", c->runs, NULL);
	int err;

	datum.mean = NAN;
	datum.exclusive = NAN;
	err = add(c, &datum);
	if (!tree_is(tree_member(time, "native"), TREE_TRUE))
		return err; /* time under the simulator tells nothing */
	for (size_t i = 0; !err && i < ARRAY_SIZE(names); i++) {
		datum = datum_of(names[i], number(time, "wall_s"),
				 tree_member(time, "wall_spread"));
		datum.exclusive = NAN;
		if (!isnan(datum.value))
			err = add(c, &datum);
	}
	return err;
}

static int add_events(struct count_file *c)
{
	const struct tree *events = tree_member(c->root, "events");
	int err = 0;

	for (size_t i = 0; !err && i < events->n; i++) {
		const struct tree *event = &events->items[i];
		struct task_datum datum = datum_of(
			text(event, "name"), count(event, "value"), event);

		datum.uncertainty = number(event, "stderr");
		datum.reason = text(event, "reason"); /* what is missing */
		if (isinf(datum.value))
			return PAPI_EBUF;
		if (datum.name[0] && !isnan(datum.value))
			err = add(c, &datum);
	}
	return err;
}

/* "good >= 95, poor < 80": the bound behind @word; below 0 for "less". */
static double bound_of(const char *threshold, const char *word)
{
	const char *at = strstr(threshold, word);
	double value, sign = 1;
	char *end;

	if (!at)
		return NAN;
	at += strlen(word);
	at += strspn(at, " ");
	if (*at == '<')
		sign = -1;
	at += strspn(at, "<>= ");
	value = strtod(at, &end);
	return end == at ? NAN : sign * value;
}

static int add_metrics(struct count_file *c)
{
	const struct tree *metrics = tree_member(c->root, "metrics");
	int err = 0;

	for (size_t i = 0; metrics && !err && i < metrics->n; i++) {
		const struct tree *metric = &metrics->items[i];
		const char *threshold = text(metric, "threshold");
		struct task_datum datum = datum_of(
			text(metric, "name"), number(metric, "value"), metric);

		datum.shown = true;
		datum.exclusive = NAN;
		datum.uncertainty = number(metric, "stderr");
		datum.formula = text(metric, "formula");
		datum.unit = text(metric, "unit");
		datum.title = text(metric, "title");
		datum.verdict = text(metric, "verdict");
		datum.sgood = datum.dgood = bound_of(threshold, "good");
		datum.sbad = datum.dbad = bound_of(threshold, "poor");
		if (datum.name[0] && datum.formula[0])
			err = add(c, &datum);
	}
	return err;
}

static int give_section(struct count_file *c)
{
	struct task_section section = {
		.lid = "whole program",
		.label = "whole program",
		.file = "",
		.tid = -1,
		.task = integer(c->root, "task", 0),
		.parent = -1,
		.kind = TASKFILE_PROGRAM,
	};
	int err;

	if (!c->sink->section)
		return 0;
	err = add_times(c);
	if (!err)
		err = add_events(c);
	if (!err)
		err = add_metrics(c);
	if (err)
		return err;
	section.data = c->data;
	section.n = c->n;
	return c->sink->section(c->sink->context, &section);
}

static int give_head(const struct count_file *c)
{
	const struct tree *pmu = tree_member(c->root, "pmu");
	const struct tree *command = tree_member(c->root, "command");
	const char *program = tree_string(tree_item(command, 0));
	const char *slash = program ? strrchr(program, '/') : NULL;
	const struct task_head head = {
		.program = slash     ? slash + 1
			   : program ? program
				     : "",
		.task = integer(c->root, "task", 0),
		.tasks = integer(c->root, "tasks", 1),
		.pid = integer(c->root, "pid", 0),
		.seconds = number(tree_member(c->root, "time"), "wall_s"),
		.pmu = text(pmu, "kind"),
		.model = text(pmu, "model"),
		.complete = true,
	};

	return c->sink->head ? c->sink->head(c->sink->context, &head) : 0;
}

static int give_events(const struct count_file *c)
{
	const struct tree *events = tree_member(c->root, "events");
	int err = 0;

	for (size_t i = 0; c->sink->event && !err && i < events->n; i++) {
		const struct tree *from = &events->items[i];
		const struct task_event event = {
			.name = text(from, "name"),
			.counted = !isnan(number(from, "value")),
			.reason = text(from, "reason"),
		};

		err = c->sink->event(c->sink->context, &event);
	}
	return err;
}

/* Remarks. */

/* Takes @text and frees it; NULL: no memory. */
static int remark(const struct count_file *c, const char *name, char *text)
{
	int err = text ? 0 : PAPI_ENOMEM;

	if (!err && *text)
		err = c->sink->remark(c->sink->context, name, text);
	free(text);
	return err;
}

static char *command_line(const struct count_file *c)
{
	const struct tree *command = tree_member(c->root, "command");
	struct strbuf line = { 0 };

	for (size_t i = 0; i < command->n; i++) {
		const char *word = tree_string(&command->items[i]);

		strbuf_addf(&line, "%s%s", i ? " " : "", word ? word : "");
	}
	return strbuf_take(&line);
}

static char *machine_line(const struct count_file *c)
{
	const struct tree *machine = tree_member(c->root, "machine");
	const char *hypervisor = text(machine, "hypervisor");

	return str_format("%s%s%s%s", text(machine, "cpu"),
			  *hypervisor ? " (" : "", hypervisor,
			  *hypervisor ? ")" : "");
}

/* Part of the time without a counter, or from samples of the program. */
static char *describe_estimate(const struct tree *event)
{
	double running =
		number(event, "running_ns") / number(event, "enabled_ns");

	if (running < 1)
		return str_format("%s is an estimate: it was counted %.0f %% "
				  "of the time",
				  text(event, "name"), 100 * running);
	return str_format("%s is an estimate from samples of the program",
			  text(event, "name"));
}

/* How far an event's number is an estimate. */
static int remark_quality(const struct count_file *c)
{
	const struct tree *events = tree_member(c->root, "events");
	int err = 0;

	for (size_t i = 0; !err && i < events->n; i++) {
		const struct tree *event = &events->items[i];

		if (strcmp(text(event, "quality"), "scaled") == 0)
			err = remark(c, "", describe_estimate(event));
	}
	return err;
}

static bool is_without(const struct tree *metric, const char *reason)
{
	return strcmp(text(metric, "reason"), reason) == 0;
}

/* Metrics that have no value, by the reason; each reason once. */
static int remark_missing(const struct count_file *c)
{
	const struct tree *all = tree_member(c->root, "metrics");
	int err = 0;

	for (size_t i = 0; all && !err && i < all->n; i++) {
		const char *reason = text(&all->items[i], "reason");
		STRBUF(names);
		bool told = !*reason;

		for (size_t k = 0; k < i; k++)
			told |= is_without(&all->items[k], reason);
		if (told)
			continue;
		for (size_t k = i; k < all->n; k++)
			if (is_without(&all->items[k], reason))
				strbuf_addf(&names, "%s%s", k == i ? "" : ", ",
					    text(&all->items[k], "name"));
		err = remark(c, "",
			     str_format("No value of %s: %s",
					strbuf_text(&names), reason));
	}
	return err;
}

static int remark_notes(const struct count_file *c)
{
	const struct tree *notes = tree_member(c->root, "notes");
	int err = 0;

	for (size_t i = 0; notes && !err && i < notes->n; i++) {
		const char *note = tree_string(&notes->items[i]);

		err = remark(c, "", strdup(note ? note : ""));
	}
	return err;
}

static int give_remarks(const struct count_file *c)
{
	const struct tree *machine = tree_member(c->root, "machine");
	double status = number(c->root, "exit");
	int err;

	if (!c->sink->remark)
		return 0;
	err = remark(c, "Command", command_line(c));
	if (!err)
		err = remark(c, "Processor", machine_line(c));
	if (!err)
		err = remark(c, "Kernel", strdup(text(machine, "kernel")));
	if (!err && c->runs > 1)
		err = remark(c, "Runs",
			     str_format("%.0f; numbers are means", c->runs));
	if (!err && status > 0)
		err = remark(c, "Exit status", str_format("%.0f", status));
	if (!err)
		err = remark_quality(c);
	if (!err)
		err = remark_missing(c);
	return err ? err : remark_notes(c);
}

int count_give(const struct tree *root, const struct taskfile_sink *sink)
{
	struct count_file c = { .root = root, .sink = sink };
	int err;

	c.runs = number(root, "runs");
	if (!(c.runs >= 1))
		c.runs = 1;
	err = give_head(&c);
	if (!err)
		err = give_events(&c);
	if (!err)
		err = give_remarks(&c);
	if (!err)
		err = give_section(&c);
	free(c.data);
	return err;
}
