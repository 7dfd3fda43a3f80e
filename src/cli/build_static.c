/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The build that is one file and needs no other: all that it leaves out is
 * here and in view/serve_none.c. It has no server of pages, because
 * libmicrohttpd's archive wants others that do not exist as archives. It loads
 * no libraries: they would bring a second libc along, which may be of another
 * version and crash.
 */
#include "console/build.h"

#include "base/loading.h"
#include "lab/worker.h"

const char *build_kind(void)
{
	return " (static)";
}

const char *build_lacks(void)
{
	return "the static assay comes without the simulated PMU, pages served "
	       "to a browser, NVIDIA GPUs and names of C++ functions: for "
	       "these install the package assay";
}

build_program *build_kernels(void)
{
	return worker_main;
}

/* In place of the empty answer in base/loading.c. */

const char *loading_refused(void)
{
	return "the static assay cannot load libraries: install the package "
	       "assay";
}
