/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates, over presets that a file of definitions gives to the toy. */
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/papi/open_toys.h"

static const char definitions[] = "CPU,toy\n"
				  "PRESET,PAPI_TOT_INS,NOT_DERIVED,e0\n"
				  "PRESET,PAPI_TOT_CYC,NOT_DERIVED,e1\n"
				  "PRESET,PAPI_FP_OPS,NOT_DERIVED,e2\n"
				  "PRESET,PAPI_FP_INS,NOT_DERIVED,e3\n";

static int probe_with_pmu(struct component *c, const struct fs *fs)
{
	c->pmu = "toy";
	return toy_probe(c, fs);
}

static struct component_ops pmu_component;
static char path[] = "/tmp/assay-presets-XXXXXX";

static int write_definitions(void **state)
{
	int fd = mkstemp(path);
	bool ok = fd >= 0 && write(fd, definitions, sizeof(definitions) - 1) ==
				     (ssize_t)sizeof(definitions) - 1;

	(void)state;
	if (fd >= 0)
		close(fd);
	pmu_component = toy_component;
	pmu_component.probe = probe_with_pmu;
	return ok && setenv("PAPI_CSV_EVENT_FILE", path, 1) == 0 ? 0 : -1;
}

static int remove_definitions(void **state)
{
	(void)state;
	return unlink(path);
}

static int open_pmu(void **state)
{
	const struct component_ops *list[] = { &pmu_component };

	(void)state;
	memset(&toy, 0, sizeof(toy));
	toy.counters = 4;
	return library_open(list, 1, "");
}

/* Let some processor time pass: a rate has a divisor then. */
static void work(void)
{
	long long until = PAPI_get_virt_nsec() + 2000000;

	while (PAPI_get_virt_nsec() < until)
		;
}

TEST_WITH(test_ipc_is_since_the_last_call, open_pmu, close_toys)
{
	float rtime = 9, ptime = 9, ipc = 9;
	long long ins = 9;

	assert_int_equal(PAPI_ipc(&rtime, &ptime, &ins, &ipc), PAPI_OK);
	assert_int_equal(ins, 0);
	assert_true(rtime == 0 && ptime == 0 && ipc == 0);
	toy_count(0, 300, 1, 1);
	toy_count(1, 100, 1, 1);
	assert_int_equal(PAPI_ipc(&rtime, &ptime, &ins, &ipc), PAPI_OK);
	assert_int_equal(ins, 300);
	assert_true(ipc == 3.0F);
	toy_count(0, 50, 1, 1);
	toy_count(1, 100, 1, 1);
	assert_int_equal(PAPI_ipc(&rtime, &ptime, &ins, &ipc), PAPI_OK);
	assert_int_equal(ins, 50);
	assert_true(ipc == 0.5F);
	/* No cycles, no rate; not infinity. */
	assert_int_equal(PAPI_ipc(&rtime, &ptime, &ins, &ipc), PAPI_OK);
	assert_true(ipc == 0);
	assert_int_equal(PAPI_rate_stop(), PAPI_OK);
	assert_int_equal(toy.open, 0);
}

TEST_WITH(test_flops_of_2000_tell_totals, open_pmu, close_toys)
{
	float rtime, ptime, mflops, first;
	long long ops;

	assert_int_equal(PAPI_flops(&rtime, &ptime, &ops, &mflops), PAPI_OK);
	work();
	toy_count(2, 1000000, 1, 1);
	assert_int_equal(PAPI_flops(&rtime, &ptime, &ops, &mflops), PAPI_OK);
	assert_int_equal(ops, 1000000);
	assert_true(mflops > 0);
	first = ptime;
	work();
	toy_count(2, 500000, 1, 1);
	assert_int_equal(PAPI_flops(&rtime, &ptime, &ops, &mflops), PAPI_OK);
	assert_int_equal(ops, 1500000);
	assert_true(ptime > first);
	assert_true(rtime >= first);
	assert_int_equal(PAPI_rate_stop(), PAPI_OK);
}

