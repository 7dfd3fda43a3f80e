/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often the kernel is asked to find out which generic hardware events can
 * be counted: once where sysfs shows no PMU but the kernel's own, else for
 * each. perf_event_open() refuses them all here.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "components/components.h"
#include "components/perf_event/event.h"
#include "tests/unit/components/perf_event/opening.h"
#include "tests/unit/host/machine.h"
#include "tests/unit/testing.h"

static int asked; /* for hardware events */

static long open_event(const long *a)
{
	const struct perf_event_attr *attr = (const void *)a[0];

	asked += attr->type == PERF_TYPE_HARDWARE ||
		 attr->type == PERF_TYPE_HW_CACHE;
	errno = ENOENT;
	return -1;
}

/* Try all generic hardware events of the machine; how many there are. */
static int try_generic(const char *name, const char *reason)
{
	struct component *c = component_new(&perf_event_component);
	struct machine m;
	int n = 0;

	asked = 0;
	machine_open(&m, name);
	assert_non_null(c);
	assert_int_equal(component_probe(c, &m.fs), 0);
	for (size_t i = 0; i < component_event_count(c); i++) {
		const struct event *event = component_event(c, i);
		const char *why = NULL;

		if (!pe_event_is_generic(event->data))
			continue;
		n++;
		assert_int_equal(component_try_event(c, i, &why), PAPI_ENOEVNT);
		assert_int_equal(strncmp(why, event->name, strlen(event->name)),
				 0);
		assert_non_null(strstr(why, reason));
	}
	component_free(c);
	machine_close(&m);
	return n;
}

TEST(test_one_is_asked_for_where_there_is_no_pmu)
{
	assert_true(try_generic("epyc-genoa-firecracker", "no hardware PMU") >
		    40);
	assert_int_equal(asked, 1);
}

TEST(test_each_is_asked_for_where_there_is_one)
{
	int n = try_generic("qemu-virt-n1", "this machine's PMU");

	/* and some of them once more with other settings */
	assert_in_range(asked, n, 2 * n);
}

RUN_ALL_TESTS
