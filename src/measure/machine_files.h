/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of share/machines, compiled in. */
#ifndef MEASURE_MACHINE_FILES_H
#define MEASURE_MACHINE_FILES_H

#include "measure/metric_files.h"

extern const struct embedded machine_files[];

#endif /* MEASURE_MACHINE_FILES_H */
