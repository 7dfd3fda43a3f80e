/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a profile or a histogram: refused with a sentence, or written
 * in all formats.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct report_style style = { .width = 80 };
	static FILE *nowhere;
	struct diag diag = { .text = "" };
	struct profile p;
	char *text = malloc(size + 1);

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!text || !nowhere)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (record_import_text(text, "input", &p, &diag)) {
		assert(diag.text[0]);
	} else {
		for (const struct format *f = profile_formats; f->name; f++)
			f->write(&p, &style, nowhere);
		profile_fini(&p);
	}
	free(text);
	return 0;
}
