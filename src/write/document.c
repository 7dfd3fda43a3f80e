/* SPDX-License-Identifier: BSD-3-Clause */
/* A result as JSON: an object whose first member is the format's version. */
#include "write/document.h"

int document_write_json(describe_fn describe, const void *what, FILE *to)
{
	struct json j;
	int err, failed;

	json_init(&j, to);
	json_object(&j, NULL);
	json_unsigned(&j, "assay", 1);
	err = describe(what, &j);
	json_end_object(&j);
	failed = json_finish(&j);
	return err ? err : failed;
}
