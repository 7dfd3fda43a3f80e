/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the 2011 paper share. */
#pragma once

#include "papers/papers.h"

/* Figure 2 with the HPC Challenge's programs. 0, or a status after a message.
 */
int user_events_hpcc(struct papers *papers);
