/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a thread's last call failed. Entry points return through here, so that
 * assay_error() and PAPI_perror() can say it and a debug handler hears of it.
 */
#pragma once

#include "base/err.h"

/*
 * Each keeps a sentence for @code and returns @code: the code's own one, one
 * that is given, or the one in @diag, if it has one.
 */
int error_set(int code);
int error_say(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int error_from(int code, const struct diag *diag);

/* For a handle that is none: PAPI_ENOINIT or PAPI_ENOEVST. */
int error_no_set(int id);

/* An entry point's last line: 0 passes, an error is kept. */
static inline int error_pass(int code)
{
	return code < 0 ? error_set(code) : code;
}

/* What a code means; NULL if there is no such code. */
const char *error_text(int code);

/* This thread's last; PAPI_OK and "" if none failed yet. */
int error_last(void);
const char *error_sentence(void);
