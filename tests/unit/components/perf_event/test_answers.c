/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel may answer about events that it has opened: it lends no
 * buffer, switches nothing on, loses records. mmap(), ioctl() and the contents
 * of a buffer are ours here. Each time the code and the sentence are looked at,
 * that no descriptor is lost, and that all works when the kernel does.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "components/perf_event/slice.h"
#include "tests/unit/components/perf_event/fixture.h"
#include "tests/unit/components/perf_event/opening.h"

#define MANY  100
#define OFTEN 200

/* What the kernel is like; so many calls are refused after so many others. */
static struct {
	int opens, opens_spared, error;
	int maps, maps_spared;
	unsigned long request; /* of ioctl(), which is refused */
	bool lends_ours;       /* buffers are memory that it never writes to */
	void *lent;            /* the last of these */
} kernel;

static bool is_refused(int *spared, int *number)
{
	if (*number == 0 || (*spared)-- > 0)
		return false;
	--*number;
	return true;
}

static long open_event(const long *a)
{
	if (is_refused(&kernel.opens_spared, &kernel.opens)) {
		errno = kernel.error;
		return -1;
	}
	return real_syscall(SYS_perf_event_open, a);
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	if (fd >= 0 && is_refused(&kernel.maps_spared, &kernel.maps)) {
		errno = EPERM;
		return MAP_FAILED;
	}
	if (fd < 0 || !kernel.lends_ours)
		return (void *)syscall(SYS_mmap, at, n, prot, flags, fd,
				       offset);
	kernel.lent = (void *)syscall(SYS_mmap, NULL, n, prot,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	return kernel.lent;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	void *argument;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (kernel.request && request == kernel.request) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

static int next_descriptor(void)
{
	int next = dup(0);

	close(next);
	return next;
}

/* Another process, which waits to be ended, and ends with this one. */
static pid_t make_other(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void end_other(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static const char *const faults[] = { "page-faults", "minor-faults", NULL };
static const char *const clocks[] = { "task-clock", "cpu-clock", NULL };

/* Events of @pid and of what it makes, thread by thread. */
static struct slice *slice_by_thread(struct component *c, pid_t pid,
				     const char *const *names)
{
	struct slice *s = closed_slice(c, names);

	s->opt.target = TARGET_TASK;
	s->opt.tid = pid;
	s->opt.inherit = true;
	s->opt.per_thread = true;
	return s;
}

TEST(test_no_buffer_to_tell_threads_apart)
{
	struct component *c = *state;
	int before = next_descriptor();
	struct slice *s;
	pid_t pid;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, faults);
	pid = make_other();
	s = slice_by_thread(c, pid, faults);
	kernel.maps = MANY;
	assert_int_equal(slice_open(s), PAPI_EPERM);
	assert_non_null(strstr(s->diag.text, "ulimit -l"));
	assert_int_equal(next_descriptor(), before);
	kernel.maps = 2; /* the smallest is lent */
	assert_int_equal(slice_open(s), 0);
	assert_int_equal(kernel.maps, 0);
	slice_free(s);
	assert_int_equal(next_descriptor(), before);
	end_other(pid);
}

/* Write a record of @n words after the header into a buffer of the slice. */
static void put_record(void *page, uint32_t type, const uint64_t *words,
		       size_t n)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *head = page;
	struct perf_event_header header = {
		.type = type,
		.size = (uint16_t)((n + 1) * sizeof(*words)),
	};
	char *to = (char *)page + bytes + head->data_head;

	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), words, n * sizeof(*words));
	head->data_head += header.size;
}

static int ignore_thread(const struct thread_counts *t, void *data)
{
	(void)t;
	++*(int *)data;
	return 0;
}

TEST(test_records_that_are_not_what_they_should_be)
{
	static const uint64_t words[5] = { 1, 7 };
	static const struct {
		int line;
		uint32_t type;
		int code;
		const char *why;
	} rows[] = {
		{ __LINE__, PERF_RECORD_LOST, PAPI_ECLOST,
		  "more threads ended at the same time than fit" },
		{ __LINE__, PERF_RECORD_FORK, PAPI_ENOSUPP,
		  "this kernel does not report a thread" },
		{ __LINE__, PERF_RECORD_EXIT, 0, "" },
	};
	struct component *c = *state;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, faults);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid_t pid = make_other();
		struct slice *s = slice_by_thread(c, pid, faults + 1);
		struct count counts[2];
		int threads = 0;

		kernel.lends_ours = true;
		if (slice_open(s))
			fail_msg("%s", s->diag.text);
		kernel.lends_ours = false;
		assert_int_equal(slice_start(s, counts), 0);
		put_record(kernel.lent, rows[i].type, words, 5);
		assert_int_equal(slice_stop(s, counts), 0);
		CHECK_AT(rows[i].line,
			 c->ops->threads(s, ignore_thread, &threads) ==
				 rows[i].code);
		CHECK_AT(rows[i].line, strstr(s->diag.text, rows[i].why));
		CHECK_AT(rows[i].line, threads == (rows[i].code == 0));
		slice_free(s);
		end_other(pid);
	}
}

/* A recorder of two events of another process. */
static struct slice *slice_to_record(struct component *c, pid_t pid)
{
	struct slice *s = closed_slice(c, clocks);

