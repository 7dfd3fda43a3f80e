/* SPDX-License-Identifier: BSD-3-Clause */
/* The modelled kernel itself: what it refuses, and how it shares counters. */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/kernel/rig.h"

static int open_raw(struct perf_event_attr *attr, pid_t pid, int cpu,
		    int leader)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader, 0L);
}

static struct machine machine;

static void boot(const char *name)
{
	machine_open(&machine, mk_machine_find(name)->files);
	mk_boot(name, machine.root, 2);
	mk->privileged = true;
}

enum what {
	PLAIN,
	PRECISE,
	PRECISE_PERIOD,
	INHERITED_GROUP,
	NO_GUEST
};

static struct perf_event_attr attr_of(enum what what, uint32_t type,
				      uint64_t config)
{
	struct perf_event_attr a = { .type = type, .config = config };

	a.precise_ip = what == PRECISE || what == PRECISE_PERIOD ? 2 : 0;
	a.sample_period = what == PRECISE_PERIOD ? 100000 : 0;
	a.inherit = what == INHERITED_GROUP;
	a.read_format = what == INHERITED_GROUP ? PERF_FORMAT_GROUP : 0;
	a.exclude_guest = what == NO_GUEST;
	return a;
}

TEST(test_refusals)
{
	static const struct {
		int line;
		const char *machine;
		enum what what;
		uint32_t type;
		uint64_t config;
		int pid, cpu, error;
	} rows[] = {
		{ __LINE__, "skylake-sp", PLAIN, 0, 0, 0, -1, 0 },
		{ __LINE__, "skylake-sp", PRECISE, 0, 0, 0, -1, EINVAL },
		{ __LINE__, "skylake-sp", PRECISE_PERIOD, 0, 0, 0, -1, 0 },
		{ __LINE__, "skylake-sp", PLAIN, 0, 7, 0, -1, ENOENT },
		{ __LINE__, "skylake-sp", PLAIN, 0, 0, 0, 99, ENODEV },
		{ __LINE__, "skylake-sp", PLAIN, 0, 0, -1, -1, EINVAL },
		{ __LINE__, "skylake-sp-quiet", INHERITED_GROUP, 0, 0, 0, -1,
		  EINVAL },
		{ __LINE__, "skylake-sp", INHERITED_GROUP, 0, 0, 0, -1, 0 },
		{ __LINE__, "neoverse-n1", PRECISE, 0, 0, 0, -1, 0 },
		{ __LINE__, "alder-lake", PLAIN, 4, 0xc0, -1, 15, ENOENT },
		{ __LINE__, "alder-lake", PLAIN, 4, 0xc0, -1, 0, 0 },
		{ __LINE__, "alder-lake", PLAIN, 10, 0xc0, -1, 15, 0 },
		{ __LINE__, "alder-lake", PLAIN, 0, 10ULL << 32, 0, -1, 0 },
		{ __LINE__, "alder-lake", PLAIN, 0, 99ULL << 32, 0, -1,
		  ENOENT },
		{ __LINE__, "apple-m1", PLAIN, 0, 0, 0, -1, EOPNOTSUPP },
		{ __LINE__, "apple-m1", NO_GUEST, 0, 0, 0, -1, 0 },
		{ __LINE__, "zen5-mediated", PLAIN, 0, 0, 0, -1, EOPNOTSUPP },
		{ __LINE__, "zen5-mediated", NO_GUEST, 0, 0, 0, -1, 0 },
		{ __LINE__, "sapphire-rapids-2s", PLAIN, 12, 0x304, 0, -1,
		  EINVAL },
		{ __LINE__, "sapphire-rapids-2s", PLAIN, 12, 0x304, -1, 0, 0 },
		{ __LINE__, "sapphire-rapids-2s", PLAIN, 12, 0x304, -1, 1,
		  EINVAL },
		{ __LINE__, "sapphire-rapids-2s", NO_GUEST, 12, 0x304, -1, 0,
		  EINVAL },
		{ __LINE__, "sapphire-rapids-2s", PLAIN, 4, 0x8000, 0, -1,
		  EINVAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr a =
			attr_of(rows[i].what, rows[i].type, rows[i].config);
		int fd;

		boot(rows[i].machine);
		errno = 0;
		fd = open_raw(&a, rows[i].pid, rows[i].cpu, -1);
		CHECK_AT(rows[i].line, (fd < 0) == (rows[i].error != 0));
		CHECK_AT(rows[i].line, errno == rows[i].error);
		if (fd >= 0)
			close(fd);
		machine_close(&machine);
	}
}

TEST(test_permissions)
{
	static const struct {
		int line, paranoid;
		bool kernel, cpu;
		int error;
	} rows[] = {
		{ __LINE__, 3, false, false, EACCES },
		{ __LINE__, 2, false, false, 0 },
		{ __LINE__, 2, true, false, EACCES },
		{ __LINE__, 1, true, false, 0 },
		{ __LINE__, 1, false, true, EACCES },
		{ __LINE__, 0, true, true, 0 },
	};

	boot("zen3");
	mk->privileged = false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr a = { .exclude_kernel =
						     !rows[i].kernel };
		int fd;

		mk->paranoid = rows[i].paranoid;
		errno = 0;
		fd = open_raw(&a, rows[i].cpu ? -1 : 0, rows[i].cpu ? 0 : -1,
			      -1);
		CHECK_AT(rows[i].line, errno == rows[i].error);
		if (fd >= 0)
			close(fd);
	}
	machine_close(&machine);
}

