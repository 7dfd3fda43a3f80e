/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a bundle is asked to count. A bundle is one executable file: the program
 * of this directory (program.c), perhaps a second program that may load
 * libraries (a GPU's driver has to be loaded), the request as text, and a line
 * of fixed length that says where these lie:
 *
 *   assay-bundle 1 PROGRAM_BYTES REQUEST_BYTES HASH
 *
 * with the bytes of the second program and of the request, which lie before
 * it, and a hash of both.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

#define REQUEST_END_BYTES 80

struct request {
	char **events; /* names and patterns; none: every native event */
	size_t n_events;
	char **kernels; /* patterns; none: all. Ends with a NULL if any */
	size_t n_kernels;
	unsigned repeats;
	bool gpu; /* events of a GPU, counted by its kernels */

	/* The second program, within what request_read() read; NULL: none. */
	const char *program;
	size_t program_bytes;
	char *bytes; /* owned: what was read */
};

/* A hash of bytes (FNV-1a), from HASH_START on. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t request_hash(uint64_t hash, const void *bytes, size_t n);

int request_add_event(struct request *request, const char *word);
int request_add_kernel(struct request *request, const char *word);

/*
 * Write the end of a bundle: the second program (@program_bytes at @program,
 * or none), the request and the line. 0, or PAPI_ENOMEM or PAPI_ESYS.
 */
int request_write(const struct request *request, const char *program,
		  size_t program_bytes, FILE *to);

/*
 * Take the request from the end of the @n bytes of a bundle, which become
 * @request's own, even on failure. 0, PAPI_ENOMEM, or PAPI_EINVAL with the
 * sentence.
 */
int request_read(char *bytes, size_t n, struct request *request,
		 struct diag *diag);
void request_fini(struct request *request);
