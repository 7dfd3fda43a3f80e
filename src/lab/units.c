/* SPDX-License-Identifier: BSD-3-Clause */
/* What an experiment is made of, and the machine it is made for. */

#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "console/console.h"
#include "lab/experiment.h"

#define MAX_POINTS 128

struct experiment_unit *experiment_units(const struct kernel *const *kernels,
					 size_t n_kernels,
					 const struct kernel_machine *machine,
					 size_t *n)
{
	size_t count = kernels ? n_kernels : kernels_count();
	struct experiment_unit *units =
		calloc(count * MAX_POINTS + 1, sizeof(*units));

	*n = 0;
	for (size_t i = 0; units && i < count; i++) {
		const struct kernel *kernel =
			kernels ? kernels[i] : kernels_get(i);
		struct kernel_point points[MAX_POINTS];
		size_t found =
			kernel_points(kernel, machine, points, MAX_POINTS);

		for (size_t k = 0; k < found; k++)
			units[(*n)++] =
				(struct experiment_unit){ .kernel = kernel,
							  .point = points[k] };
	}
	return units;
}

int experiment_machine(const struct console *console, bool simulated,
		       const char *model, struct kernel_machine *machine)
{
	struct assay_model found;

	if (!simulated)
		return geometry_of_host(machine) ? say_no_memory(console) : 0;
	if (assay_get_model(model, &found))
		return say_usage(console, "%s", assay_error());
	geometry_of_model(&found, machine);
	return 0;
}
