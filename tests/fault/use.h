/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What drive.c drives: a library used from its beginning to its end. There is
 * one for PAPI's calls and ours, and one for libhpm.
 */
#pragma once

#include <sys/types.h>

/* A round stops nowhere: what a failed call left undone, later ones refuse. */
struct round {
	int bad; /* calls that did not return PAPI_OK */
	const char *first;
	char why[256];      /* the sentence that went with it */
	const char *spoilt; /* what must not be, whatever failed; or NULL */
};

void note(struct round *r, int code, const char *call);

/* A process that becomes another program when *@go is closed; or -1. */
pid_t make_waiting(int *go);

#define CALL(r, call) note(r, call, #call)

/*
 * -1 if no memory stays after a round. Else some does, the same each time, and
 * a round that met a failure may keep so many blocks more.
 */
extern const long use_keeps;

/* Once: @folder has the definitions of events, @scratch is for files. */
void use_prepare(const char *folder, const char *scratch);

/* Everything once. @r tells how much of it worked. */
void use_library(struct round *r);
