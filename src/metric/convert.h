/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of definitions from one format to another. Not part of the library:
 * programs that count have no use for XML.
 *
 * What is written is canonical: blanks, quotes and line ends have one form.
 * On files in that form, text to XML to text changes nothing.
 */
#pragma once

#include "base/strbuf.h"
#include "metric/defs.h"

/* The file as text. */
void convert_to_text(const struct defs *defs, struct strbuf *out);

/*
 * The file as XML, by the schema share/metrics/metrics.rng. PAPI_EINVAL if a
 * text in it has bytes that XML cannot carry; @diag has the line.
 */
int convert_to_xml(const struct defs *defs, struct strbuf *out,
		   struct diag *diag);

/*
 * Read XML. @diag has line and column of the XML, or the line of the element
 * whose content is malformed.
 */
int convert_parse_xml(const char *file, const char *text, size_t len,
		      struct defs **out, struct diag *diag);

/* Either format: a file that begins with '<' is XML. */
int convert_parse(const char *file, const char *text, size_t len,
		  struct defs **out, struct diag *diag);
