/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a machine that counts depend on, from a model or the host. */
#ifndef LAB_GEOMETRY_H
#define LAB_GEOMETRY_H

#include <assay/assay.h>

#include "kernels/kernel.h"

/* Of a model of the simulated PMU. */
void geometry_of_model(const struct assay_model *model,
		       struct kernel_machine *machine);

/* Of this computer. 0 or PAPI_ENOMEM. */
int geometry_of_host(struct kernel_machine *machine);

#endif /* LAB_GEOMETRY_H */
