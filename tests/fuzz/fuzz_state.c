/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as what verbs remember of this machine: what validation and what
 * classification said of its events.
 */
#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "classify/classify.h"
#include "tests/fuzz/input.h"
#include "validate/validated.h"

static char root[] = "/dev/shm/assay-fuzz-state-XXXXXX";

static void make_folder(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (mkdir(path, 0700))
		abort();
}

static void put(const char *name, const uint8_t *data, size_t size)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	to = fopen(path, "w");
	if (!to || fwrite(data, 1, size, to) != size || fclose(to))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct validated v = { 0 };
	char phrase[128];

	if (!strcmp(root + sizeof(root) - 7, "XXXXXX")) {
		if (!mkdtemp(root) || setenv("XDG_STATE_HOME", root, 1))
			abort();
		make_folder("assay");
		make_folder("assay/validation");
		make_folder("assay/classify");
	}
	put("assay/validation/hw", data, size);
	put("assay/classify/icx.json", data, size);
	if (validated_load("hw", &v) == 0)
		for (size_t i = 0; i < v.n; i++)
			validated_phrase(&v, v.events[i].event, phrase,
					 sizeof(phrase));
	validated_fini(&v);
	free(classify_recall("icx", "BR_INST_RETIRED"));
	return 0;
}