/* How many events the kernel lets into a group of @config. */
static int group_size(uint32_t type, const uint64_t *configs, int n)
{
	int fds[16], opened = 0;

	for (; opened < n; opened++) {
		struct perf_event_attr a = { .type = type,
					     .config = configs[opened] };

		fds[opened] = open_raw(&a, 0, -1, opened ? fds[0] : -1);
		if (fds[opened] < 0)
			break;
	}
	for (int i = opened - 1; i >= 0; i--)
		close(fds[i]);
	return opened;
}

TEST(test_counters)
{
	static const uint64_t five[] = { 0xc7, 0x1c7, 0x2c7, 0x4c7, 0x8c7 };
	static const uint64_t fixed[] = { 0xc0,  0x3c,  0x300, 0xc7,
					  0x1c7, 0x2c7, 0x4c7, 0x8c7 };
	static const uint64_t same_pmc[] = { 0x16080, 0x16880 };
	static const uint64_t two_pmcs[] = { 0x16080, 0x26880 };
	static const uint64_t one_counter[] = { 0x148, 0x248 };
	static const uint64_t metrics[] = { 0x400,  0x8000, 0x8100, 0x8200,
					    0x8300, 0xc7,   0x1c7,  0x2c7,
					    0x4c7,  0x8c7,  0x10c7, 0x20c7,
					    0x40c7, 0x80c7 };

	boot("skylake-sp");
	assert_int_equal(group_size(4, five, 5), 4);
	assert_int_equal(group_size(4, fixed, 8), 7);
	assert_int_equal(group_size(4, one_counter, 2), 1);
	machine_close(&machine);
	boot("skylake-sp-no-ht");
	assert_int_equal(group_size(4, five, 5), 5);
	machine_close(&machine);
	boot("power9");
	assert_int_equal(group_size(4, same_pmc, 2), 1);
	assert_int_equal(group_size(4, two_pmcs, 2), 2);
	machine_close(&machine);
	boot("sapphire-rapids-2s");
	assert_int_equal(group_size(4, metrics, 14), 13);
	machine_close(&machine);
}

TEST(test_events_take_turns)
{
	int fds[12];

	boot("zen4-2s"); /* the watchdog has one counter of six */
	for (int i = 0; i < 10; i++) {
		struct perf_event_attr a = {
			.type = 4,
			.config = 0x110 + (uint64_t)i, /* none that needs two */
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
		};

		fds[i] = open_raw(&a, 0, -1, -1);
		assert_true(fds[i] >= 0);
	}
	mk_work(400 * MS);
	for (int i = 0; i < 10; i++) {
		uint64_t got[3];

		assert_int_equal(read(fds[i], got, sizeof(got)), sizeof(got));
		assert_true(got[1] >= 400 * MS);
		assert_true(got[2] > 190 * MS && got[2] < 210 * MS);
		close(fds[i]);
	}
	machine_close(&machine);
}

TEST(test_memory_that_may_be_locked)
{
	struct perf_event_attr a = { 0 };
	struct perf_event_attr inherited = { .inherit = 1 };
	size_t page = 4096;
	void *at;
	int fd;

	boot("zen3");
	fd = open_raw(&a, 0, -1, -1);
	assert_true(mmap(NULL, 3 * page + 5, PROT_READ, MAP_SHARED, fd, 0) ==
		    MAP_FAILED);
	assert_true(mmap(NULL, 4 * page, PROT_READ, MAP_SHARED, fd, 0) ==
		    MAP_FAILED);
	mk->privileged = false;
	mk->max_locked_pages = 4;
	assert_true(mmap(NULL, 5 * page, PROT_READ, MAP_SHARED, fd, 0) ==
		    MAP_FAILED);
	assert_int_equal(errno, EPERM);
	at = mmap(NULL, 3 * page, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(at != MAP_FAILED);
	munmap(at, 3 * page);
	close(fd);
	mk->privileged = true;
	fd = open_raw(&inherited, 0, -1, -1);
	assert_true(mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0) ==
		    MAP_FAILED);
	close(fd);
	machine_close(&machine);
}

/* Counts while throttled are lost, and records say so. */
TEST(test_throttling)
{
	struct perf_event_attr a = { .sample_period = 1000,
				     .sample_type = PERF_SAMPLE_IP };
	struct perf_event_mmap_page *ring;
	uint64_t value;
	int fd;

	boot("zen3");
	fd = open_raw(&a, 0, -1, -1);
	ring = mmap(NULL, 65 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true((void *)ring != MAP_FAILED);
	mk_work(10 * MS);
	assert_int_equal(read(fd, &value, sizeof(value)), sizeof(value));
	assert_true(value < 10 * MS); /* 20 million cycles went by */
	assert_true(ring->data_head > 0);
	munmap(ring, 65 * 4096);
	close(fd);
	machine_close(&machine);
}

RUN_ALL_TESTS
