/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a file that describes a machine to the simulator. */
#include <assert.h>
#include <string.h>

#include "simpmu/model/params.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct params params;
	struct params_error error = { 0 };

	if (params_parse(&params, text, &error))
		assert(params_check(&params, &error));
	else
		assert(error.text[0]);
	free(text);
	return 0;
}
