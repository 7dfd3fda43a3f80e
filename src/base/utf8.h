/* SPDX-License-Identifier: BSD-3-Clause */
/* Telling UTF-8 from bytes that are none. */
#pragma once

#include <stddef.h>

/* Bytes of the character at @text (NUL-terminated); 0 if it is not UTF-8. */
size_t utf8_length(const char *text);
