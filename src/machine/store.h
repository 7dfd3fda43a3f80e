/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where machines are kept: a small database of all that were measured or
 * imported, and beside it a file of constants for each that formulas and
 * models find by themselves.
 *
 * A database of another program, of a newer assay, or one that is damaged is
 * refused with a sentence and never written to.
 */
#ifndef MACHINE_STORE_H
#define MACHINE_STORE_H

#include "base/err.h"
#include "machine/machine.h"

/* $XDG_DATA_HOME/assay/@name, or below ~/.local/share; NULL: no home. */
char *machine_store_path(const char *name);

/* The file of constants of machine @name, in the same place. */
char *machine_store_file(const char *name);

struct machine_db;

/*
 * Open @path (NULL: the user's own). With @write it is made if it is not
 * there; without, that is PAPI_ENOEVNT. Other errors: PAPI_EINVAL (not ours,
 * or newer), PAPI_ESYS, PAPI_ENOSUPP (built without SQLite).
 */
int machine_db_open(const char *path, bool write, struct machine_db **out,
		    struct diag *diag);
void machine_db_close(struct machine_db *db);

/* Keep @m under its name, in place of one of that name. All or nothing. */
int machine_db_save(struct machine_db *db, const struct machine *m,
		    struct diag *diag);

/* PAPI_ENOEVNT if there is none of that name. */
int machine_db_load(struct machine_db *db, const char *name, struct machine *m,
		    struct diag *diag);

/* Called for each machine, by name; constants and curves are left out. */
typedef int (*machine_db_fn)(void *context, const struct machine *m);
int machine_db_list(struct machine_db *db, machine_db_fn each, void *context,
		    struct diag *diag);

#endif /* MACHINE_STORE_H */
