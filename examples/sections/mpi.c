/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of MPI: each has its sections, and the higher its rank the more work.
 * Linked with libhpm alone, every task leaves a file; with libhpm_mpi there is
 * one for all of them.
 */
#include <hpm.h>
#include <mpi.h>
#include <stdio.h>

static double work(int n)
{
	double sum = 0;

	hpmTstart(2, "work");
	for (int i = 1; i <= n; i++)
		sum += 1.0 / i;
	hpmTstop(2);
	return sum;
}

int main(int argc, char **argv)
{
	double mine = 0, all = 0;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	hpmInit(rank, "mpi");
	hpmStart(1, "all");
	for (int step = 0; step <= rank; step++)
		mine += work(1000);
	if (rank == 3) { /* a section that one task alone has */
		hpmTstart(4, "only here");
		hpmTstop(4);
	}
	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	hpmStop(1);
	hpmTerminate(rank);
	if (rank == 0)
		printf("%.3f\n", all);
	MPI_Finalize();
	return 0;
}
