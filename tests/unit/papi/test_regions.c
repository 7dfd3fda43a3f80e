/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of PAPI's high-level interface, nested, recursive and wrong. */
#include "papi/regions.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "tests/unit/testing.h"

static const bool no_levels[2];

static int begin(struct regions *r, const char *name, long long now)
{
	long long values[2] = { now, 10 * now };

	return regions_begin(r, name, values);
}

static int end(struct regions *r, const char *name, long long now)
{
	long long values[2] = { now, 10 * now };

	return regions_end(r, name, values);
}

/* The region that "a/b" leads to. */
static const struct region *at(const struct regions *r, const char *path)
{
	size_t parent = REGION_NONE;
	const struct region *found = NULL;

	for (;;) {
		size_t len = strcspn(path, "/");

		found = NULL;
		for (size_t i = 0; i < r->n && !found; i++) {
			const char *name = r->names[r->items[i].name].text;

			if (r->items[i].parent == parent &&
			    strlen(name) == len &&
			    strncmp(name, path, len) == 0)
				found = &r->items[i];
		}
		assert_non_null(found);
		if (!path[len])
			return found;
		parent = (size_t)(found - r->items);
		path += len + 1;
	}
}

TEST(test_nested_regions_have_inclusive_and_exclusive)
{
	struct regions r;
	const struct region *a, *b;

	regions_init(&r, 2, no_levels);
	for (int i = 0; i < 3; i++) {
		long long t = 100 * i;

		assert_int_equal(begin(&r, "a", t), 0);
		assert_int_equal(begin(&r, "b", t + 10), 0);
		assert_int_equal(end(&r, "b", t + 15 + i), 0);
		assert_int_equal(end(&r, "a", t + 30), 0);
	}
	a = at(&r, "a");
	b = at(&r, "a/b");
	assert_int_equal(r.n, 2);
	assert_int_equal(a->visits, 3);
	assert_int_equal(a->stats[0].sum, 90);
	assert_int_equal(a->stats[0].exclusive, 90 - 18);
	assert_int_equal(a->stats[1].exclusive, 900 - 180);
	assert_int_equal(b->stats[0].sum, 18);
	assert_int_equal(b->stats[0].exclusive, 18);
	assert_int_equal(b->stats[0].min, 5);
	assert_int_equal(b->stats[0].max, 7);
	regions_fini(&r);
}

TEST(test_same_name_elsewhere_is_another_region)
{
	struct regions r;

	regions_init(&r, 2, no_levels);
	begin(&r, "x", 0);
	begin(&r, "work", 1);
	end(&r, "work", 2);
	end(&r, "x", 3);
	begin(&r, "work", 4);
	end(&r, "work", 9);
	assert_int_equal(r.n, 3);
	assert_int_equal(at(&r, "x/work")->stats[0].sum, 1);
	assert_int_equal(at(&r, "work")->stats[0].sum, 5);
	regions_fini(&r);
}

/* Memory does not grow with visits, nor with the depth of a recursion. */
TEST(test_recursion_is_one_region)
{
	struct regions r;
	const struct region *f;
	long long t = 0;

	regions_init(&r, 2, no_levels);
	for (int i = 0; i < 10000; i++) {
		assert_int_equal(begin(&r, "f", t++), 0);
		assert_int_equal(begin(&r, "g", t++), 0);
	}
	assert_int_equal(regions_depth(&r), 20000);
	for (int i = 0; i < 10000; i++) {
		assert_int_equal(end(&r, "g", t++), 0);
		assert_int_equal(end(&r, "f", t++), 0);
	}
	f = at(&r, "f");
	assert_int_equal(r.n, 2);
	assert_int_equal(f->visits, 10000);
	assert_int_equal(f->outermost, 1);
	assert_int_equal(f->stats[0].sum, t - 1);
	/* Together they have all the time, none of it twice. */
	assert_int_equal(f->stats[0].exclusive +
				 at(&r, "f/g")->stats[0].exclusive,
			 t - 1);
	regions_fini(&r);
}

