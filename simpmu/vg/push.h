/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that leaves things for later (simpmu/model/later.h, stretch.h). */
#pragma once

#include "simpmu/vg/lookup.h"

/* The branch of @site: conditional, taken if @way is 1; or to its one target.
 */
void push_branch(struct observer *observer, const struct site *site,
		 IRExpr *way);

/* All of @site; @way as replay_all() wants it. */
void push_site(struct observer *observer, const struct site *site, IRExpr *way);
