/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as definitions in XML; what is taken must come back the same. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "metric/convert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const struct defs *defs)
{
	struct strbuf xml = { 0 }, text = { 0 }, again = { 0 };
	struct diag diag = { 0 };
	struct defs *back;

	convert_to_text(defs, &text);
	assert(convert_to_xml(defs, &xml, &diag) == 0);
	assert(convert_parse_xml("back", strbuf_text(&xml), xml.len, &back,
				 &diag) == 0);
	convert_to_text(back, &again);
	assert(strcmp(strbuf_text(&text), strbuf_text(&again)) == 0);
	defs_free(back);
	strbuf_fini(&again);
	strbuf_fini(&text);
	strbuf_fini(&xml);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = { 0 };
	struct defs *defs;

	if (convert_parse_xml("input", (const char *)data, size, &defs,
			      &diag)) {
		assert(diag.text[0]);
		return 0;
	}
	write_and_read(defs);
	defs_free(defs);
	return 0;
}
