/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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
	/*
	 * In the same folder, so that rename() is atomic. NULL: @path is a
	 * device or a pipe, which is written to and never replaced.
	 */
	char *temp;
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

static void remove_temporary(const struct outfile *file)
{
	if (file->temp)
		unlink(file->temp);
}

/* Whether there is something at @path that is not a file like any other. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Fill in the names. A link stays: what it points to is replaced. */
static int name_files(struct outfile *file, const char *path)
{
	file->path = realpath(path, NULL);
	if (!file->path)
		file->path = strdup(path);
	if (!file->path)
		return PAPI_ENOMEM;
	if (is_special(file->path))
		return 0;
	file->temp = str_format("%s.XXXXXX", file->path);
	return file->temp ? 0 : PAPI_ENOMEM;
}

/* A descriptor to write to, or -1 with errno. */
static int open_for_writing(struct outfile *file)
{
	int fd;

	if (!file->temp)
		return open(file->path, O_WRONLY | O_CLOEXEC);
	fd = mkostemp(file->temp, O_CLOEXEC);
	if (fd >= 0)
		set_usual_mode(fd);
	return fd;
}

int outfile_open(const char *path, struct outfile **out, struct diag *diag)
{
	struct outfile *file = calloc(1, sizeof(*file));
	int err = PAPI_ENOMEM;
	int fd;

	if (!file)
		return diag_fail(diag, err, "out of memory");
	if (name_files(file, path)) {
		diag_fail(diag, err, "out of memory");
		goto free_file;
	}
	fd = open_for_writing(file);
	if (fd < 0) {
		err = diag_fail(diag, PAPI_ESYS, "cannot write %s: %s", path,
				strerror(errno));
		goto free_file;
	}
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		close(fd);
		remove_temporary(file);
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
	    (file->temp && fsync(fileno(file->stream))))
		error = errno ? errno : EIO;
	if (fclose(file->stream) && !error)
		error = errno;
	if (!error && file->temp && rename(file->temp, file->path))
		error = errno;
	if (error) {
		remove_temporary(file);
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
	remove_temporary(file);
	release(file);
}
