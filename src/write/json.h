/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing JSON (RFC 8259): the caller says what comes, this puts the commas,
 * the line breaks and the escapes. Write errors stay in the stream.
 *
 * The same calls describe a result for other formats: a listener is told of
 * every value and level, and makes of them what it likes (csv.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

/* Who is told instead of the stream. */
struct json_listener {
	void (*begin)(void *context, const char *name, bool is_table);
	void (*end)(void *context);
	void (*value)(void *context, const char *name, const char *text);
};

struct json {
	FILE *to;
	const struct json_listener *listener; /* NULL: the stream is written */
	void *context;                        /* the listener's */
	unsigned depth;
	bool more[JSON_DEPTH];    /* something came before on this level */
	bool inline_[JSON_DEPTH]; /* this level stays on one line */
};

void json_init(struct json *j, FILE *to);
void json_listen(struct json *j, const struct json_listener *listener,
		 void *context);

/* Every call takes the member's @name; NULL inside an array. */
void json_object(struct json *j, const char *name);
void json_row(struct json *j, const char *name); /* an object on one line */
void json_end_object(struct json *j);
void json_array(struct json *j, const char *name);
void json_list(struct json *j, const char *name);  /* an array on one line */
void json_table(struct json *j, const char *name); /* the result's rows */
void json_end_array(struct json *j);

void json_string(struct json *j, const char *name, const char *text);
void json_number(struct json *j, const char *name, long double value);
/* For browsers: a string if it is whole and a double may not have it. */
void json_count(struct json *j, const char *name, long double value);
void json_unsigned(struct json *j, const char *name, uint64_t value);
void json_bool(struct json *j, const char *name, bool value);

/* Arrays on one line: of numbers, of texts, and of what printf's conversions
 * in @format say: %s a text, %g a number, %Lg a count. */
void json_numbers(struct json *j, const char *name, const double *values,
		  size_t n);
void json_strings(struct json *j, const char *name, const char *const *texts,
		  size_t n);
void json_cells(struct json *j, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * An object on one line in one call: "title %s, share %g" names its members,
 * each with what it is: %s a text, %g and %Lg numbers, %i, %u and %zu whole
 * ones, %d true or false.
 */
void json_row_of(struct json *j, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The newline at the end. 0, or PAPI_ESYS if the stream failed. */
int json_finish(struct json *j);
