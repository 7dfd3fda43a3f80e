/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the 2005 paper share. */
#pragma once

#include "papers/papers.h"

/* Machine models that its experiments run on. */
#define MICROBENCHMARKS_MODELS ((size_t)3)

/* Section 4.4 on @n models, and Figure 7. 0, or a status after a message. */
int microbenchmarks_fp(struct papers *papers, const char *const *models,
		       size_t n);
