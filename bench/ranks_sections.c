/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections of an MPI program, and what MPI_Finalize() takes: ranks_sections
 * SECTIONS FILE. Each task adds a line to FILE: CPU seconds, seconds, and by
 * how many KB its memory grew.
 */
#include <fcntl.h>
#include <hpm.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A row of /proc/self/status, in KB. */
static long memory(const char *name)
{
	FILE *from = fopen("/proc/self/status", "r");
	char line[256];
	long value = -1;

	while (from && fgets(line, sizeof(line), from))
		if (strncmp(line, name, strlen(name)) == 0)
			value = atol(line + strlen(name));
	if (from)
		fclose(from);
	return value;
}

/* What is most from now on, not since the start. */
static void forget_peak(void)
{
	FILE *to = fopen("/proc/self/clear_refs", "w");

	if (to) {
		fputs("5", to);
		fclose(to);
	}
}

int main(int argc, char **argv)
{
	int rank, sections = atoi(argv[1]);
	double cpu, wall;
	char line[128];
	long before;
	int fd;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	hpmInit(rank, "ranks");
	for (int i = 1; i <= sections; i++) {
		snprintf(line, sizeof(line), "section %d", i);
		hpmStart(i, line);
		hpmStop(i);
	}
	hpmTerminate(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	forget_peak();
	before = memory("VmRSS:");
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	wall = seconds(CLOCK_MONOTONIC);
	MPI_Finalize();
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	snprintf(line, sizeof(line), "%d %.6f %.6f %ld\n", rank, cpu, wall,
		 memory("VmHWM:") - before);
	fd = open(argv[2], O_WRONLY | O_APPEND | O_CREAT, 0666);
	return fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line);
}
