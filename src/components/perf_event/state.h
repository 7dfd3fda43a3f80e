/* SPDX-License-Identifier: BSD-3-Clause */
/* What the perf_event component keeps for the whole process, in c->priv. */
#pragma once

#include "base/map.h"
#include "components/perf_event/home.h"
#include "components/perf_event/pmu.h"

struct pe_state {
	struct map keys;     /* encoding -> index of the event */
	struct pe_pmus pmus; /* what sysfs has; read when first needed */
	bool pfm_tried;      /* libpfm4 is loaded with its first use */
	bool pfm_works;
	bool extended_tried;      /* hybrid: plan.c asked the kernel */
	bool extended;            /* a generic event can name its PMU */
	bool groups_tried;        /* plan.c, likewise */
	bool no_inherited_groups; /* that could be read as one */
	bool user_access; /* arm64: counters may be read in user space */
	struct pe_homes homes;
	void **kept; /* units, boxes and the like, until shutdown */
	size_t n_kept;
};

/* A copy of @text that lives as long as the component; NULL: no memory. */
const char *pe_state_keep(struct pe_state *state, const char *text);

/* @memory, now owned; it is freed at once if there is no place: then NULL. */
void *pe_state_keep_memory(struct pe_state *state, void *memory);

static inline struct pe_state *pe_state_of(struct component *c)
{
	return c->priv;
}
