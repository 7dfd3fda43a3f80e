/* SPDX-License-Identifier: BSD-3-Clause */
/* Built without SQLite: there is no database of machines. */

#include "machine/store.h"

int machine_db_open(const char *path, bool write, struct machine_db **out,
		    struct diag *diag)
{
	(void)path;
	(void)write;
	(void)out;
	return diag_fail(diag, PAPI_ENOSUPP,
			 "there is no database of machines: install the "
			 "package libsqlite3-dev and build again");
}

void machine_db_close(struct machine_db *db)
{
	(void)db;
}

int machine_db_save(struct machine_db *db, const struct machine *m,
		    struct diag *diag)
{
	(void)db;
	(void)m;
	return diag_fail(diag, PAPI_ENOSUPP, "there is no database");
}

int machine_db_load(struct machine_db *db, const char *name, struct machine *m,
		    struct diag *diag)
{
	(void)db;
	(void)name;
	(void)m;
	return diag_fail(diag, PAPI_ENOSUPP, "there is no database");
}

int machine_db_list(struct machine_db *db, machine_db_fn each, void *context,
		    struct diag *diag)
{
	(void)db;
	(void)each;
	(void)context;
	return diag_fail(diag, PAPI_ENOSUPP, "there is no database");
}
