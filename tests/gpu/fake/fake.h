/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stand-ins for libcuda, libcupti and libnvidia-ml, for tests on machines
 * without a GPU. FAKE_GPU in the environment, words apart by commas, says what
 * they pretend:
 *
 *   none          the driver shows no GPU
 *   two           there are two of them
 *   unprivileged  only root may read counters
 *   busy          another process profiles the device
 *   broken        the driver does not start
 *   cuptiSomething, and some of CUDA's own: that function fails
 *
 * "Work" is what fake_work() was called with; it is what fake metrics count.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* All in libcuda: do @n of work on @device; what was done there since the
 * start. */
void fake_work(int device, uint64_t n);
uint64_t fake_done(int device);
int fake_contexts_made(void);
/* Call @fn whenever a context is made. */
void fake_on_created(void (*fn)(void *context));

/* Of CUDA's own, what the stand-in for CUPTI asks. */
int cuCtxGetDevice(int *device);

static inline bool fake_is(const char *word)
{
	const char *text = getenv("FAKE_GPU");
	size_t n = strlen(word);

	while (text && *text) {
		size_t len = strcspn(text, ",");

		if (len == n && strncmp(text, word, n) == 0)
			return true;
		text += len + (text[len] == ',');
	}
	return false;
}
