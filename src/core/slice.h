/* SPDX-License-Identifier: BSD-3-Clause */
/* One component's share of an EventSet: events, options, open or not. */
#pragma once

#include "core/component.h"

/* An empty slice. Nothing is opened. */
int slice_new(struct component *c, struct slice **out);
void slice_free(struct slice *s); /* closes it first; NULL is allowed */

/* Add event @i at the end, or take out the one at @position. Closed only. */
int slice_append(struct slice *s, size_t i);
void slice_remove(struct slice *s, size_t position);

/*
 * The component's operations, in the order that it may rely on: open before
 * start, stop before close. Closing a closed slice is fine.
 */
int slice_open(struct slice *s);
void slice_close(struct slice *s);
int slice_start(struct slice *s, struct count *counts);
int slice_read(struct slice *s, struct count *counts);
int slice_stop(struct slice *s, struct count *counts);
