/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * assay's own libpapi.so.7.0, 7.1 and 7.2, for programs that are linked with
 * PAPI: they lie beside a real libpapi and are found by nobody who does not
 * ask.
 */
#ifndef PROCESS_DROPIN_H
#define PROCESS_DROPIN_H

#include "console/console.h"

/*
 * Have the dynamic linker look there first, in this process's environment, and
 * note which libpapi @program gets, if it is linked with one.
 */
void dropin_use(const struct console *console, const char *program);

#endif /* PROCESS_DROPIN_H */
