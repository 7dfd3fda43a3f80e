/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stdio stream over a string buffer, by fopencookie(). Writing files to disk
 * is left to file.c.
 */
#include "base/memfile.h"

#include <sys/types.h>

#include "base/err.h"

/* fopencookie()'s write: 0 is an error, which the stream then keeps. */
static ssize_t add(void *cookie, const char *from, size_t n)
{
	struct strbuf *written = cookie;

	strbuf_addn(written, from, n);
	return written->failed ? 0 : (ssize_t)n;
}

int memfile_open(struct memfile *file)
{
	*file = (struct memfile){ 0 };
	file->to = fopencookie(&file->written, "w",
			       (cookie_io_functions_t){ .write = add });
	return file->to ? 0 : PAPI_ENOMEM;
}

int memfile_close(struct memfile *file)
{
	int failed = fclose(file->to);

	if (!failed && !file->written.failed) {
		file->len = file->written.len;
		file->text = strbuf_take(&file->written);
	}
	strbuf_fini(&file->written);
	file->to = NULL;
	return file->text ? 0 : PAPI_ENOMEM;
}
