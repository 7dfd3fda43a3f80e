/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel may answer to perf_event_open(), on machines that this one
 * is not: the code and the sentence for each. The call is ours here. It can
 * refuse, and stands in for a PMU: a core's event counts the thread's time.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "components/perf_event/event.h"
#include "tests/unit/components/perf_event/fixture.h"
#include "tests/unit/components/perf_event/opening.h"
#include "tests/unit/host/machine.h"

/* What the kernel is like. */
static struct {
	int error;            /* what it refuses with; 0: it does not */
	int spared;           /* so many calls before it does */
	const char *paranoid; /* what /proc says; NULL: as it is here */
	int never_runs;       /* it has no counter for what it has opened */
} kernel;

static long open_event(const long *a)
{
	struct perf_event_attr attr = *(const struct perf_event_attr *)a[0];

	if (kernel.error && kernel.spared-- <= 0) {
		errno = kernel.error;
		return -1;
	}
	if (attr.type != PERF_TYPE_SOFTWARE) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		attr.config1 = 0;
	}
	return real_syscall(
		SYS_perf_event_open,
		(const long[]){ (long)&attr, a[1], a[2], a[3], a[4], 0 });
}

ssize_t read(int fd, void *to, size_t n)
{
	ssize_t got = syscall(SYS_read, fd, to, n);

	/* In either format of a counter's reading it is the third word. */
	if (kernel.never_runs && got >= (ssize_t)(3 * sizeof(uint64_t)))
		((uint64_t *)to)[2] = 0;
	return got;
}

int open(const char *path, int flags, ...)
{
	int fd;

	if (!kernel.paranoid || !strstr(path, "perf_event_paranoid"))
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
	if (!*kernel.paranoid) {
		errno = ENOENT;
		return -1;
	}
	fd = memfd_create("paranoid", MFD_CLOEXEC);
	assert_true(pwrite(fd, kernel.paranoid, strlen(kernel.paranoid), 0) >
		    0);
	return fd;
}

static void be(int error, int spared)
{
	kernel.error = error;
	kernel.spared = spared;
}

TEST(test_a_kernel_that_refuses_everything)
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
		  "to fix it: sysctl kernel.perf_event_paranoid=2" },
		{ __LINE__, EPERM, "1\n", "the container's seccomp profile" },
		{ __LINE__, EACCES, "2\n", "the container's seccomp profile" },
	};
	static const struct fs here = { .root = "" };

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

