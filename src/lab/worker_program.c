/* SPDX-License-Identifier: BSD-3-Clause */
/* libexec/kernels. */
#include "lab/worker.h"

int main(int argc, char **argv)
{
	return worker_main(argc, argv);
}
