/* SPDX-License-Identifier: BSD-3-Clause */
/* What addresses mean while maps, programs and processes come and go. */
#include "testing.h"

#include <string.h>

#include "record/record.h"

static void setup_gather(struct gather *g)
{
	const struct profile_event event = { .name = (char *)"E",
					     .unit = (char *)"",
					     .source = (char *)"",
					     .period = 1 };

	memset(g, 0, sizeof(*g));
	assert_int_equal(profile_add_event(&g->profile, &event), 0);
}

static void teardown_gather(struct gather *g)
{
	gather_fini(g);
	profile_fini(&g->profile);
}

static void map(struct gather *g, pid_t pid, uint64_t start, uint64_t end,
		const char *path)
{
	const struct assay_record record = { .kind = ASSAY_RECORD_MAP,
					     .pid = pid,
					     .start = start,
					     .end = end,
					     .text = path };

	assert_int_equal(gather_take(g, &record), 0);
}

static void change(struct gather *g, enum assay_record_kind kind, pid_t pid,
		   pid_t parent)
{
	const struct assay_record record = {
		.kind = kind, .pid = pid, .parent = parent, .text = "/bin/x"
	};

	assert_int_equal(gather_take(g, &record), 0);
}

/* The object that a sample of @pid at @address is in. */
static const char *object_at(struct gather *g, pid_t pid, uint64_t address)
{
	const struct assay_record record = { .kind = ASSAY_RECORD_SAMPLE,
					     .pid = pid,
					     .tid = pid,
					     .address = address };
	struct space *space = space_get(g, pid);
	size_t object;
	uint64_t own;

	assert_int_equal(gather_take(g, &record), 0);
	assert_non_null(space);
	assert_int_equal(space_find(g, space, address, &object, &own), 0);
	return g->objects[object].path;
}

TEST(test_the_last_map_counts)
{
	struct gather g;

	setup_gather(&g);
	map(&g, 1, 0x1000, 0x3000, "/no/a.so");
	assert_string_equal(object_at(&g, 1, 0x1000), "/no/a.so");
	map(&g, 1, 0x2000, 0x4000, "/no/b.so");
	assert_string_equal(object_at(&g, 1, 0x1fff), "/no/a.so");
	assert_string_equal(object_at(&g, 1, 0x2000), "/no/b.so");
	map(&g, 1, 0x1000, 0x4000, "");
	assert_string_equal(object_at(&g, 1, 0x1fff), "[anonymous memory]");
	assert_string_equal(object_at(&g, 1, 0x4000), "[unknown]");
	assert_string_equal(object_at(&g, 1, UINT64_MAX - 9), "[kernel]");
	assert_int_equal(g.profile.events[0].samples, 6);
	teardown_gather(&g);
}

TEST(test_children_have_their_parents_maps)
{
	struct gather g;

	setup_gather(&g);
	map(&g, 1, 0x1000, 0x2000, "/no/a.so");
	change(&g, ASSAY_RECORD_FORK, 2, 1);
	assert_string_equal(object_at(&g, 2, 0x1000), "/no/a.so");
	change(&g, ASSAY_RECORD_EXEC, 2, 0);
	assert_string_equal(object_at(&g, 2, 0x1000), "[unknown]");
	assert_string_equal(object_at(&g, 1, 0x1000), "/no/a.so");
	/* the same thread is another once it executes another program */
	assert_int_equal(g.profile.n_threads, 3);
	assert_string_equal(g.profile.threads[1].name, "x");
	teardown_gather(&g);
}

TEST(test_a_missing_file_is_told_once)
{
	struct gather g;

	setup_gather(&g);
	map(&g, 1, 0x1000, 0x2000, "/no/a.so");
	map(&g, 2, 0x5000, 0x6000, "/no/a.so");
	object_at(&g, 1, 0x1004);
	object_at(&g, 2, 0x5004);
	assert_int_equal(g.profile.n_objects, 1);
	assert_int_equal(g.profile.n_notes, 1);
	/* and both are one place in it, named by it */
	assert_int_equal(g.profile.n_locations, 1);
	assert_string_equal(g.profile.functions[0].name, "[a.so]");
	teardown_gather(&g);
}

TEST(test_buckets_become_places)
{
	struct diag diag = { .text = "" };
	struct profile p;

	assert_int_equal(record_import_text("assay histogram 1\n"
					    "event 100 X\n"
					    "map 1000 2000 500 /no/a.so\n"
					    "region 1000 16384 9\n"
					    "2 7\n",
					    "h", &p, &diag),
			 0);
	assert_int_equal(p.events[0].samples, 7);
	assert_int_equal(p.locations[0].address, 0x500 + 2 * 8);
	assert_int_equal(p.locations[0].bytes, 8);
	profile_fini(&p);
}

RUN_ALL_TESTS
