/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles from files: our own, or histograms that a program left. */
#ifndef RECORD_IMPORT_H
#define RECORD_IMPORT_H

#include "profile/profile.h"

/*
 * Read the profile or histogram @path; the addresses of a histogram are
 * attributed now. PAPI_EINVAL, PAPI_ESYS or PAPI_ENOMEM with the sentence.
 */
int record_import(const char *path, struct profile *out, struct diag *diag);

/* The same from a text; @name is what to call it. */
int record_import_text(const char *text, const char *name, struct profile *out,
		       struct diag *diag);

/* Whether @text, the beginning of a file, looks like either. */
bool record_can_import(const char *text);

#endif /* RECORD_IMPORT_H */
