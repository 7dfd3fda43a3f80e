/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events and metrics `live` shows. */
#ifndef VIEW_LIVE_CHOOSE_H
#define VIEW_LIVE_CHOOSE_H

#include "measure/counting.h"

/*
 * After counting_open(): load the shipped metrics and those of @files, and
 * select the events that were named, that @groups need, or the usual ones.
 * 0, or the exit status after a message.
 */
int live_choose(const struct console *console, struct counting *c,
		const struct selection *groups, const struct selection *files);

#endif /* VIEW_LIVE_CHOOSE_H */
