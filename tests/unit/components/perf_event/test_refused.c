/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel may answer to perf_event_open(), on machines that this one
 * is not: the code and the sentence for each. The call is ours here. It can
 * refuse, and stands in for a PMU: a core's event counts the thread's time.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "components/perf_event/event.h"
#include "tests/unit/components/perf_event/fixture.h"
#include "tests/unit/host/machine.h"

/* What the kernel is like. */
static struct {
	int error;            /* what it refuses with; 0: it does not */
	int spared;           /* so many calls before it does */
	const char *paranoid; /* what /proc says; NULL: as it is here */
} kernel;

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_perf_event_open) {
		struct perf_event_attr attr =
			*(const struct perf_event_attr *)a[0];

		if (kernel.error && kernel.spared-- <= 0) {
			errno = kernel.error;
			return -1;
		}
		if (attr.type != PERF_TYPE_SOFTWARE) {
			attr.type = PERF_TYPE_SOFTWARE;
			attr.config = PERF_COUNT_SW_TASK_CLOCK;
			attr.config1 = 0;
		}
		return real(number, &attr, a[1], a[2], a[3], a[4], 0L);
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*real)(const char *, const char *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	if (!kernel.paranoid || !strstr(path, "perf_event_paranoid"))
		return real(path, mode);
	if (!*kernel.paranoid) {
		errno = ENOENT;
		return NULL;
	}
	return fmemopen((void *)(uintptr_t)kernel.paranoid,
			strlen(kernel.paranoid), "r");
}

static void be(int error, int spared)
{
	kernel.error = error;
	kernel.spared = spared;
}

static void test_a_kernel_that_refuses_everything(void **state)
{
	static const struct {
		int line, error;
		const char *paranoid, *why;
	} rows[] = {
		{ __LINE__, ENOSYS, NULL,
		  "this kernel has no perf_event_open" },
		{ __LINE__, EMFILE, NULL, "perf_event_open fails: Too many" },
		{ __LINE__, EACCES, "",
		  "no kernel.perf_event_paranoid to set" },
		{ __LINE__, EACCES, "3\n",
		  "remedy: sysctl kernel.perf_event_paranoid=2" },
		{ __LINE__, EPERM, "1\n", "the container's seccomp profile" },
		{ __LINE__, EACCES, "2\n", "the container's seccomp profile" },
	};
	static const struct fs here = { .root = "" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct component *c = component_new(&perf_event_component);

		assert_non_null(c);
		be(rows[i].error, 0);
		kernel.paranoid = rows[i].paranoid;
		CHECK_AT(rows[i].line, component_probe(c, &here) == 0);
		be(0, 0);
		kernel.paranoid = NULL;
		CHECK_AT(rows[i].line, c->disabled);
		if (!strstr(c->reason, rows[i].why))
			fail_msg("row at line %d: %s", rows[i].line, c->reason);
		component_free(c);
	}
}

/* An emulated Neoverse N1, whose PMU is stood in for. */
struct n1 {
	struct machine machine;
	struct component *c;
};

static void n1_open(struct n1 *n1)
{
	machine_open(&n1->machine, "qemu-virt-n1");
	n1->c = component_new(&perf_event_component);
	assert_non_null(n1->c);
	assert_int_equal(component_probe(n1->c, &n1->machine.fs), 0);
	assert_string_equal(n1->c->pmu, "arm_n1");
}

static void n1_close(struct n1 *n1)
{
	component_free(n1->c);
	machine_close(&n1->machine);
}

#define INSTRUCTIONS "armv8_pmuv3/inst_retired/"
#define CYCLES       "armv8_pmuv3/cpu_cycles/"

