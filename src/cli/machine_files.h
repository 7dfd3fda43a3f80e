/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of share/machines, compiled in. */
#ifndef CLI_MACHINE_FILES_H
#define CLI_MACHINE_FILES_H

#include "cli/metric_files.h"

extern const struct embedded machine_files[];

#endif /* CLI_MACHINE_FILES_H */
