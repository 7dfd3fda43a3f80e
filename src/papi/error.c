/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sentences of PAPI's codes, and the last failure of each thread. Deciding
 * what failed is left to the entry points.
 */
#include "papi/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/array.h"
#include "papi/library.h"

static const char *const texts[PAPI_NUM_ERRORS] = {
	[-PAPI_OK] = "No error",
	[-PAPI_EINVAL] = "Invalid argument",
	[-PAPI_ENOMEM] = "Out of memory",
	[-PAPI_ESYS] = "A system call failed",
	[-PAPI_ECMP] = "The component cannot do this",
	[-PAPI_ECLOST] = "The counters were lost",
	[-PAPI_EBUG] = "Internal error in the library",
	[-PAPI_ENOEVNT] = "This machine has no such event",
	[-PAPI_ECNFLCT] = "The events cannot be counted together",
	[-PAPI_ENOTRUN] = "The EventSet is not running",
	[-PAPI_EISRUN] = "The EventSet is running",
	[-PAPI_ENOEVST] = "There is no such EventSet",
	[-PAPI_ENOTPRESET] = "Not a preset event",
	[-PAPI_ENOCNTR] = "This machine has no performance counters",
	[-PAPI_EMISC] = "Unknown error",
	[-PAPI_EPERM] = "Not permitted for this user",
	[-PAPI_ENOINIT] = "The library is not initialized",
	[-PAPI_ENOCMP] = "There is no such component",
	[-PAPI_ENOSUPP] = "Not supported",
	[-PAPI_ENOIMPL] = "Not implemented",
	[-PAPI_EBUF] = "The buffer is too small",
	[-PAPI_EINVAL_DOM] = "The domain is not supported here",
	[-PAPI_EATTR] = "An attribute of the event is wrong or missing",
	[-PAPI_ECOUNT] = "Too many events or attributes",
	[-PAPI_ECOMBO] = "These features exclude each other",
	[-PAPI_ECMP_DISABLED] = "The event's component is disabled",
	[-PAPI_EDELAY_INIT] = "The component is not set up yet",
	[-PAPI_EMULPASS] = "The event needs several passes",
#if ASSAY_PAPI_MINOR >= 2
	[-PAPI_PARTIAL] = "The component is partly disabled",
#endif
};

/* Of each thread, so that one's failure is not another's. */
static _Thread_local struct {
	int code;
	char text[512];
} last;

const char *error_text(int code)
{
	return code <= 0 && code > -PAPI_NUM_ERRORS ? texts[-code] : NULL;
}

int error_last(void)
{
	return last.code;
}

const char *error_sentence(void)
{
	return last.text;
}

static int keep(int code)
{
	PAPI_debug_handler_t handler;

	last.code = code;
	if (library_debug(&handler) != PAPI_QUIET && handler)
		handler(code);
	return code;
}

int error_set(int code)
{
	const char *text = error_text(code);

	snprintf(last.text, sizeof(last.text), "%s", text ? text : "");
	return keep(code);
}

int error_say(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last.text, sizeof(last.text), format, args);
	va_end(args);
	return keep(code);
}

int error_from(int code, const struct diag *diag)
{
	if (code >= 0)
		return code;
	if (diag->text[0] == '\0')
		return error_set(code);
	if (!diag->file)
		return error_say(code, "%s", diag->text);
	if (diag->line == 0)
		return error_say(code, "%s: %s", diag->file, diag->text);
	return error_say(code, "%s:%zu: %s", diag->file, diag->line,
			 diag->text);
}

int error_no_set(int id)
{
	if (!library_get())
		return error_say(PAPI_ENOINIT,
				 "PAPI_library_init() has not been called");
	if (library_handle(id))
		return error_say(PAPI_ECNFLCT,
				 "another thread is using EventSet %d", id);
	return error_say(PAPI_ENOEVST, "%d is not an EventSet", id);
}

char *PAPI_strerror(int code)
{
	/* PAPI's type says char *; the text is not to be written to. */
	return (char *)error_text(code);
}

void PAPI_perror(const char *msg)
{
	const char *text = last.code ? last.text : texts[0];

	if (msg && msg[0] != '\0')
		fprintf(stderr, "%s: ", msg);
	fprintf(stderr, "%s\n", text);
}
