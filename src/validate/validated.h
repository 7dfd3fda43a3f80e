/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What validation said of events, kept in the user's state folder
 * ($XDG_STATE_HOME/assay/validation, else ~/.local/state/...), one file for
 * each platform: "EVENT VERDICT PERCENT" a line.
 */
#pragma once

#include <stddef.h>

#include "validate/validate.h"

struct validated {
	struct validated_event {
		char event[64];
		char verdict[8]; /* "pass", "fail", "none" */
		/* the worst from 1000 occurrences on; NaN: only other kernels
		 * than its own find it wrong */
		double off_pct;
	} * events;
	size_t n;
	char where[192]; /* when and on what it was counted last; "": unknown */
};

/* Keep @v; earlier results of other events stay. 0, or a PAPI error. */
int validated_save(const struct validation *v, struct diag *diag);

/* What is known of @platform ("sim-icx", "hw"); empty if nothing is. */
int validated_load(const char *platform, struct validated *out);
void validated_fini(struct validated *v);

/* What was kept of @event; NULL: nothing. */
const struct validated_event *validated_find(const struct validated *v,
					     const char *event);

/* "off by 2 %" or "wrong in other kernels than its own": of one that failed, in
 * @text. */
#define VALIDATED_CAPACITY 40
const char *validated_off(const struct validated_event *e, char *text);

/* Its cell in a matrix: "X", "off", "N/A", or "" if nothing was kept. */
const char *validated_cell(const struct validated *v, const char *event);

/*
 * "validated here", "off by 2 % here", "not validated here": a phrase about
 * @event, in @text.
 */
const char *validated_phrase(const struct validated *v, const char *event,
			     char *text, size_t capacity);

/*
 * What a file says that 'assay validate -o FILE.json' wrote, here or on another
 * machine; @platform has room for 64 bytes. 0, or a PAPI error with @diag.
 */
int validated_read(const char *path, char *platform, struct validated *out,
		   struct diag *diag);

/* Platforms that results were kept of; to be freed, each too. */
int validated_platforms(char ***names, size_t *n);
