/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of struct events, for the files of this folder. */
#pragma once

#include <pthread.h>

#include "base/map.h"
#include "base/texts.h"
#include "event/preset.h"
#include "event/resolve.h"
#include "metric/defs.h"

enum plan_state {
	PLAN_NOT_YET,
	PLAN_BUSY, /* being made: who comes here again is defined by itself */
	PLAN_MADE,
	PLAN_FAILED,
};

/* How to count an event, made when it is first wanted, and kept. */
struct plan {
	enum plan_state state;
	struct recipe recipe;
	struct native *natives;
	int *weights;            /* or NULL */
	struct formula *formula; /* NULL: the only native itself */
	int err;                 /* if it failed */
	char *why;
	bool fits;   /* its natives were counted at the same time once */
	char *apart; /* why they could not, when that was first tried */
};

/* The definition of a name that is in force. */
struct meaning {
	const struct defs *defs;
	const struct def *def; /* NULL: none */
	bool built_in;
};

struct user_event {
	struct meaning meaning;
	struct plan plan;
};

struct native_event {
	const char *name; /* with its component's, where that is needed */
	struct native self;
	struct plan plan; /* of itself alone */
};

/* The native events of one component that were asked for. */
struct native_list {
	struct native_event **events; /* by index in the component; or NULL */
	size_t n;
};

struct events {
	struct registry *registry;
	struct component *hardware; /* presets are made of its events; NULL */
	struct diag env_diag;       /* what was wrong with the environment */
	char *env_file;             /* that env_diag is about */

	pthread_mutex_t lock; /* guards all below */
	bool tables_read;
	struct defs **files;
	size_t n_files;
	struct meaning presets[PRESET_COUNT];
	struct meaning spare[PRESET_COUNT]; /* what a table came over */
	struct plan preset_plans[PRESET_COUNT];
	struct user_event **users;
	size_t n_users;
	struct map user_names;
	struct map encodings; /* what tables call native events -> its def */
	const struct def **encoded;
	size_t n_encoded;
	struct native_list *natives; /* one for each component */
	double clock_hz;             /* 0: not looked up yet; NaN: unknown */
	unsigned depth;              /* of definitions being planned */
	bool too_deep;               /* that was why one failed just now */
	struct texts names;          /* of native events */
};

enum code_kind {
	CODE_PRESET,
	CODE_NATIVE,
	CODE_USER,
	CODE_NONE
};

enum code_kind code_kind(int code);
#define USER_CODE(i)    ((int)((unsigned)PAPI_UE_MASK | (unsigned)(i)))
#define USER_INDEX(c)   ((unsigned)(c) & (unsigned)PAPI_UE_AND_MASK)
#define PRESET_CODE(i)  ((int)((unsigned)PAPI_PRESET_MASK | (unsigned)(i)))
#define PRESET_INDEX(c) ((unsigned)(c) & (unsigned)PAPI_PRESET_AND_MASK)

/* All below: the caller holds the lock. */

/* Read the built-in tables, once. */
void events_read_tables(struct events *e);

/* Read a file's text; on success its definitions are in force. */
int events_adopt(struct events *e, const char *file, const char *text,
		 size_t len, bool built_in, struct diag *diag);

int events_find_locked(struct events *e, const char *name, int *code,
		       struct diag *diag);

/*
 * Whether a table gives the name @name to an encoding of the hardware's. If
 * so, *@err is how finding that event went, and *@code is it.
 */
bool events_find_encoding(struct events *e, const char *name, int *code,
			  struct diag *diag, int *err);

/* The event of @code in its component; PAPI_ENOEVNT if there is none. */
int events_native(struct events *e, int code, struct native_event **out);

/* The definition behind a preset's or user event's code; NULL: none. */
const struct meaning *events_meaning(struct events *e, int code);

/* The plan of @code, made if need be. */
int events_plan_locked(struct events *e, int code, const struct plan **out,
		       struct diag *diag);

/* The processor's highest clock rate, for events per second. */
double events_clock_hz(struct events *e);
