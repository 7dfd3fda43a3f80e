/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns errno into a PAPI code, and keeps a sentence beside a code. Nothing is
 * printed here.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int err_from_errno(int error)
{
	switch (error) {
	case 0:
		return PAPI_OK;
	case EPERM:
	case EACCES:
		return PAPI_EPERM;
	case ENOMEM:
		return PAPI_ENOMEM;
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return PAPI_ENOEVNT;
	case EOPNOTSUPP:
	case ENOSYS:
		return PAPI_ENOSUPP;
	case EINVAL:
	case E2BIG:
		return PAPI_EINVAL;
	case ESRCH:
		return PAPI_EINVAL;
	case ENOSPC:
	case EBUSY:
		return PAPI_ECNFLCT;
	default:
		return PAPI_ESYS;
	}
}

int diag_fail(struct diag *diag, int code, const char *format, ...)
{
	va_list args;

	if (!diag)
		return code;
	va_start(args, format);
	vsnprintf(diag->text, sizeof(diag->text), format, args);
	va_end(args);
	diag->column = 0;
	return code;
}

int diag_fail_at(struct diag *diag, int code, size_t column, const char *format,
		 ...)
{
	va_list args;

	if (!diag)
		return code;
	va_start(args, format);
	vsnprintf(diag->text, sizeof(diag->text), format, args);
	va_end(args);
	diag->column = column;
	return code;
}
