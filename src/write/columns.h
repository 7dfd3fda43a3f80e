/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table for people, each column as wide as what stands in it. Where all of
 * them do not fit the style's width, a long first cell has a line of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "write/style.h"

struct columns_cell {
	char *text;
	enum ink ink;
};

struct columns {
	const char *align; /* a letter a column: l for left, r for right */
	struct columns_cell *cells;
	size_t n;
	bool failed; /* there was no memory for one */
};

void columns_init(struct columns *columns, const char *align);
void columns_fini(struct columns *columns);

/* The next cell, from left to right and then down. */
void columns_add(struct columns *columns, enum ink ink, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* 0, PAPI_ENOMEM if a cell is missing, or PAPI_ESYS if @to failed. */
int columns_write(const struct columns *columns,
		  const struct report_style *style, FILE *to);
