/* SPDX-License-Identifier: BSD-3-Clause */
/* The control file as this process sees it; of control.c and place.c only. */
#pragma once

#include "simpmu/pmu/pmu.h"

struct control {
	struct wire_control *shared;
	struct wire_process *place;
	struct wire_slot *slot;  /* of the place */
	uint32_t seen;           /* the last poke that was looked at */
	uint32_t published;      /* when */
	uint32_t ids[WIRE_SETS]; /* this process's set for each; 0: none */
	/* What programs before an exec had counted. */
	struct wire_count base[WIRE_SETS][WIRE_EVENTS];
	uint64_t serials; /* given to sets made here */
	bool asked;       /* a set was joined: its reader sees what sleeps */
	bool has_others;  /* there are, or were, a parent or children */
};

extern struct control control;

static inline void add_count(struct wire_count *to,
			     const struct wire_count *from)
{
	to->value += from->value;
	to->enabled_ns += from->enabled_ns;
	to->running_ns += from->running_ns;
	to->variance += from->variance;
}

/* A free place, taken for @pid; WIRE_PROCESSES if there is none. */
uint32_t place_claim(int32_t pid);

/* A new place. Without one this process is not counted, and that is told. */
void place_take(int32_t pid);

/* Go on in the place that the program before an exec left to this one. */
bool place_inherit(int32_t pid);
