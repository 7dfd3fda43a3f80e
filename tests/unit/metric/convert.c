/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard input, text or XML, as XML on standard output. For schema.sh. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "metric/convert.h"

int main(void)
{
	struct strbuf xml = { 0 };
	struct diag diag = { 0 };
	struct defs *defs = NULL;
	char *text = NULL;
	size_t len;
	int err = file_read("/dev/stdin", &text, &len, &diag);

	if (!err)
		err = convert_parse("stdin", text, len, &defs, &diag);
	if (!err)
		err = convert_to_xml(defs, &xml, &diag);
	if (err)
		fprintf(stderr, "%zu: %s\n", diag.line, diag.text);
	else
		fputs(strbuf_text(&xml), stdout);
	strbuf_fini(&xml);
	defs_free(defs);
	free(text);
	return err ? 1 : 0;
}
