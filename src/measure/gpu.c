/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GPU events beside those of a PMU; the component that counts them is the
 * library's.
 */
#include "measure/counting.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <assay/assay.h>

#include "base/strbuf.h"
#include "console/console.h"
#include "process/process.h"

#define COMPONENT "cuda"
#define GROUP     "gpu" /* share/metrics/gpu.txt */
#define LIBRARY   "libassay_cuda.so"
#define CHOSEN    "ASSAY_CUDA_INJECTION"
#define CONTROL   "ASSAY_CUDA_CONTROL"
#define INJECTION "CUDA_INJECTION64_PATH"

static const struct companion injected = {
	.build = LIBRARY,
	.installed = LIBRARY,
	.variable = CHOSEN,
	.mode = R_OK,
	.missing = LIBRARY " is not installed beside assay; " CHOSEN
			   " may name it",
};

static bool begins(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Whether the event is of a component that is no PMU. */
static bool is_other(const char *name)
{
	const char *colons = strstr(name, "::");

	for (int i = 0; colons && i < PAPI_num_components(); i++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(i);

		if (info && begins(name, info->name) &&
		    name + strlen(info->name) == colons)
			return assay_is_pmu(i) == 0;
	}
	return false;
}

enum pmu_kind gpu_choose_pmu(enum pmu_kind asked,
			     const struct selection *events,
			     const struct selection *groups)
{
	size_t n = events->n + groups->n;
	size_t n_others = 0;
	bool on_gpu = false;

	if (asked != PMU_AUTO || n == 0)
		return asked;
	for (size_t i = 0; i < events->n; i++) {
		n_others += is_other(events->names[i]);
		on_gpu |= begins(events->names[i], COMPONENT "::");
	}
	for (size_t i = 0; i < groups->n; i++)
		if (strcmp(groups->names[i], GROUP) == 0) {
			n_others++;
			on_gpu = true;
		}
	if (n_others == n)
		return PMU_NONE;
	return on_gpu ? PMU_HARDWARE : asked;
}

static bool has_gpu_events(const struct event_list *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->events[i].source &&
		    strcmp(m->events[i].source, COMPONENT) == 0)
			return true;
	return false;
}

static int make_control(const struct console *console, struct cli_gpu *gpu)
{
	struct diag diag = { .text = "" };

	gpu->control = scratch_file("gpu", &diag);
	if (!gpu->control)
		return say_failure(console, "%s", diag.text);
	if (setenv(CONTROL, gpu->control, 1))
		return say_no_memory(console);
	return 0;
}

int gpu_open(const struct console *console, struct cli_gpu *gpu,
	     const struct event_list *m)
{
	struct diag diag = { .text = "" };
	const char *taken = getenv(INJECTION);

	if (!has_gpu_events(m) || gpu->library)
		return 0;
	if (taken && *taken)
		return say_failure(console,
				   INJECTION
				   " is set to %s: two tools cannot count a "
				   "program's GPU work at the same time",
				   taken);
	gpu->library = companion_find(&injected, &diag);
	if (!gpu->library)
		return say_failure(console, "%s", diag.text);
	return make_control(console, gpu);
}

void gpu_close(struct cli_gpu *gpu)
{
	scratch_remove(gpu->control);
	if (gpu->library)
		unsetenv(CONTROL);
	free(gpu->library);
	memset(gpu, 0, sizeof(*gpu));
}

void gpu_set_environment(const struct cli_gpu *gpu)
{
	if (gpu->library)
		setenv(INJECTION, gpu->library, 1);
}
