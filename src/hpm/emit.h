/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing a file without allocating, so that it can be done when the program
 * is dying of a signal: text through a buffer into a new file, which takes the
 * old one's place only when it is whole. Where the file system can, the new
 * file has no name until it is whole, so that a killed program leaves no half
 * of one under any name.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emit {
	int fd;
	bool failed;
	int error;     /* errno of what failed first */
	bool unnamed;  /* the new file has no name yet */
	bool attached; /* to a file of the caller's */
	bool hurried;  /* do not wait for the disk: set after emit_open() */
	size_t n;
	char path[PATH_MAX];
	char temporary[PATH_MAX + 32];
	char buffer[8192];
};

/* Begin to write @path. 0 or PAPI_ESYS. */
int emit_open(struct emit *e, const char *path);

/* Begin to write to @fd, which stays the caller's. */
void emit_attach(struct emit *e, int fd);

void emit_text(struct emit *e, const char *text);
void emit_xml(struct emit *e, const char *text); /* escaped */
void emit_integer(struct emit *e, int64_t value);
/* With so many digits after the point; nothing for NaN. */
void emit_real(struct emit *e, double value, int digits);

/* Put the whole file in its place, or remove what was written. */
int emit_close(struct emit *e);