	s->opt.target = TARGET_TASK;
	s->opt.tid = pid;
	s->opt.inherit = true;
	s->opt.on_exec = true;
	s->thresholds[0] = s->thresholds[1] = 1000000;
	return s;
}

TEST(test_a_recorder_that_gets_no_buffer)
{
	struct component *c = *state;
	int before = next_descriptor();
	struct slice *s;
	pid_t pid;

	SKIP_IF_DISABLED(c);
	pid = make_other();
	s = slice_to_record(c, pid);
	kernel.maps = MANY;
	assert_int_equal(c->ops->recorder->open(s), PAPI_ESYS);
	kernel.maps = 0;
	assert_non_null(strstr(s->diag.text, "no room for samples"));
	assert_int_equal(next_descriptor(), before);
	kernel.request = PERF_EVENT_IOC_SET_OUTPUT;
	assert_int_equal(c->ops->recorder->open(s), PAPI_ECNFLCT);
	kernel.request = 0;
	assert_non_null(strstr(s->diag.text, "together with the others"));
	assert_int_equal(next_descriptor(), before);
	kernel.error = ENODEV; /* as of a CPU that is offline */
	kernel.opens = MANY;
	assert_int_equal(c->ops->recorder->open(s), PAPI_ESYS);
	kernel.opens = 0;
	assert_string_equal(s->diag.text, "no CPU can be sampled");
	kernel.maps = 3; /* smaller ones are lent */
	assert_int_equal(c->ops->recorder->open(s), 0);
	assert_int_equal(kernel.maps, 0);
	c->ops->recorder->close(s);
	slice_free(s);
	assert_int_equal(next_descriptor(), before);
	end_other(pid);
}

static void ignore_overflow(struct slice *s, uint64_t which, void *address,
			    void *context)
{
	(void)s;
	(void)which;
	(void)address;
	(void)context;
}

TEST(test_counters_that_are_not_switched_on)
{
	struct component *c = *state;
	struct count counts[2];
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, faults);
	s = closed_slice(c, faults);
	s->thresholds[1] = 1000000000;
	s->on_overflow = ignore_overflow;
	if (slice_open(s))
		fail_msg("%s", s->diag.text);
	/* it stays armed, so the next time it is only switched on */
	assert_int_equal(slice_start(s, counts), 0);
	assert_int_equal(slice_stop(s, counts), 0);
	kernel.request = PERF_EVENT_IOC_ENABLE;
	assert_int_equal(slice_start(s, counts), PAPI_EINVAL);
	kernel.request = 0;
	assert_string_equal(s->diag.text, "the counters cannot be enabled");
	assert_int_equal(slice_start(s, counts), 0);
	touch_fresh_pages();
	assert_int_equal(slice_stop(s, counts), 0);
	assert_true(counts[0].value >= PAGES);
	slice_free(s);
}

/*
 * What is read often is read without calls, if the kernel lends what it takes;
 * if not, it is read as ever, and right.
 */
enum help {
	NOT_OPENED,
	WITHOUT,
	WITH
};

static enum help read_often(struct component *c, bool inherit)
{
	static const struct count zero[2];
	struct slice *s = closed_slice(c, faults);
	int before = next_descriptor();
	struct count counts[2];
	struct pe_slice *ps;
	long long values[2];
	enum help help;

	s->opt.inherit = inherit;
	if (slice_open(s)) {
		slice_free(s);
		assert_int_equal(next_descriptor(), before);
		return NOT_OPENED;
	}
	ps = s->priv;
	assert_int_equal(slice_start(s, counts), 0);
	for (int i = 0; i < OFTEN; i++)
		assert_true(c->ops->read_plain(s, zero, values));
	help = ps->tally ? WITH : WITHOUT;
	touch_fresh_pages();
	assert_true(c->ops->read_plain(s, zero, values));
	assert_true(values[0] >= PAGES);
	assert_int_equal(slice_stop(s, counts), 0);
	assert_true(counts[0].value >= (uint64_t)values[0]);
	slice_free(s);
	assert_int_equal(next_descriptor(), before);
	return help;
}

TEST(test_what_is_read_often_without_a_buffer)
{
	struct component *c = *state;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, faults);
	SKIP_IF_DISTORTED();
	kernel.maps = MANY;
	assert_int_equal(read_often(c, false), WITHOUT);
	kernel.maps = MANY; /* not even to watch for children */
	assert_int_equal(read_often(c, true), WITHOUT);
	kernel.maps = MANY; /* not to count beside those */
	kernel.maps_spared = 1;
	assert_int_equal(read_often(c, true), WITHOUT);
	kernel.maps = 0;
}

TEST(test_what_is_read_often_without_more_events)
{
	struct component *c = *state;
	int without = 0;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, faults);
	SKIP_IF_DISTORTED();
	kernel.error = EMFILE;
	/* of who watches for children, the events, and who counts beside */
	for (int i = 0; i < 20; i++) {
		kernel.opens = 1 + i % 2; /* also for one that is tried twice */
		kernel.opens_spared = i / 2;
		without += read_often(c, true) == WITHOUT;
	}
	kernel.opens = 0;
	assert_true(without >= 3);
}

RUN_ALL_TESTS_WITH(setup_component, free_component)
