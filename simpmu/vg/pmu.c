/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMU layer: what the engine tells of processes and threads. */
#include "simpmu/vg/engine.h"

const struct engine_hooks pmu_hooks = { 0 };
