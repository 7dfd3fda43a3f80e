/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the tests of the emulated machine: guest pmu|no-pmu [NAME...]. Or says
 * what it is: guest capture PATTERN...
 */
#include "tests/vm/guest.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"

#if defined(__aarch64__)
/* Assembly, because the number of instructions has to be exact. */
__asm__(".text\n"
	".balign 64\n"
	".global guest_loop, guest_loop_begin, guest_loop_end\n"
	"guest_loop:\n"
	"guest_loop_begin:\n"
	"	subs x0, x0, #1\n"
	"	b.ne guest_loop\n"
	"guest_loop_end:\n"
	"	ret\n");
#else
const char guest_loop_begin[1], guest_loop_end[1];
void guest_loop(uint64_t n)
{
	(void)n;
}
#endif

void guest_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("     %s:%d: ", file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	_exit(1);
}

void guest_init(void)
{
	EXPECT(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
}

int guest_set(const char *const *names)
{
	int set = PAPI_NULL;

	EXPECT(PAPI_OK, PAPI_create_eventset(&set));
	for (; *names; names++) {
		int err = PAPI_add_named_event(set, *names);

		CHECK(err == PAPI_OK, "adding %s gives %d: %s", *names, err,
		      assay_error());
	}
	return set;
}

void guest_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0, "cannot open %s", path);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text),
	      "cannot write %s to %s", text, path);
	close(fd);
}

/* In a child, so that each test has a fresh library and cannot hurt others. */
static bool passes(const struct guest_test *test)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		alarm(120);
		test->run();
		fflush(stdout);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	if (WIFSIGNALED(status))
		printf("     ended by signal %d\n", WTERMSIG(status));
	return status == 0;
}

static bool is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc <= 2;
}

int main(int argc, char **argv)
{
	const struct guest_test *const tables[] = {
		counts_tests, multiplex_tests, overflow_tests,
		tasks_tests,  record_tests,    refusals_tests
	};
	bool no_pmu = argc > 1 && !strcmp(argv[1], "no-pmu");
	int run = 0, failed = 0;

	if (argc > 1 && !strcmp(argv[1], "loop")) { /* for guest_record.c */
		guest_loop(5000000);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "capture"))
		return guest_capture(argc - 2, argv + 2);
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		const struct guest_test *test = tables[t];

		for (; test->name; test++) {
			bool ok;

			if (test->no_pmu != no_pmu ||
			    !is_wanted(test->name, argc, argv))
				continue;
			run++;
			ok = passes(test);
			failed += !ok;
			printf("%s %s\n", ok ? "ok  " : "FAIL", test->name);
		}
	}
	printf("%d run, %d failed\n", run, failed);
	if (run == 0)
		return 2;
	return failed > 0;
}
