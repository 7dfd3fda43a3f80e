/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where machines are kept: a directory with a JSON file for each that was
 * measured or imported, as `assay machine -o FILE.json` writes it, and in the
 * user's own directory a file of constants beside each, which formulas and
 * models find by themselves. A directory of files can be copied, sent and kept
 * in a repository.
 */
#ifndef MACHINE_STORE_H
#define MACHINE_STORE_H

#include "base/err.h"
#include "machine/machine.h"

/* The file of constants of machine @name in the user's own directory, or NULL.
 */
char *machine_store_constants(const char *name);

/*
 * Keep @m under its name in @folder (NULL: the user's own), in place of one of
 * that name. All or nothing.
 */
int machine_store_save(const char *folder, const struct machine *m,
		       struct diag *diag);

/* PAPI_ENOEVNT if there is none of that name. */
int machine_store_load(const char *folder, const char *name, struct machine *m,
		       struct diag *diag);

/*
 * Called for each machine, by name. PAPI_ENOEVNT if there is none; a damaged
 * file is an error that names it.
 */
typedef int (*machine_store_fn)(void *context, const struct machine *m);
int machine_store_list(const char *folder, machine_store_fn each, void *context,
		       struct diag *diag);

#endif /* MACHINE_STORE_H */
