/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program one of whose tasks dies: mpi_dying after|abort. */
#include <hpm.h>
#include <mpi.h>
#include <signal.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	hpmInit(rank, "dying");
	hpmTstart(1, "section");
	hpmTstop(1);
	if (rank == 3 && strcmp(argv[1], "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 9);
	MPI_Barrier(MPI_COMM_WORLD);
	hpmTerminate(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 3)
		raise(SIGKILL);
	MPI_Finalize();
	return 0;
}