TEST(test_regions_may_overlap)
{
	struct regions r;

	regions_init(&r, 2, no_levels);
	begin(&r, "top", 0);
	begin(&r, "a", 10);
	begin(&r, "b", 20);
	assert_int_equal(end(&r, "a", 35), 0); /* b goes on */
	assert_int_equal(end(&r, "b", 50), 0);
	assert_int_equal(end(&r, "top", 60), 0);
	assert_int_equal(at(&r, "top/a")->overlaps, 1);
	assert_int_equal(at(&r, "top/a")->stats[0].sum, 25);
	assert_int_equal(at(&r, "top/a")->stats[0].exclusive, 10);
	assert_int_equal(at(&r, "top/a/b")->stats[0].sum, 30);
	assert_int_equal(at(&r, "top/a/b")->stats[0].exclusive, 30);
	assert_int_equal(at(&r, "top")->stats[0].exclusive, 20);
	regions_fini(&r);
}

TEST(test_an_end_without_a_begin_is_noted)
{
	struct regions r;
	long long now[2] = { 0 };

	regions_init(&r, 2, no_levels);
	assert_int_equal(end(&r, "a", 1), PAPI_EINVAL);
	begin(&r, "a", 1);
	assert_int_equal(end(&r, "b", 2), PAPI_EINVAL);
	assert_int_equal(end(&r, "a", 2), 0);
	assert_int_equal(end(&r, "a", 3), PAPI_EINVAL);
	assert_int_equal(regions_read(&r, "a", now), PAPI_EINVAL);
	assert_int_equal(r.bad_ends, 3);
	assert_int_equal(at(&r, "a")->visits, 1);
	regions_fini(&r);
}

TEST(test_reads_have_a_range)
{
	struct regions r;
	long long now[2] = { 0 };

	regions_init(&r, 2, no_levels);
	begin(&r, "a", 100);
	for (int i = 1; i <= 3; i++) {
		now[0] = 100 + i;
		now[1] = 1000 + i;
		assert_int_equal(regions_read(&r, "a", now), 0);
	}
	end(&r, "a", 110);
	assert_int_equal(at(&r, "a")->reads, 3);
	assert_int_equal(at(&r, "a")->stats[0].read_min, 1);
	assert_int_equal(at(&r, "a")->stats[0].read_max, 3);
	assert_int_equal(at(&r, "a")->stats[0].sum, 10);
	regions_fini(&r);
}

TEST(test_levels_are_taken_as_they_are)
{
	static const bool levels[2] = { false, true };
	struct regions r;

	regions_init(&r, 2, levels);
	begin(&r, "a", 5);
	begin(&r, "b", 6);
	end(&r, "b", 7);
	end(&r, "a", 8);
	assert_int_equal(at(&r, "a")->stats[0].sum, 3);
	assert_int_equal(at(&r, "a")->stats[1].sum, 80);
	assert_int_equal(at(&r, "a/b")->stats[1].max, 70);
	regions_fini(&r);
}

TEST(test_a_count_that_goes_back_is_nothing)
{
	struct regions r;

	regions_init(&r, 2, no_levels);
	begin(&r, "a", 100);
	end(&r, "a", 90);
	assert_int_equal(at(&r, "a")->stats[0].sum, 0);
	assert_int_equal(at(&r, "a")->stats[0].exclusive, 0);
	regions_fini(&r);
}

TEST(test_many_names_are_kept_apart)
{
	struct regions r;
	char name[16];

	regions_init(&r, 2, no_levels);
	begin(&r, "top", 0);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 3000; i++) {
			snprintf(name, sizeof(name), "r%d", i);
			assert_int_equal(begin(&r, name, i), 0);
			assert_int_equal(end(&r, name, i + 1), 0);
		}
	assert_int_equal(r.n, 3001);
	assert_int_equal(at(&r, "top/r2999")->visits, 2);
	regions_fini(&r);
}

RUN_ALL_TESTS
