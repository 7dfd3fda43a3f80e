/* SPDX-License-Identifier: BSD-3-Clause */
/* What constants are called by people, and in which order they are shown. */
#pragma once

#include <stddef.h>

/* "L1 data cache: size" for "L1D_bytes"; the name if it is not known. To be
 * freed; NULL: no memory. */
char *machine_title(const char *constant);

/* What part of a machine a curve is of: "L1 data cache" for "L1D". */
const char *machine_part_title(const char *curve);

/* Constants by the part of the machine; the last group takes all others. */
size_t machine_n_groups(void);
size_t machine_group_of(const char *constant);
const char *machine_group_title(size_t group);
