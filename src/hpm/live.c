/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the file of marks that the environment names, and stores a boundary in
 * it. Drawing them is left to src/view.
 */
#include "hpm/live.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/marks.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct marks *watched; /* written once, before anybody reads it */

/* A path that is written to: not one that another user chose for a setuid
 * program. */
static void open_marks(void)
{
	const char *path = secure_getenv(HPM_LIVE_VARIABLE);

	if (path && *path)
		watched = marks_open(path);
}

struct marks *live_marks(void)
{
	pthread_once(&once, open_marks);
	return watched;
}

void live_mark(struct marks *marks, uint64_t ns, int id, const char *label,
	       bool begins)
{
	struct mark mark = { .ns = ns, .number = id, .begins = begins };

	for (size_t i = 0; label && label[i] && i + 1 < MARKS_WORD; i++)
		mark.word[i] = label[i];
	marks_put(marks, &mark);
}
