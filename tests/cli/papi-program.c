/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as PAPI's users write them. papi-program.sh compiles it with the
 * installed papi.h, links it with the installed libpapi, and runs it on ours
 * without compiling it again.
 */
#include <linux/perf_event.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failed;

static void check(int holds, int line, const char *what)
{
	if (holds)
		return;
	printf("line %d: %s\n", line, what);
	failed = 1;
}

#define CHECK(condition) check(condition, __LINE__, #condition)

/* Whether the kernel gives us a hardware counter, asked without PAPI. */
static int has_pmu(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.exclude_kernel = 1 };
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

/* Touch @n fresh pages: as many page faults. */
static void touch_pages(size_t n)
{
	size_t bytes = n * 4096;
	volatile char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	madvise((void *)pages, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += 4096)
		pages[i] = 1;
	munmap((void *)pages, bytes);
}

static void check_counting(void)
{
	int set = PAPI_NULL, codes[2], n = 2, state = 0;
	long long values[2] = { 0, 0 }, sum[2] = { 0, 0 };

	CHECK(PAPI_create_eventset(&set) == PAPI_OK);
	CHECK(PAPI_add_named_event(set, "perf::PAGE-FAULTS") == PAPI_OK);
	CHECK(PAPI_add_named_event(set, "perf::TASK-CLOCK") == PAPI_OK);
	CHECK(PAPI_list_events(set, codes, &n) == PAPI_OK && n == 2);
	CHECK(PAPI_start(set) == PAPI_OK);
	touch_pages(100);
	CHECK(PAPI_accum(set, sum) == PAPI_OK);
	touch_pages(50);
	CHECK(PAPI_stop(set, values) == PAPI_OK);
	CHECK(sum[0] >= 100 && sum[0] < 110);
	CHECK(values[0] >= 50 && values[0] < 60);
	CHECK(sum[1] > 0 && values[1] > 0);
	CHECK(PAPI_state(set, &state) == PAPI_OK && state == PAPI_STOPPED);
	CHECK(PAPI_cleanup_eventset(set) == PAPI_OK);
	CHECK(PAPI_destroy_eventset(&set) == PAPI_OK && set == PAPI_NULL);
}

static int calls;

static void handler(int set, void *address, long long which, void *context)
{
	(void)set;
	(void)context;
	calls += address && which == 1;
}

/* One call for every millisecond that the thread runs, but for the kernel. */
static void check_overflow(void)
{
	volatile unsigned work = 0;
	int set = PAPI_NULL, code = 0;
	long long ns = 0;

	CHECK(PAPI_create_eventset(&set) == PAPI_OK);
	CHECK(PAPI_event_name_to_code("perf::TASK-CLOCK", &code) == PAPI_OK);
	CHECK(PAPI_add_event(set, code) == PAPI_OK);
	CHECK(PAPI_overflow(set, code, 1000000, 0, handler) == PAPI_OK);
	CHECK(PAPI_start(set) == PAPI_OK);
	while (PAPI_read(set, &ns) == PAPI_OK && ns < 50000000)
		for (int i = 0; i < 1000000; i++)
			work++;
	CHECK(PAPI_stop(set, &ns) == PAPI_OK);
	CHECK(calls > 10 && calls <= ns / 1000000 + 1);
	CHECK(PAPI_overflow(set, code, 0, 0, handler) == PAPI_OK);
	CHECK(PAPI_cleanup_eventset(set) == PAPI_OK);
	CHECK(PAPI_destroy_eventset(&set) == PAPI_OK);
}

static void check_descriptions(void)
{
	const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
	const PAPI_component_info_t *first = PAPI_get_component_info(0);
	PAPI_event_info_t info;
	PAPI_dmem_info_t memory;
	char name[PAPI_MAX_STR_LEN];

	CHECK(hw && hw->totalcpus >= 1 && hw->vendor_string[0]);
	CHECK(hw && hw->mem_hierarchy.levels >= 0);
	CHECK(first && strcmp(first->name, "perf_event") == 0);
	CHECK(first && first->CmpIdx == 0 && !first->disabled);
	CHECK(PAPI_get_event_info(PAPI_TOT_INS, &info) == PAPI_OK);
	CHECK(strcmp(info.symbol, "PAPI_TOT_INS") == 0);
	CHECK(info.event_code == (unsigned)PAPI_TOT_INS);
	CHECK(PAPI_event_code_to_name(PAPI_L1_DCM, name) == PAPI_OK);
	CHECK(strcmp(name, "PAPI_L1_DCM") == 0);
	CHECK(PAPI_get_dmem_info(&memory) == PAPI_OK);
	CHECK(memory.pagesize == sysconf(_SC_PAGESIZE));
	CHECK(memory.resident > 0 && memory.resident <= memory.size);
	CHECK(PAPI_strerror(PAPI_ENOEVNT) != NULL);
}

int main(void)
{
	CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	check_counting();
	check_overflow();
	check_descriptions();
	CHECK((PAPI_query_event(PAPI_TOT_CYC) == PAPI_OK) == has_pmu());
	PAPI_shutdown();
	puts(failed ? "FAILED" : "everything holds");
	return failed;
}
