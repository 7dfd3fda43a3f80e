/* SPDX-License-Identifier: BSD-3-Clause */
/* Telling people where a page is served, and waiting until they had enough. */
#ifndef VIEW_SERVE_OPEN_H
#define VIEW_SERVE_OPEN_H

#include <stdbool.h>
#include <stdio.h>

#include "console/console.h"
#include "console/option.h"
#include "view/serve.h"

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

#endif /* VIEW_SERVE_OPEN_H */
