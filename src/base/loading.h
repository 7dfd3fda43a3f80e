/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether this program can load libraries while it runs. */
#pragma once

/*
 * Why no library can be loaded at all, as a sentence; NULL: one that is there
 * can. A program that is linked statically says so by a definition of its own.
 */
const char *loading_refused(void);
