/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Privilege levels: an event counts at the levels that its name asks for, or
 * says why it has no value there; and what to do about a level that the kernel
 * does not allow is enough.
 */
#include <string.h>

#include "base/array.h"
#include "tests/kernel/rig.h"

#define MACHINE "sapphire-rapids-2s"

static const struct mk_event *last_event(void)
{
	return &mk->events[mk->n_events - 1];
}

TEST(test_levels_are_those_of_the_name)
{
	static const struct {
		const char *name;
		bool user, kernel;
	} rows[] = {
		{ "page-faults", true, true },
		{ "page-faults:u", true, false },
		{ "page-faults:k=0", true, false },
		{ "page-faults:u=0", false, true },
		{ "software/config=2/", true, true },
		{ "software/config=2/u", true, false },
		{ "software/config=2/k", false, true },
		{ "software/config=3/", true, true },
		{ "context-switches", true, true },
		{ "context-switches:k", false, true },
		{ "task-clock:uk", true, true },
		{ "instructions:k", false, true },
		{ "uncore_imc_0/cas_count_read/", true, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const names[] = { rows[i].name, NULL };
		struct rig r;

		rig_boot(&r, MACHINE);
		rig_slice(&r, names);
		rig_open(&r);
		if (last_event()->attr.exclude_user == rows[i].user ||
		    last_event()->attr.exclude_kernel == rows[i].kernel)
			fail_msg("%s: exclude_user %d, exclude_kernel %d",
				 rows[i].name, last_event()->attr.exclude_user,
				 last_event()->attr.exclude_kernel);
		rig_end(&r);
	}
}

/* The kernel would give 0 for these, or what was not asked for. */
TEST(test_levels_without_a_value_are_refused)
{
	static const struct {
		const char *name, *why;
	} rows[] = {
		{ "context-switches:u", "never happens" },
		{ "cpu-migrations:u", "never happens" },
		{ "cgroup-switches:u", "never happens" },
		{ "software/config=3/u", "never happens" },
		{ "page-faults:h", "never happens" },
		{ "page-faults:G", "in guests" },
		{ "task-clock:u", "together" },
		{ "cpu-clock:k", "together" },
		{ "uncore_imc_0/cas_count_read/u", "privilege levels apart" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const names[] = { rows[i].name, NULL };
		struct rig r;

		rig_boot(&r, MACHINE);
		rig_slice(&r, names);
		if (slice_open(r.slice) != PAPI_EATTR ||
		    !strstr(r.slice->diag.text, rows[i].why))
			fail_msg("%s: %s", rows[i].name, r.slice->diag.text);
		rig_end(&r);
	}
}

static void set_paranoid(struct rig *r, int level)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/perf_event_paranoid",
		 r->machine.root);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%d\n", level);
	assert_int_equal(fclose(file), 0);
	mk->paranoid = level;
	mk->privileged = false;
}

/* The level that a refused event's sentence says to set. */
static int proposed(const struct slice *s)
{
	const char *at = strstr(s->diag.text, "perf_event_paranoid=");

	if (!at)
		fail_msg("nothing is proposed: %s", s->diag.text);
	return atoi(at + strlen("perf_event_paranoid="));
}

/* Setting what is proposed, once, is all that it takes. */
TEST(test_the_proposed_level_is_enough)
{
	static const struct {
		const char *name;
		int refused_at;
		bool or_user;
	} rows[] = {
		{ "context-switches", 2, false },
		{ "context-switches", 3, false },
		{ "instructions", 3, false },
		{ "instructions:k", 3, false },
		{ "instructions:k", 2, true },
		{ "page-faults", 3, false },
		{ "page-faults:k", 3, false },
		{ "task-clock", 3, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const names[] = { rows[i].name, NULL };
		struct rig r;

		rig_boot(&r, MACHINE);
		set_paranoid(&r, rows[i].refused_at);
		rig_slice(&r, names);
		assert_int_equal(slice_open(r.slice), PAPI_EPERM);
		if (!strstr(r.slice->diag.text, "user space only") ==
		    rows[i].or_user)
			fail_msg("%s", r.slice->diag.text);
		set_paranoid(&r, proposed(r.slice));
		rig_open(&r);
		rig_end(&r);
	}
}

RUN_ALL_TESTS
