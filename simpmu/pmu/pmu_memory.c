/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the control file comes from: from outside by its name, from the program
 * before an exec by its number, or made here, so that others can attach to this
 * process. What stands in it is control.c's.
 */
#include "simpmu/model/params.h"
#include "simpmu/pmu/host.h"
#include "simpmu/pmu/pmu.h"

static bool is_control(const struct wire_control *shared)
{
	return shared && shared->magic == WIRE_MAGIC &&
	       shared->version == WIRE_VERSION;
}

/* As the maker of the file: the machine, for those who attach. */
static void describe_machine(struct wire_control *shared)
{
	struct params params = *engine_params();
	const uint64_t *from = (const uint64_t *)&params;

	_Static_assert(sizeof(struct params) <= WIRE_MACHINE_BYTES &&
			       sizeof(struct params) % 8 == 0,
		       "a machine fits into the control file");
	if (pmu.opt.programmable >= 0) {
		params.counters = (uint32_t)pmu.opt.programmable;
		params.counters_fixed = (uint32_t)pmu.opt.fixed;
	}
	for (size_t i = 0; i < sizeof(struct params) / 8; i++)
		shared->machine[i] = from[i];
	shared->unlimited = pmu.opt.unlimited;
}

struct wire_control *memory_make(void)
{
	struct wire_control *shared = host_share(sizeof(*shared));

	if (!shared ||
	    !host_reserve(0, offsetof(struct wire_control, processes)))
		return NULL;
	describe_machine(shared);
	shared->version = WIRE_VERSION;
	__atomic_store_n(&shared->magic, WIRE_MAGIC, __ATOMIC_RELEASE);
	return shared;
}

struct wire_control *memory_find(const char *path)
{
	struct wire_control *shared = NULL;

	if (pmu.opt.shared)
		shared = host_share_again(pmu.opt.shared, sizeof(*shared));
	if (is_control(shared))
		return shared;
	if (path) {
		shared = host_share_file(path, sizeof(*shared));
		if (!is_control(shared))
			host_give_up(125, "%s is not a control file", path);
		return shared;
	}
	if (pmu.opt.blind)
		return NULL; /* nobody can name an event */
	pmu.opt.slot = 0;
	return memory_make();
}
