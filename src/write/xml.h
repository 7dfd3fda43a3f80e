/* SPDX-License-Identifier: BSD-3-Clause */
/* Text inside XML and HTML. Bytes that may not stand there become '?'. */
#pragma once

#include <stdio.h>

/* Between tags: newlines and tabs stay. */
void xml_put_text(const char *text, FILE *to);

/* Between double quotes: newlines and tabs are written so that they stay. */
void xml_put_attribute(const char *text, FILE *to);
