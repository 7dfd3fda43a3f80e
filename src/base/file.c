/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"

/* Read to the end of @from, into a text that grows. */
static int read_stream(FILE *from, const char *path, struct strbuf *sb,
		       struct diag *diag)
{
	char block[4096];
	size_t n;

	while ((n = fread(block, 1, sizeof(block), from)) > 0) {
		strbuf_addn(sb, block, n);
		if (sb->failed)
			return diag_fail(diag, PAPI_ENOMEM, "out of memory");
		if (sb->len > FILE_READ_MAX)
			return diag_fail(diag, PAPI_EINVAL,
					 "%s is larger than %zu bytes", path,
					 FILE_READ_MAX);
	}
	if (ferror(from))
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				 strerror(errno));
	return 0;
}

int file_read(const char *path, char **text, size_t *len, struct diag *diag)
{
	struct strbuf sb = { 0 };
	FILE *from = fopen(path, "re");
	int err;

	if (!from)
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				 strerror(errno));
	strbuf_add(&sb, ""); /* so that an empty file gives a text, too */
	err = read_stream(from, path, &sb, diag);
	fclose(from);
	if (err) {
		strbuf_fini(&sb);
		return err;
	}
	*len = sb.len;
	*text = strbuf_take(&sb);
	if (!*text)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	return 0;
}

struct outfile {
	char *path;
	char *temp; /* in the same folder, so that rename() is atomic */
	FILE *stream;
};

static void release(struct outfile *file)
{
	free(file->path);
	free(file->temp);
	free(file);
}

/* mkstemp() makes a private file; give it the mode open() would have. */
static void set_usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	(void)fchmod(fd, 0666 & ~mask);
}

int outfile_open(const char *path, struct outfile **out, struct diag *diag)
{
	struct outfile *file = calloc(1, sizeof(*file));
	int err = PAPI_ENOMEM;
	int fd;

	if (!file)
		return diag_fail(diag, err, "out of memory");
	file->path = strdup(path);
	file->temp = str_format("%s.XXXXXX", path);
	if (!file->path || !file->temp) {
		diag_fail(diag, err, "out of memory");
		goto free_file;
	}
	fd = mkstemp(file->temp);
	if (fd < 0) {
		err = diag_fail(diag, PAPI_ESYS, "cannot write %s: %s", path,
				strerror(errno));
		goto free_file;
	}
	set_usual_mode(fd);
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		close(fd);
		unlink(file->temp);
		diag_fail(diag, err, "out of memory");
		goto free_file;
	}
	*out = file;
	return 0;

free_file:
	release(file);
	return err;
}

FILE *outfile_stream(struct outfile *file)
{
	return file->stream;
}

int outfile_commit(struct outfile *file, struct diag *diag)
{
	int error = 0;

	errno = 0;
	if (ferror(file->stream) || fflush(file->stream) ||
	    fsync(fileno(file->stream)))
		error = errno ? errno : EIO;
	if (fclose(file->stream) && !error)
		error = errno;
	if (!error && rename(file->temp, file->path))
		error = errno;
	if (error) {
		unlink(file->temp);
		diag_fail(diag, PAPI_ESYS, "cannot write %s: %s", file->path,
			  strerror(error));
	}
	release(file);
	return error ? PAPI_ESYS : 0;
}

void outfile_abort(struct outfile *file)
{
	if (!file)
		return;
	fclose(file->stream);
	unlink(file->temp);
	release(file);
}
