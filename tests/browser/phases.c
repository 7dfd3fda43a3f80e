/* SPDX-License-Identifier: BSD-3-Clause */
/* Two phases in turn, each a section, until there is a file: phases FILE */
#include <hpm.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void rest(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

/* Page faults, some hundreds a second. */
static void touch(void)
{
	volatile char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*p = 1;
	munmap((void *)p, 4096);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	alarm(600); /* nobody may be left to make the file */
	hpmInit(0, "phases");
	while (access(argv[1], F_OK)) {
		double until = now() + 0.5;

		hpmStart(1, "touch memory");
		for (; now() < until; rest())
			touch();
		hpmStop(1);
		hpmStart(2, "rest");
		for (until = now() + 0.5; now() < until;)
			rest();
		hpmStop(2);
	}
	hpmTerminate(0);
	return 0;
}
