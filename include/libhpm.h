/* SPDX-License-Identifier: BSD-3-Clause */
/* The name that hpm.h had in the first HPM Toolkit. */
#ifndef LIBHPM_H
#define LIBHPM_H

#include <hpm.h>

#endif /* LIBHPM_H */
