/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation refused in turn: an error or less knowledge, no crash. */
#include "base/err.h"
#include "host/host.h"
#include "host/process.h"
#include "tests/unit/host/machine.h"
#include "tests/unit/refuse.h"

#define MOST 5000 /* more allocations than any of these makes */

TEST(test_host)
{
	struct machine m;
	long n = 1;

	if (!REFUSE_WORKS)
		skip();
	machine_open(&m, "neoverse-n1");
	for (; n < MOST; n++) {
		struct host host;
		int err;

		refuse_nth(n);
		err = host_read(&m.fs, &host);
		refuse_countdown = 0;
		assert_true(err == 0 || err == PAPI_ENOMEM);
		if (!err)
			host_fini(&host);
		if (!refused)
			break;
	}
	assert_in_range(n, 100, MOST - 1);
	machine_close(&m);
}

TEST(test_process)
{
	struct machine m;
	long n = 1;

	if (!REFUSE_WORKS)
		skip();
	machine_open(&m, "container");
	for (; n < MOST; n++) {
		struct process_objects objects;
		int err;

		refuse_nth(n);
		err = process_read_objects(&m.fs, &objects);
		refuse_countdown = 0;
		assert_true(err == 0 || err == PAPI_ENOMEM || err == PAPI_ESYS);
		if (!err)
			process_fini_objects(&objects);
		if (!refused)
			break;
	}
	assert_in_range(n, 5, MOST - 1);
	machine_close(&m);
}

RUN_ALL_TESTS
