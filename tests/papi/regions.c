/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with regions. What it does is the first argument; regions.sh looks
 * at what it leaves behind.
 */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "line %d: %s\n", __LINE__,             \
				#condition);                                   \
			exit(1);                                               \
		}                                                              \
	} while (0)

/* Cause @n page faults: touch that many fresh pages. */
static void fault(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	CHECK(madvise(p, n * page, MADV_NOHUGEPAGE) == 0);
	for (size_t i = 0; i < n; i++)
		((volatile char *)p)[i * page] = 1;
	munmap(p, n * page);
}

static void nested(void)
{
	for (int i = 0; i < 3; i++) {
		CHECK(PAPI_hl_region_begin("outer") == PAPI_OK);
		fault(100);
		CHECK(PAPI_hl_region_begin("inner \"quoted\"\n") == PAPI_OK);
		fault(1000);
		CHECK(PAPI_hl_read("outer") == PAPI_OK);
		CHECK(PAPI_hl_region_end("inner \"quoted\"\n") == PAPI_OK);
		CHECK(PAPI_hl_region_end("outer") == PAPI_OK);
	}
	CHECK(PAPI_hl_region_end("outer") == PAPI_EINVAL);
	CHECK(PAPI_hl_region_begin(NULL) == PAPI_EINVAL);
	CHECK(PAPI_hl_region_begin("open for ever") == PAPI_OK);
	CHECK(PAPI_hl_stop() == PAPI_EISRUN);
}

static long peak_kb(void)
{
	struct rusage usage;

	CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
	return usage.ru_maxrss;
}

/* Memory does not grow with the number of visits. */
static void many(void)
{
	long before;

	for (int i = 0; i < 1000; i++) {
		CHECK(PAPI_hl_region_begin("visit") == PAPI_OK);
		CHECK(PAPI_hl_region_end("visit") == PAPI_OK);
	}
	before = peak_kb();
	for (int i = 0; i < 20000; i++) {
		CHECK(PAPI_hl_region_begin("visit") == PAPI_OK);
		CHECK(PAPI_hl_region_end("visit") == PAPI_OK);
	}
	CHECK(peak_kb() - before < 256);
}

static void *one_thread(void *arg)
{
	const char *name = arg;

	CHECK(PAPI_hl_region_begin("work") == PAPI_OK);
	CHECK(PAPI_hl_region_begin(name) == PAPI_OK);
	fault(200);
	CHECK(PAPI_hl_region_end(name) == PAPI_OK);
	CHECK(PAPI_hl_region_end("work") == PAPI_OK);
	return NULL;
}

static void threads(void)
{
	static char names[20][16];
	pthread_t ids[20];

	for (int i = 0; i < 20; i++) {
		snprintf(names[i], sizeof(names[i]), "thread %d", i);
		CHECK(pthread_create(&ids[i], NULL, one_thread, names[i]) == 0);
	}
	for (int i = 0; i < 20; i++)
		CHECK(pthread_join(ids[i], NULL) == 0);
}

/* A child that says nothing must not write its parent's regions. */
static void with_child(void)
{
	int status;
	pid_t pid;

	CHECK(PAPI_hl_region_begin("parent") == PAPI_OK);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		exit(0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(access("papi_hl_output", F_OK) != 0);
	CHECK(PAPI_hl_region_end("parent") == PAPI_OK);
}

/* Low-level calls between regions, and a shutdown in the middle. */
static void mixed(void)
{
	int set = PAPI_NULL;
	long long value;

	CHECK(PAPI_hl_stop() == PAPI_ENOEVNT);
	CHECK(PAPI_hl_region_begin("one") == PAPI_OK);
	CHECK(PAPI_hl_region_end("one") == PAPI_OK);
	CHECK(PAPI_hl_stop() == PAPI_OK);
	CHECK(access("papi_hl_output/rank_000000.json", F_OK) == 0);
	CHECK(PAPI_create_eventset(&set) == PAPI_OK);
	CHECK(PAPI_add_named_event(set, "perf::PAGE-FAULTS") == PAPI_OK);
	CHECK(PAPI_start(set) == PAPI_OK);
	CHECK(PAPI_hl_region_begin("two") == PAPI_OK);
	CHECK(PAPI_hl_region_end("two") == PAPI_OK);
	CHECK(PAPI_stop(set, &value) == PAPI_OK);
	PAPI_shutdown();
	CHECK(PAPI_hl_region_begin("three") == PAPI_OK);
	fault(10);
	CHECK(PAPI_hl_region_end("three") == PAPI_OK);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = { { "nested", nested },
		      { "many", many },
		      { "threads", threads },
		      { "child", with_child },
		      { "mixed", mixed } };

	CHECK(argc == 2);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcmp(argv[1], parts[i].name) == 0) {
			parts[i].run();
			return 0;
		}
	return 1;
}
