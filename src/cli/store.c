/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of options that the parser stores by itself (console/option.h), and
 * what is said of values that are wrong.
 */
#include "cli/store.h"

#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "console/console.h"
#include "measure/metrics.h"

/* "--repeat requires a number from 1 to 10000, not 'many'" */
static int bad_number(const struct console *console, const struct cmd_option *o,
		      const char *argument)
{
	STRBUF(range);

	if (o->max == 0)
		strbuf_addf(&range, "a number of at least %g", o->min);
	else if (o->unit)
		strbuf_addf(&range, "%.10g to %.10g %s", o->min, o->max,
			    o->unit);
	else
		strbuf_addf(&range, "a number from %.10g to %.10g", o->min,
			    o->max);
	say_error(console, "--%s requires %s, not '%s'", o->name,
		  strbuf_text(&range), argument);
	return CMD_USAGE;
}

static bool is_within(const struct cmd_option *o, double value)
{
	return value >= o->min && (o->max == 0 || value <= o->max);
}

static int store_unsigned(const struct console *console,
			  const struct cmd_option *o, const char *argument,
			  unsigned *to)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(argument, &end, 10);
	if (errno || end == argument || *end || !is_within(o, (double)value))
		return bad_number(console, o, argument);
	*to = (unsigned)value;
	return 0;
}

static int store_number(const struct console *console,
			const struct cmd_option *o, const char *argument,
			double *to)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(argument, &end);
	if (errno || end == argument || *end || !isfinite(value) ||
	    !is_within(o, value))
		return bad_number(console, o, argument);
	*to = value;
	return 0;
}

static int store_digits(const struct console *console,
			const struct cmd_option *o, const char *argument,
			const char **to)
{
	size_t n;

	*to = argument;
	n = strlen(argument);
	if (n > 0 && n <= 18 && strspn(argument, "0123456789") == n)
		return 0;
	return say_usage(console, "--%s requires an integer, not '%s'", o->name,
			 argument);
}

static int store_events(const struct console *console, const char *argument,
			struct selection *to)
{
	int err = selection_add_list(to, argument);

	to->chosen = true;
	if (err == PAPI_ENOMEM)
		return say_no_memory(console);
	if (err)
		say_error(console, "an event name is missing in '%s'",
			  argument);
	return err ? CMD_USAGE : 0;
}

int store_word(const struct console *console, const char *option,
	       const char *const *words, const char *argument, int *to)
{
	STRBUF(all);

	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], argument) == 0) {
			*to = i;
			return 0;
		}
		strbuf_addf(&all, "%s%s",
			    i == 0         ? ""
			    : words[i + 1] ? ", "
					   : " or ",
			    words[i]);
	}
	say_error(console, "--%s requires %s, not '%s'", option,
		  strbuf_text(&all), argument);
	return CMD_USAGE;
}

int store_option(const struct console *console, const struct cmd_option *o,
		 void *state, const char *argument)
{
	void *to = (char *)state + o->at;

	switch (o->store) {
	case STORE_FLAG:
		*(bool *)to = true;
		return 0;
	case STORE_TEXT:
		*(const char **)to = argument;
		return 0;
	case STORE_DIGITS:
		return store_digits(console, o, argument, to);
	case STORE_UNSIGNED:
		return store_unsigned(console, o, argument, to);
	case STORE_NUMBER:
		return store_number(console, o, argument, to);
	case STORE_WORD:
		return store_word(console, o->name, o->words, argument, to);
	case STORE_NAME:
		return selection_add(to, argument) ? say_no_memory(console) : 0;
	case STORE_EVENTS:
		return store_events(console, argument, to);
	default:
		return CMD_USAGE;
	}
}