TEST(test_an_event_that_is_refused)
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
		  "to fix it: sysctl kernel.perf_event_paranoid=1, or give CAP_PERFMON, or count in user space only" },
		{ __LINE__, EACCES, 0, "4", 0, 0, PAPI_EPERM,
		  "perf_event_paranoid = 4; to fix it: sysctl kernel.perf_event_paranoid=2" },
		{ __LINE__, EACCES, 0, "0", 0, 0, PAPI_EPERM,
		  "to fix it: sysctl kernel.perf_event_paranoid=-1" },
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
		  "the PMU has 6 counters; to fix it: multiplex" },
		{ __LINE__, EBUSY, 0, NULL, 0, 0, PAPI_ECNFLCT,
		  "not enough counters; to fix it: multiplex" },
		{ __LINE__, EINVAL, 0, NULL, 0, 1000, PAPI_EINVAL,
		  "the PMU cannot interrupt at a threshold" },
		{ __LINE__, EINVAL, 0, NULL, 0, 0, PAPI_EINVAL,
		  "the kernel refuses this encoding or these options" },
		{ __LINE__, E2BIG, 0, NULL, 0, 0, PAPI_EINVAL,
		  "Argument list too long" },
		{ __LINE__, EIO, 0, NULL, 0, 0, PAPI_ESYS, "Input/output" },
	};
	struct n1 n1;

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
TEST(test_events_that_do_not_fit_together)
{
	struct n1 n1;
	struct slice *s;

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

/* What is no question for the kernel any more. */
TEST(test_slices_that_cannot_be)
{
	struct n1 n1;
	struct slice *s;

	n1_open(&n1);
	s = closed_slice(n1.c, (const char *[]){ NULL });
	assert_int_equal(slice_open(s), PAPI_EINVAL);
	assert_string_equal(s->diag.text, "there is no event");
	slice_free(s);

	s = closed_slice(n1.c, (const char *[]){ CYCLES, NULL });
	s->opt.granularity = PAPI_GRN_PROC;
	assert_int_equal(slice_open(s), PAPI_EINVAL);
	assert_non_null(strstr(s->diag.text, "not for a process"));
	s->opt.granularity = 0;
	s->opt.per_thread = true;
	assert_int_equal(slice_open(s), PAPI_EINVAL);
	assert_non_null(strstr(s->diag.text, "per-thread counts require"));
	slice_free(s);
	n1_close(&n1);
}

TEST(test_events_that_never_run)
{
	struct n1 n1;
	struct slice *s;

	n1_open(&n1);
	s = closed_slice(n1.c, (const char *[]){ INSTRUCTIONS, CYCLES, NULL });
	kernel.never_runs = 1;
	assert_int_equal(slice_open(s), PAPI_ECNFLCT);
	kernel.never_runs = 0;
	assert_non_null(strstr(s->diag.text, "opened but never run"));
	assert_int_equal(slice_open(s), 0);
	slice_free(s);
	n1_close(&n1);
}

/* The event as it would be if it were of another kind. */
static struct pe_event *event_of(struct slice *s)
{
	return (struct pe_event *)(uintptr_t)pe_event_of(s, 0);
}

TEST(test_what_cannot_be_sampled)
{
	struct pe_event kept;
	struct n1 n1;
	struct slice *s;

	n1_open(&n1);
	s = closed_slice(n1.c, (const char *[]){ CYCLES, NULL });
	s->opt.target = TARGET_TASK;
	s->opt.tid = getpid();
	s->thresholds[0] = 1000000;
	kept = *event_of(s);
	event_of(s)->code.place = PE_UNCORE;
	assert_int_equal(n1.c->ops->recorder->open(s), PAPI_ENOSUPP);
	assert_non_null(strstr(s->diag.text, "a whole CPU package"));
	event_of(s)->error = PAPI_EATTR;
	event_of(s)->why = "a mask is missing";
	assert_int_equal(n1.c->ops->recorder->open(s), PAPI_EATTR);
	assert_string_equal(s->diag.text, CYCLES ": a mask is missing");
	assert_int_equal(slice_open(s), PAPI_EATTR);
	*event_of(s) = kept;
	/* An uncore event that the kernel refuses for one process. */
	event_of(s)->code.place = PE_UNCORE;
	s->thresholds[0] = 0;
	be(EINVAL, 0);
	assert_int_equal(slice_open(s), PAPI_EINVAL);
	be(0, 0);
	assert_non_null(strstr(s->diag.text, "for a whole CPU package"));
	*event_of(s) = kept;
	slice_free(s);
	n1_close(&n1);
}

/* A child's slice is opened again, and counts the child. */
TEST(test_a_forked_child_counts_itself)
{
	struct count counts[2];
	struct n1 n1;
	struct slice *s;
	int status;
	pid_t pid;

	n1_open(&n1);
	s = open_slice(n1.c, (const char *[]){ INSTRUCTIONS, NULL });
	pid = fork();
	if (pid == 0) {
		int bad = slice_start(s, counts) || slice_stop(s, counts) ||
			  counts[0].value == 0;

		be(EIO, 0); /* and when that is refused, it says so */
		pid = fork();
		if (pid == 0)
			exit(slice_start(s, counts) != PAPI_ESYS);
		be(0, 0);
		bad |= waitpid(pid, &status, 0) != pid || status;
		exit(bad);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	slice_free(s);
	n1_close(&n1);
}

#define UNKNOWN "unknown format in"

TEST(test_formats_that_make_no_sense)
{
	static const struct {
		int line;
		const char *format;
		int code;
		const char *said;
	} rows[] = {
		{ __LINE__, "config:0-7\n", 0, "" },
		{ __LINE__, "config2:0-7\n", 0, "" },
		{ __LINE__, "config3:0-7\n", 0, "" },
		{ __LINE__, "config4:0-7\n", PAPI_EINVAL, UNKNOWN },
		{ __LINE__, "oops:0-7\n", PAPI_EINVAL, UNKNOWN },
		{ __LINE__, "config\n", PAPI_EINVAL, UNKNOWN },
		{ __LINE__, "config:x\n", PAPI_EINVAL, UNKNOWN },
		{ __LINE__, "config:9-3\n", PAPI_EINVAL, UNKNOWN },
		{ __LINE__, "config:0-64\n", PAPI_EINVAL, UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct diag diag = { .text = "" };
		struct machine m;
		struct component *c = component_new(&perf_event_component);
		size_t event;
		int err;

		machine_init(&m);
		machine_put(&m, "sys/bus/event_source/devices/odd/type", "9\n");
		machine_put(&m, "sys/bus/event_source/devices/odd/format/x",
			    rows[i].format);
		assert_int_equal(component_probe(c, &m.fs), 0);
		err = component_find_event(c, "odd/x=1/", &event, &diag);
		if (err != rows[i].code ||
		    (err && !strstr(diag.text, rows[i].said)))
			fail_msg("row at line %d: %d, %s", rows[i].line, err,
				 diag.text);
		component_free(c);
		machine_close(&m);
	}
}

/* A thread's hardware events, as on a machine that has some. */
TEST(test_two_slices_of_a_core_take_turns)
{
	struct count counts[2];
	struct slice *first, *second;
	struct n1 n1;

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

RUN_ALL_TESTS
