/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Named sets of events (HPM_EVENTS=cache), as the HPM Toolkit has them: what
 * the metrics of a category need. The categories are those of
 * share/metrics/hpm.txt.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Hand every event of the set or the metric @word, of @length bytes, to @take;
 * an event may come more than once. False if there is no such set or metric.
 */
bool sets_expand(const char *word, size_t length, bool simulated,
		 void (*take)(void *context, const char *event), void *context);
