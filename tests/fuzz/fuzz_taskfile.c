/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a performance file: refused with a line, or merged. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "taskfile/taskfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct diag diag = { 0 };
	struct taskfile_sink sink;
	FILE *from;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (size == 0)
		return 0;
	from = fmemopen((void *)data, size, "r");
	sink = taskfile_writer(nowhere);
	if (taskfile_read(from, "input", &sink, &diag)) {
		assert(diag.text[0]);
		/* what does not begin as XML is refused as a whole */
		assert(diag.line > 0 || data[0] != '<');
	}
	fclose(from);
	return 0;
}
