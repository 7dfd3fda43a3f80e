/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions when memory runs out at any moment: nothing is lost or invented. */
#include "base/err.h"
#include "papi/regions.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

static const bool no_levels[1];

/* Begin and end nested regions until a refusal; each success is undone. */
static void visit(struct regions *r, long long *begun, long long *failed)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	long long now = 0;
	int depth = 0;

	for (int i = 0; i < 100; i++) {
		now++;
		if (regions_begin(r, names[i % 5], &now) == 0) {
			(*begun)++;
			depth++;
		} else {
			(*failed)++;
		}
	}
	refuse_countdown = 0;
	for (int i = 0; i < 5; i++)
		while (regions_end(r, names[i], &now) == 0)
			depth--;
	assert_int_equal(depth, 0);
}

TEST(test_a_refused_begin_changes_nothing)
{
	long n = 1;

	if (!REFUSE_WORKS)
		skip();
	for (; n < 1000; n++) {
		unsigned long long visits = 0;
		long long begun = 0, failed = 0;
		struct regions r;

		regions_init(&r, 1, no_levels);
		refuse_nth(n);
		visit(&r, &begun, &failed);
		assert_int_equal(regions_depth(&r), 0);
		for (size_t i = 0; i < r.n; i++)
			visits += r.items[i].visits;
		assert_int_equal(visits, begun);
		assert_int_equal(failed, refused);
		regions_fini(&r);
		if (!refused)
			break;
	}
	assert_in_range(n, 10, 999);
}

RUN_ALL_TESTS
