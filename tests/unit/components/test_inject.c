/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library that the driver loads into a program, in a process of its own
 * each time: it counts, or says on stderr that it does not and why; and the
 * program, which knows nothing of it, goes on in any case.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fs.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

#define WORK 42
#define MOST                                                                   \
	2000 /* more allocations than it makes in a library that is open       \
	      */
#define NOT "assay: the GPU is not counted: "

int InitializeInjection(void);

static char folder[] = "/tmp/assay-inject-XXXXXX";
static char control[64], heard[64];

/* What is to be called at the end of the program is called by the test. */
static void (*at_end)(void);
static bool no_more_ends;

int atexit(void (*fn)(void))
{
	if (no_more_ends)
		return -1;
	at_end = fn;
	return 0;
}

struct program {
	const char *events; /* what the command asks for */
	const char *fake;   /* FAKE_GPU */
	const char *libraries;
	long refuses; /* the allocation that fails; 0: none */
	bool gone;    /* the command has gone, and its file too */
	bool forgets; /* it goes meanwhile */
	bool has_no_ends;
};

static void *find(const char *name)
{
	void *library = dlopen(FAKE_GPU_LIBRARIES "/libcuda.so.1", RTLD_NOW);

	return library ? dlsym(library, name) : NULL;
}

/* The program: it works on a GPU. Ends with 1 if an allocation failed. */
static void run_program(const struct program *p)
{
	int (*retain)(void **, int);
	int (*current)(void **);
	void (*work)(int, uint64_t);
	void *context;

	setenv("ASSAY_CUDA_CONTROL", control, 1);
	setenv("ASSAY_CUDA_LIBRARIES",
	       p->libraries ? p->libraries : FAKE_GPU_LIBRARIES, 1);
	setenv("FAKE_GPU", p->fake ? p->fake : "", 1);
	if (!freopen(heard, "w", stderr))
		_exit(2);
	*(void **)&retain = find("cuDevicePrimaryCtxRetain");
	*(void **)&work = find("fake_work");
	*(void **)&current = find("cuCtxGetCurrent");
	current(&context); /* has data of the thread's, for the loader */
	if (p->gone)
		unlink(control);
	no_more_ends = p->has_no_ends;
	refuse_nth(p->refuses);
	if (InitializeInjection() != 1)
		_exit(2);
	if (retain(&context, 0))
		_exit(2);
	work(0, WORK);
	if (p->forgets)
		unlink(control);
	if (at_end)
		at_end();
	refuse_countdown = 0;
	exit(refused);
}

static char *read_file(const char *name)
{
	struct fs here = { .root = folder };
	char *text = fs_read(&here, name);

	return text ? text : strdup("");
}

/*
 * Run it. True if its work was counted: then there is a line with it and not
 * a word; *@said is what it said, to be freed.
 */
static bool is_counted(const struct program *p, char **said, int *status)
{
	FILE *file = fopen(control, "w");
	char want[32], *text;
	bool counted;
	pid_t pid;

	assert_non_null(file);
	fputs(p->events ? p->events : "event fake__work\n", file);
	fclose(file);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		run_program(p);
	assert_int_equal(waitpid(pid, status, 0), pid);
	if (!WIFEXITED(*status) || WEXITSTATUS(*status) > 1)
		fail_msg("%ld: status %d, %s", p->refuses, *status,
			 read_file("heard"));
	text = read_file("control");
	snprintf(want, sizeof(want), " %d", WORK);
	counted = strstr(text, "\ncounts ") && strstr(text, want);
	free(text);
	*said = read_file("heard");
	return counted;
}

static void test_it_counts_or_says_why(void **state)
{
	static const struct {
		int line;
		struct program program;
		bool counted;
		const char *says; /* after NOT; NULL: nothing */
	} rows[] = {
		{ __LINE__, { 0 }, true, NULL },
		{ __LINE__,
		  { .events = "event fake__work:device=0\n" },
		  true,
		  NULL },
		/* the program uses another one: that is no mistake */
		{ __LINE__,
		  { .events = "event fake__work:device=1\n", .fake = "two" },
		  false,
		  NULL },
		{ __LINE__, { .events = "\n" }, false, NULL },
		{ __LINE__, { .gone = true }, false, NULL },
		{ __LINE__,
		  { .events = "event fake__work.most\n" },
		  false,
		  "fake__work has no suffix '.most'" },
		{ __LINE__,
		  { .libraries = "/nowhere" },
		  false,
		  "NVIDIA's driver library libcuda.so.1 cannot be loaded" },
		{ __LINE__, { .fake = "cuptiSubscribe" }, false, "" },
		{ __LINE__, { .fake = "cuptiEnableCallback" }, false, "" },
		{ __LINE__,
		  { .fake = "cuptiRangeProfilerStart" },
		  false,
		  "the GPU's counters do not start" },
		{ __LINE__,
		  { .fake = "cuptiRangeProfilerStop" },
		  false,
		  "A system call failed" },
		{ __LINE__, { .forgets = true }, false, "cannot write to" },
		{ __LINE__,
		  { .has_no_ends = true },
		  false,
		  "no more exit functions can be registered" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool counted;
		char *said;
		int status;

		counted = is_counted(&rows[i].program, &said, &status);
		CHECK_AT(rows[i].line, counted == rows[i].counted);
		CHECK_AT(rows[i].line, (rows[i].says != NULL) == (*said != 0));
		if (rows[i].says &&
		    (!strstr(said, NOT) || !strstr(said, rows[i].says)))
			fail_msg("row at line %d: %s", rows[i].line, said);
		free(said);
	}
}

/* Run it with an allocation refused: it is counted, or said not to be. */
static bool is_refused(long n)
{
	struct program p = { .refuses = n };
	bool counted;
	int status;
	char *said;

	counted = is_counted(&p, &said, &status);
	if (!counted && !strstr(said, NOT))
		fail_msg("%ld: %s", n, said);
	free(said);
	return WEXITSTATUS(status) == 1;
}

static void test_no_memory(void **state)
{
	int code = PAPI_NULL;
	long n = 1;

	(void)state;
	if (!REFUSE_WORKS)
		skip();
	/* first as it opens what counts, which takes many; then after that */
	for (n = 1; n < 20; n++)
		assert_true(is_refused(n));
	setenv("ASSAY_CUDA_LIBRARIES", FAKE_GPU_LIBRARIES, 1);
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	assert_int_equal(
		PAPI_event_name_to_code("cuda::fake__work:device=0", &code),
		PAPI_OK);
	for (n = 1; n < MOST && is_refused(n); n++)
		;
	assert_in_range(n, 10, MOST - 1);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(control, sizeof(control), "%s/control", folder);
	snprintf(heard, sizeof(heard), "%s/heard", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(control);
	unlink(heard);
	return rmdir(folder);
}

/*
 * Symbols are looked up as a library is loaded: the loader ends a program that
 * has no memory for it later.
 */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_counts_or_says_why),
		cmocka_unit_test(test_no_memory),
	};

	(void)argc;
	if (!getenv("LD_BIND_NOW")) {
		setenv("LD_BIND_NOW", "1", 1);
		execv("/proc/self/exe", argv);
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