TEST_WITH(test_flops_rate_is_since_the_last_call, open_pmu, close_toys)
{
	float rtime, ptime, mflops;
	long long ops;

	assert_int_equal(
		PAPI_flops_rate(PAPI_FP_OPS, &rtime, &ptime, &ops, &mflops),
		PAPI_OK);
	for (int i = 0; i < 2; i++) {
		work();
		toy_count(2, 1000, 1, 1);
		assert_int_equal(PAPI_flops_rate(PAPI_FP_OPS, &rtime, &ptime,
						 &ops, &mflops),
				 PAPI_OK);
		assert_int_equal(ops, 1000);
		/* Millions of them in a second of processor time. */
		assert_true(mflops > 0.999e-3F / ptime &&
			    mflops < 1.001e-3F / ptime);
	}
	assert_int_equal(PAPI_rate_stop(), PAPI_OK);
}

TEST_WITH(test_epc_of_any_event, open_pmu, close_toys)
{
	float rtime, ptime, epc;
	long long ref, core, events;
	int event = toy_code(5);

	assert_int_equal(
		PAPI_epc(event, &rtime, &ptime, &ref, &core, &events, &epc),
		PAPI_OK);
	toy_count(5, 30, 1, 1);
	toy_count(1, 120, 1, 1);
	assert_int_equal(
		PAPI_epc(event, &rtime, &ptime, &ref, &core, &events, &epc),
		PAPI_OK);
	assert_int_equal(events, 30);
	assert_int_equal(core, 120);
	assert_int_equal(ref, 0); /* this machine has no reference cycles */
	assert_true(epc == 0.25F);
	/* Another event is another rate. */
	assert_int_equal(
		PAPI_epc(0, &rtime, &ptime, &ref, &core, &events, &epc),
		PAPI_EINVAL);
	assert_int_equal(PAPI_rate_stop(), PAPI_OK);
	assert_int_equal(
		PAPI_epc(0, &rtime, &ptime, &ref, &core, &events, &epc),
		PAPI_OK);
	assert_int_equal(PAPI_rate_stop(), PAPI_OK);
}

TEST_WITH(test_one_rate_at_a_time, open_pmu, close_toys)
{
	float rtime, ptime, rate;
	long long n;

	assert_int_equal(PAPI_rate_stop(), PAPI_ENOEVNT);
	assert_int_equal(PAPI_flips(&rtime, &ptime, &n, &rate), PAPI_OK);
	assert_int_equal(PAPI_flops(&rtime, &ptime, &n, &rate), PAPI_EINVAL);
	assert_int_equal(PAPI_ipc(&rtime, &ptime, &n, &rate), PAPI_EINVAL);
	assert_int_equal(
		PAPI_flips_rate(PAPI_FP_INS, &rtime, &ptime, &n, &rate),
		PAPI_EINVAL);
	assert_int_equal(PAPI_flips(&rtime, &ptime, &n, &rate), PAPI_OK);
	assert_int_equal(PAPI_rate_stop(), PAPI_OK);
}

TEST_WITH(test_wrong_arguments, open_pmu, close_toys)
{
	float rtime, ptime, rate;
	long long n;

	assert_int_equal(PAPI_ipc(NULL, &ptime, &n, &rate), PAPI_EINVAL);
	assert_int_equal(PAPI_flops(&rtime, NULL, &n, &rate), PAPI_EINVAL);
	assert_int_equal(PAPI_flips(&rtime, &ptime, NULL, &rate), PAPI_EINVAL);
	assert_int_equal(
		PAPI_flops_rate(PAPI_TOT_CYC, &rtime, &ptime, &n, &rate),
		PAPI_EINVAL);
	assert_int_equal(
		PAPI_flips_rate(PAPI_FP_OPS, &rtime, &ptime, &n, &rate),
		PAPI_EINVAL);
	/* A preset that this machine does not have. */
	assert_int_equal(
		PAPI_flops_rate(PAPI_DP_OPS, &rtime, &ptime, &n, &rate),
		PAPI_ENOEVNT);
	assert_int_equal(toy.open, 0);
}

RUN_ALL_TESTS_WITH(write_definitions, remove_definitions)