static void test_an_event_that_is_refused(void **state)
{
	static const struct {
		int line, error, spared;
		const char *paranoid;
		unsigned counters; /* that the PMU is known to have */
		uint64_t threshold;
		int code;
		const char *why;
	} rows[] = {
		{ __LINE__, EACCES, 0, "2", 0, 0, PAPI_EPERM,
		  "remedy: sysctl kernel.perf_event_paranoid=1, or give CAP_PERFMON, or count in user space only" },
		{ __LINE__, EACCES, 0, "4", 0, 0, PAPI_EPERM,
		  "perf_event_paranoid = 4; remedy: sysctl kernel.perf_event_paranoid=2" },
		{ __LINE__, EACCES, 0, "0", 0, 0, PAPI_EPERM,
		  "remedy: sysctl kernel.perf_event_paranoid=-1" },
		{ __LINE__, EACCES, 0, "", 0, 0, PAPI_EPERM,
		  "seccomp profile may forbid" },
		{ __LINE__, EPERM, 0, "2", 0, 0, PAPI_EPERM,
		  "seccomp profile may forbid" },
		{ __LINE__, ENOENT, 0, NULL, 0, 0, PAPI_ENOEVNT,
		  "this machine's PMU cannot count it" },
		{ __LINE__, ENODEV, 0, NULL, 0, 0, PAPI_ENOEVNT,
		  "this machine's PMU cannot count it" },
		{ __LINE__, ENFILE, 0, NULL, 0, 0, PAPI_ESYS,
		  "no file descriptor is left" },
		{ __LINE__, ENOSYS, 0, NULL, 0, 0, PAPI_ENOSUPP,
		  "this kernel has no perf_event_open" },
		{ __LINE__, EOPNOTSUPP, 0, NULL, 0, 0, PAPI_ENOSUPP,
		  "the PMU cannot count it in this way" },
		{ __LINE__, ENOSPC, 0, NULL, 6, 0, PAPI_ECNFLCT,
		  "the PMU has 6 counters; remedy: multiplex" },
		{ __LINE__, EBUSY, 0, NULL, 0, 0, PAPI_ECNFLCT,
		  "not enough counters; remedy: multiplex" },
		{ __LINE__, EINVAL, 0, NULL, 0, 1000, PAPI_EINVAL,
		  "the PMU cannot interrupt at a threshold" },
		{ __LINE__, EINVAL, 0, NULL, 0, 0, PAPI_EINVAL,
		  "the kernel refuses this encoding or these options" },
		{ __LINE__, E2BIG, 0, NULL, 0, 0, PAPI_EINVAL,
		  "Argument list too long" },
		{ __LINE__, EIO, 0, NULL, 0, 0, PAPI_ESYS, "Input/output" },
	};
	struct n1 n1;

	(void)state;
	n1_open(&n1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice *s = closed_slice(
			n1.c, (const char *[]){ INSTRUCTIONS, NULL });
		int err;

		s->thresholds[0] = rows[i].threshold;
		n1.c->counters = rows[i].counters;
		kernel.paranoid = rows[i].paranoid;
		be(rows[i].error, rows[i].spared);
		err = slice_open(s);
		be(0, 0);
		kernel.paranoid = NULL;
		if (err != rows[i].code || !strstr(s->diag.text, rows[i].why))
			fail_msg("row at line %d: %d, %s", rows[i].line, err,
				 s->diag.text);
		slice_free(s);
	}
	n1_close(&n1);
}

/* The second is refused beside the first, and opens alone. */
static void test_events_that_do_not_fit_together(void **state)
{
	struct n1 n1;
	struct slice *s;

	(void)state;
	n1_open(&n1);
	n1.c->counters = 6;
	s = closed_slice(n1.c, (const char *[]){ INSTRUCTIONS, CYCLES, NULL });
	kernel.error = EINVAL;
	kernel.spared = 1;
	assert_int_equal(slice_open(s), PAPI_EINVAL); /* nor alone */
	be(0, 0);
	slice_free(s);
	n1_close(&n1);
}

/* A thread's hardware events, as on a machine that has some. */
static void test_two_slices_of_a_core_take_turns(void **state)
{
	struct count counts[2];
	struct slice *first, *second;
	struct n1 n1;

	(void)state;
	n1_open(&n1);
	first = open_slice(n1.c, (const char *[]){ INSTRUCTIONS, NULL });
	second = open_slice(n1.c,
			    (const char *[]){ CYCLES, INSTRUCTIONS, NULL });
	for (int i = 0; i < 2; i++) {
		assert_int_equal(slice_start(first, counts), 0);
		assert_int_equal(slice_stop(first, counts), 0);
		assert_true(counts[0].value > 0);
		assert_int_equal(slice_start(second, counts), 0);
		assert_int_equal(slice_read(second, counts), 0);
		assert_int_equal(slice_stop(second, counts), 0);
		assert_true(counts[1].value > 0);
	}
	slice_free(first);
	slice_free(second);
	n1_close(&n1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_kernel_that_refuses_everything),
		cmocka_unit_test(test_an_event_that_is_refused),
		cmocka_unit_test(test_events_that_do_not_fit_together),
		cmocka_unit_test(test_two_slices_of_a_core_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
