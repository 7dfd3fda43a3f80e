/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections of the process, of a thread, or both, one inside the other:
 * sections process|thread|both. What came of it is in the file that libhpm
 * writes.
 */
#include <hpm.h>
#include <string.h>

static volatile double sum;

static void work(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "both";
	int process = strcmp(kind, "thread") != 0;
	int thread = strcmp(kind, "process") != 0;

	hpmInit(0, "sections");
	for (int i = 0; i < 3; i++) {
		if (process)
			hpmStart(1, "process");
		work(200000);
		if (thread)
			hpmTstart(2, "thread");
		work(400000);
		if (thread)
			hpmTstop(2);
		if (process)
			hpmStop(1);
	}
	hpmTerminate(0);
	return 0;
}
