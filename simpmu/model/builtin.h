/* SPDX-License-Identifier: BSD-3-Clause */
/* The model files that are compiled in; embed-models makes the table. */
#pragma once

#include <stddef.h>

struct builtin_model {
	const char *name;
	const char *text;
};

extern const struct builtin_model builtin_models[];
extern const size_t builtin_model_count;
