/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that the simulator keeps for itself under a limit. */
#pragma once

#include "simpmu/vg/state.h"

/* The guest has not started yet. */
void reserve_start(void);

/* The guest may be about to limit its memory. */
void reserve_before_syscall(UInt number, const UWord *args);
