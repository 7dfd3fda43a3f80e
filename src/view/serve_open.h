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

enum {
	KEY_SERVE_PORT = CMD_LONG + 1000,
	KEY_SERVE_NO_OPEN,
};

#define SERVE_OPTIONS                                                          \
	{ KEY_SERVE_PORT, "port", "N",                                         \
	  "serve the page on this port of 127.0.0.1; default: any that is "    \
	  "free" },                                                            \
	{                                                                      \
		KEY_SERVE_NO_OPEN, "no-open", NULL,                            \
			"do not start a browser, only print the address"       \
	}

/* Whether @key was one of these; *@status is 0, or CMD_USAGE with a message. */
bool serve_take(const struct console *console, struct serve_options *options,
		int key, const char *argument, int *status);

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
