/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulated PMU: children counted from outside, and code that is a
 * measuring library's and not the program's.
 */
#include <assay/assay.h>

#include "components/components.h"
#include "papi/entry.h"

int assay_simulate(const char *model, const char *counters, const char *control)
{
	struct diag diag = { .text = "" };

	if (control && library_get())
		return error_say(PAPI_EISRUN,
				 "the simulated PMU must be chosen before "
				 "PAPI_library_init()");
	return error_from(sim_set_target(model, counters, control, &diag),
			  &diag);
}

int assay_simulate_process(int pid)
{
	struct diag diag = { .text = "" };

	if (library_get())
		return error_say(PAPI_EISRUN,
				 "the simulated PMU must be chosen before "
				 "PAPI_library_init()");
	return error_from(sim_set_process(pid, &diag), &diag);
}

const char *assay_shipped_model(unsigned i)
{
	return sim_shipped_model(i);
}

int assay_get_model(const char *model, struct assay_model *out)
{
	struct diag diag = { .text = "" };

	if (!out)
		return error_say(PAPI_EINVAL,
				 "the pointer to the model is null");
	return error_from(sim_describe_model(model, out, &diag), &diag);
}

int assay_get_simulation(struct assay_simulation *out)
{
	if (!out)
		return error_say(PAPI_EINVAL,
				 "no directory for the simulation");
	if (sim_take_census(out))
		return error_say(PAPI_ENOSUPP,
				 "no child process runs on the simulated PMU");
	return PAPI_OK;
}

void assay_exclude_code(const void *address)
{
	sim_exclude_code(address);
}

void assay_make_cold(void)
{
	sim_make_cold();
}

int assay_keep_state(void)
{
	return sim_keep_state();
}

int assay_restore_state(void)
{
	return sim_restore_state();
}
