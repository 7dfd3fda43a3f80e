/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages for a browser on this machine, or at the end of a tunnel to it.
 *
 * The server listens on 127.0.0.1 alone. Its address has a random word in it,
 * without which nothing is answered: other users of the machine can reach the
 * port, but not guess the word. Requests whose Host is not this machine are
 * refused, so that no name that a web page controls leads here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "console/console.h"
#include "console/option.h"

struct serve_request {
	const char *path; /* what follows the word and its slash; may be "" */
	bool posts;       /* else it reads */
	const char *body; /* of a posting one; NUL-terminated */
	size_t len;
	long last_event; /* Last-Event-ID of a stream that comes back, or -1 */
};

/*
 * An answer: text, or a stream of which more() gives the next bytes (it may
 * wait for them; 0 asks again, negative is the end) and done() frees it.
 */
struct serve_answer {
	unsigned status;
	const char *type;
	char *text; /* to be freed by the server, unless borrowed */
	size_t len;
	bool borrowed;
	void *stream;
	ssize_t (*more)(void *stream, char *buffer, size_t capacity);
	void (*done)(void *stream);
};

/*
 * Fills in an answer whose status is 404 at first. Called from several threads
 * at once.
 */
typedef void (*serve_fn)(void *context, const struct serve_request *request,
			 struct serve_answer *answer);

struct serve;

/* Why this command cannot serve pages; NULL: it can. */
const char *serve_missing(void);

#define SERVE_BODY_MAX ((size_t)1 << 20) /* of what is posted */

/*
 * Listen on @port, 0 for any that is free. PAPI_ESYS with a sentence if that
 * is not possible.
 */
int serve_open(unsigned port, serve_fn answer, void *context,
	       struct serve **out, struct diag *diag);

/* "http://127.0.0.1:PORT/WORD/"; borrowed. */
const char *serve_url(const struct serve *s);
unsigned serve_port(const struct serve *s);

/* End all connections. Streams must be told before that they are to end. */
void serve_close(struct serve *s);

/* Telling people where a page is served, and waiting until they had enough. */

/* Options of verbs that serve a page. */
struct serve_options {
	unsigned port; /* 0: any */
	bool no_open;
};

/* Rows of an option table for @field, a struct serve_options of struct @state.
 */
#define SERVE_OPTIONS(state, field)                                            \
	{ 0,                                                                   \
	  "port",                                                              \
	  "N",                                                                 \
	  "serve the page on this port of 127.0.0.1; default: any that is "    \
	  "free",                                                              \
	  INTO(state, field.port),                                             \
	  .min = 1,                                                            \
	  .max = 65535 },                                                      \
	{                                                                      \
		0, "no-open", NULL,                                            \
			"do not start a browser, only print the address",      \
			INTO(state, field.no_open)                             \
	}

/*
 * Print the address to @to, and how to reach it from elsewhere; start a browser
 * where there is a screen.
 */
void serve_announce(const struct console *console, const struct serve *s,
		    const struct serve_options *options, FILE *to);

/*
 * Keep SIGINT, SIGTERM and SIGHUP from this and later threads, and wait for
 * one of them. Hold before serve_open(), and release if the program that is
 * started next should get them.
 */
void serve_hold_signals(void);
void serve_release_signals(void);
void serve_wait(void);
