/* SPDX-License-Identifier: BSD-3-Clause */
/* The counting library, opened for a verb. */
#ifndef MEASURE_SESSION_H
#define MEASURE_SESSION_H

#include "console/console.h"

/* 0, or CMD_FAILED after a message. Closed with PAPI_shutdown(). */
int session_open(const struct console *console);

/*
 * Say that there is no event @name, with the nearest ones that there are.
 * Returns CMD_USAGE.
 */
int session_unknown_event(const struct console *console, const char *name);

/* Why the library failed with @code: its sentence, or else PAPI's text. */
const char *session_error(int code);

/*
 * A reason without the event's name before it ("perf::CYCLES: no PMU"), which
 * would make the same reason of two events look like two. Part of @reason.
 */
const char *session_reason(const char *reason);

#endif /* MEASURE_SESSION_H */
