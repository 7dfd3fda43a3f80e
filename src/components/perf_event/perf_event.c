/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Linux perf_event component: PMUs of cores, PMUs outside the cores, and
 * the kernel's own counts, all by perf_event_open(2).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "components/components.h"
#include "components/perf_event/census.h"
#include "components/perf_event/cpu.h"
#include "components/perf_event/names.h"
#include "components/perf_event/pfm.h"
#include "components/perf_event/recorder.h"
#include "components/perf_event/slice.h"
#include "components/perf_event/state.h"

static int disable(struct component *c, const struct fs *fs, int error)
{
	long level;

	if (error == ENOSYS)
		return component_disable(
			c,
			"this kernel has no perf_event_open (CONFIG_PERF_EVENTS)");
	if (error != EACCES && error != EPERM)
		return component_disable(c, "perf_event_open fails: %s",
					 strerror(error));
	if (fs_read_long(fs, "proc/sys/kernel/perf_event_paranoid", &level))
		return component_disable(
			c,
			"perf_event_open is not permitted and there is no kernel.perf_event_paranoid to set");
	if (error == EACCES && level > 2)
		return component_disable(
			c,
			"not permitted at kernel.perf_event_paranoid = %ld; to "
			"fix it: sysctl kernel.perf_event_paranoid=2, or "
			"CAP_PERFMON",
			level);
	return component_disable(
		c,
		"perf_event_open is not permitted, although "
		"kernel.perf_event_paranoid is %ld; to fix it, allow the "
		"call in the container's seccomp profile",
		level);
}

/* The least that perf_event_open() can be asked for; errno if it refuses. */
static int try_kernel(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	int fd = pe_sys_open(&attr, 0, -1, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Whether this machine's cores have a PMU, and what libpfm4 calls it. */
static void identify(struct component *c, const struct fs *fs)
{
	struct pe_state *state = pe_state_of(c);
	struct pe_cpu cpu;
	char name[64];

	size_t cores = pe_pmus_count_cores(fs, name, sizeof(name));

	if (cores == 0)
		return;
	if (cores > 1) /* which CPUs are of which kind is to be known */
		pe_pmus_load(&state->pmus, fs);
	if (pe_cpu_find(fs, &cpu)) {
		c->pmu = cpu.pmu;
		c->counters = cpu.counters;
	} else {
		c->pmu = pe_pfm_core(state, &c->counters);
	}
	if (!c->pmu) /* not in any table: the kernel's name has to do */
		c->pmu = pe_state_keep(state, name);
}

static int pe_probe(struct component *c, const struct fs *fs)
{
	bool captured = fs->root[0] != '\0';
	struct pe_state *state;
	long access = 0;
	int error = captured ? 0 : try_kernel();

	if (error)
		return disable(c, fs, error);
	state = calloc(1, sizeof(*state));
	if (!state)
		return PAPI_ENOMEM;
	c->priv = state;
	c->domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR;
	pe_homes_init(&state->homes);
	pe_generation_watch();
	state->user_access =
		fs_read_long(fs, "proc/sys/kernel/perf_user_access", &access) ==
			0 &&
		access == 1;
	identify(c, fs);
	return 0;
}

static void pe_shutdown(struct component *c)
{
	struct pe_state *state = pe_state_of(c);

	if (!state)
		return;
	while (state->n_kept > 0)
		free(state->kept[--state->n_kept]);
	free(state->kept);
	map_fini(&state->keys);
	pe_pmus_fini(&state->pmus);
	pe_homes_fini(&state->homes);
	free(state);
	c->priv = NULL;
}

const struct component_ops perf_event_component = {
	.name = "perf_event",
	.summary = "CPU and kernel events through Linux perf_event",
	.scope = SCOPE_THREAD,
	.caps = CAP_DOMAIN | CAP_ATTACH | CAP_CPU_ATTACH | CAP_INHERIT |
		CAP_MULTIPLEX | CAP_OVERFLOW | CAP_ON_EXEC | CAP_FAST_READ |
		CAP_HARDWARE | CAP_PLAIN_NAMES,
	.slice_bytes = sizeof(struct pe_slice),
	.probe = pe_probe,
	.list = pe_names_list,
	.list_left_out = pe_pfm_list,
	.masks = pe_pfm_masks,
	.find = pe_names_find,
	.proof = pe_event_proof,
	.foresee = pe_event_foresee,
	.open = pe_slice_open,
	.close = pe_slice_close,
	.start = pe_slice_start,
	.read = pe_slice_read,
	.stop = pe_slice_stop,
	.read_plain = pe_slice_read_plain,
	.reset_plain = pe_slice_reset_plain,
	.recorder = &pe_recorder,
	.threads = pe_slice_threads,
	.shutdown = pe_shutdown,
};
