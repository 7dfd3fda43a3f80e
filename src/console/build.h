/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this build of the command has and lacks. There are two: the usual one
 * (build_whole.c), and one that is linked statically and comes alone, for a
 * container with nothing in it (build_static.c).
 */
#pragma once

/* " (static)" for --version, or "". */
const char *build_kind(void);

/* What is left out, and where to get it, as a sentence; NULL: nothing is. */
const char *build_lacks(void);

/*
 * The program that runs kernels (lab/worker.h), if it is inside this one: the
 * command then becomes it when it is called "kernels". Else NULL.
 */
typedef int build_program(int argc, char **argv);
build_program *build_kernels(void);
