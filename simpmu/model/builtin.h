/* SPDX-License-Identifier: BSD-3-Clause */
/* The model files that are compiled in; embed-models makes the table. */
#ifndef SIMPMU_MODEL_BUILTIN_H
#define SIMPMU_MODEL_BUILTIN_H

#include <stddef.h>

struct builtin_model {
	const char *name;
	const char *text;
};

extern const struct builtin_model builtin_models[];
extern const size_t builtin_model_count;

#endif /* SIMPMU_MODEL_BUILTIN_H */
