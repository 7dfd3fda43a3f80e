/* SPDX-License-Identifier: BSD-3-Clause */
/* From a name to an encoding: the one grammar for all kinds of names. */
#pragma once

#include "components/perf_event/event.h"

/* The component's find() and list(). */
int pe_names_find(struct component *c, const char *name, size_t *i,
		  struct diag *diag);
int pe_names_list(struct component *c);

/*
 * Privilege levels and precision after a name: "u", "uk", "pp", "u=1:k=0".
 * @column is where @text begins in the whole name.
 */
int pe_names_modifiers(const char *text, size_t column, struct pe_event *e,
		       struct diag *diag);
