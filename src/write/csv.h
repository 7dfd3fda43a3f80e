/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CSV (RFC 4180). A result that describes itself with the calls of json.h
 * becomes one table: the rows of json_table(), or a single row of all values
 * where there is no table. The first line names the columns.
 */
#pragma once

#include <stdio.h>

/* A field, between quotes if it needs them; NULL is empty. */
void csv_put_field(const char *text, FILE *to);

/* The same after a comma; and a number, empty if it is none. */
void csv_put_next(const char *text, FILE *to);
void csv_put_number(long double value, FILE *to);
