/* SPDX-License-Identifier: BSD-3-Clause */
/* The viewer's page, compiled in; empty in a build without Node. */
#ifndef WRITE_PAGE_FILES_H
#define WRITE_PAGE_FILES_H

struct embedded {
	const char *file;
	const char *text;
};

extern const struct embedded page_files[];

#endif /* WRITE_PAGE_FILES_H */
