/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard input, text or XML, as XML on standard output. For schema.sh. */
#include <stdio.h>

#include "base/file.h"
#include "metric/convert.h"

int main(void)
{
	struct strbuf xml = { 0 };
	struct diag diag = { 0 };
	struct defs *defs;
	char *text;
	size_t len;
	int err = file_read("/dev/stdin", &text, &len, &diag);

	if (!err)
		err = convert_parse("stdin", text, len, &defs, &diag);
	if (!err)
		err = convert_to_xml(defs, &xml, &diag);
	if (err) {
		fprintf(stderr, "%zu: %s\n", diag.line, diag.text);
		return 1;
	}
	fputs(strbuf_text(&xml), stdout);
	return 0;
}
