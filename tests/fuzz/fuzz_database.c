/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the database that `assay machine` keeps. */
#include <assert.h>

#include "machine/store.h"
#include "tests/fuzz/input.h"

struct found {
	char name[128];
	unsigned n;
};

static int note(void *context, const struct machine *m)
{
	struct found *found = context;

	if (found->n++ == 0)
		snprintf(found->name, sizeof(found->name), "%s", m->name);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine_db *db;
	struct machine m = { 0 };
	struct diag diag = { 0 };
	struct found found = { 0 };

	if (machine_db_open(input_path(data, size), false, &db, &diag)) {
		assert(diag.text[0]);
		return 0;
	}
	machine_db_list(db, note, &found, &diag);
	machine_db_load(db, found.n ? found.name : "icx", &m, &diag);
	machine_fini(&m);
	machine_db_close(db);
	return 0;
}
