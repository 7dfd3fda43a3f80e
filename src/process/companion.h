/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that come with the command: programs it starts, libraries it loads. */
#ifndef PROCESS_COMPANION_H
#define PROCESS_COMPANION_H

#include "base/err.h"

struct companion {
	const char *build;     /* where it is in a build, beside the command */
	const char *installed; /* its name in libexec/assay */
	const char *variable;  /* environment: names another one */
	int mode;              /* X_OK for a program, R_OK for others */
	const char *missing;   /* the sentence if there is none */
};

/* Its path, to be freed; NULL with the sentence. */
char *companion_find(const struct companion *companion, struct diag *diag);

#endif /* PROCESS_COMPANION_H */
