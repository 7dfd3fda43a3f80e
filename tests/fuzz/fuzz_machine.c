/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a machine that is to be imported. What is taken can be written
 * and read again, and is the same.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/format.h"
#include "write/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct machine *m)
{
	struct machine again = { 0 };
	struct diag diag = { 0 };
	char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);

	assert(document_write_json(machine_document, m, to) == 0);
	fclose(to);
	assert(machine_parse("out", text, length, &again, &diag) == 0);
	assert(again.n_constants == m->n_constants);
	assert(again.n_sweeps == m->n_sweeps);
	assert(strcmp(again.name, m->name) == 0);
	machine_fini(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct machine m = { 0 };
	struct diag diag = { 0 };

	if (machine_parse("in", text, strlen(text), &m, &diag))
		assert(diag.text[0]);
	else
		check_again(&m);
	machine_fini(&m);
	free(text);
	return 0;
}
