/* SPDX-License-Identifier: BSD-3-Clause */
/* What other people's tools have counted with kernels that are known here. */
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

/*
 * The files of a directory as a file of counts (bundle/counts.h), added to @to.
 * 0; PAPI_EINVAL with what is wrong with them; PAPI_ENOMEM.
 */
int foreign_read(const char *folder, struct strbuf *to, struct diag *diag);
