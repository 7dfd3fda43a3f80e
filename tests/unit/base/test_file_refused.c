/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are replaced on file systems that cannot do all that others can,
 * and whose calls fail: the old file or the whole new one is there, nothing is
 * beside it, and what failed is said.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "tests/unit/folder.h"
#include "tests/unit/refuse.h"

enum call {
	NOTHING,
	PREAD,
	WRITE,
	FSYNC,
	CLOSE,
	RENAME,
	FCLOSE,
};

/* What the system is like. */
static struct {
	bool unnamed;      /* files may be made without a name */
	enum call refuses; /* after so many others of the kind */
	int spared;
} as;

static bool fails(enum call call, int error)
{
	if (as.refuses != call || as.spared-- > 0)
		return false;
	errno = error;
	return true;
}

int open(const char *name, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (!as.unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

ssize_t pread(int fd, void *to, size_t n, off_t from)
{
	return fails(PREAD, EIO) ? -1 : syscall(SYS_pread64, fd, to, n, from);
}

ssize_t write(int fd, const void *from, size_t n)
{
	return fails(WRITE, ENOSPC) ? -1 : syscall(SYS_write, fd, from, n);
}

int fsync(int fd)
{
	return fails(FSYNC, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

/* It is closed, whatever it says. */
int close(int fd)
{
	int result = (int)syscall(SYS_close, fd);

	return fails(CLOSE, EDQUOT) ? -1 : result;
}

int rename(const char *from, const char *to)
{
	return fails(RENAME, EACCES) ? -1
				     : (int)syscall(SYS_renameat, AT_FDCWD,
						    from, AT_FDCWD, to);
}

int fclose(FILE *stream)
{
	static int (*real)(FILE *);
	int result;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fclose");
	result = real(stream);
	return fails(FCLOSE, EDQUOT) ? EOF : result;
}

/* The code and sentence of writing @text into the file. */
static int write_text(const char *text, struct diag *diag)
{
	struct outfile *file;
	int err = outfile_open(path, &file, diag);

	if (err)
		return err;
	fputs(text, outfile_stream(file));
	return outfile_commit(file, diag);
}

static void assert_file(int line, const char *text)
{
	DIR *dir = opendir(folder);
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	CHECK_AT(line, n == 3); /* itself, and the folder by two names */
	expect_file(line, "out", text);
}

TEST(test_calls_that_fail)
{
	static const struct {
		int line;
		bool unnamed;
		enum call refuses;
		int spared;
		const char *why; /* NULL: it is written all the same */
	} rows[] = {
		{ __LINE__, true, NOTHING, 0, NULL },
		{ __LINE__, false, NOTHING, 0, NULL },
		{ __LINE__, true, FSYNC, 0, "Input/output error" },
		{ __LINE__, true, RENAME, 0, "Permission denied" },
		{ __LINE__, true, FCLOSE, 0, "Disk quota exceeded" },
		{ __LINE__, false, PREAD, 0, "Input/output error" },
		{ __LINE__, false, WRITE, 0, "No space left" },
		{ __LINE__, false, FSYNC, 1, "Input/output error" },
		{ __LINE__, false, CLOSE, 0, "Disk quota exceeded" },
		{ __LINE__, false, RENAME, 0, "Permission denied" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct diag diag = { .text = "" };
		int err;

		as.unnamed = true;
		assert_int_equal(write_text("old", &diag), 0);
		as.unnamed = rows[i].unnamed;
		as.refuses = rows[i].refuses;
		as.spared = rows[i].spared;
		err = write_text("new", &diag);
		as.refuses = NOTHING;
		CHECK_AT(rows[i].line, err == (rows[i].why ? PAPI_ESYS : 0));
		if (rows[i].why && !strstr(diag.text, rows[i].why))
			fail_msg("row at line %d: %s", rows[i].line, diag.text);
		/* that it could not be closed is known too late */
		assert_file(rows[i].line,
			    rows[i].why && rows[i].refuses != FCLOSE ? "old"
								     : "new");
	}
}

/* A file that grows too large while it is written, before its end. */
TEST(test_what_is_too_large_leaves_the_old_file)
{
	struct rlimit before, few;
	struct diag diag = { .text = "" };
	char text[20000];
	int err;

	as.unnamed = true;
	assert_int_equal(write_text("old", &diag), 0);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	few = before;
	few.rlim_cur = 5000;
	setrlimit(RLIMIT_FSIZE, &few);
	err = write_text(text, &diag);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(err, PAPI_ESYS);
	assert_non_null(strstr(diag.text, "cannot write"));
	assert_file(__LINE__, "old");
}

/* Neither without a name, nor with one: a copy is made under another. */
TEST(test_no_memory)
{
	static const bool kinds[] = { true, false };

	if (!REFUSE_WORKS)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		long n = 1;

		for (; n < 100; n++) {
			struct diag diag = { .text = "" };
			int err;

			as.unnamed = true;
			assert_int_equal(write_text("old", &diag), 0);
			as.unnamed = kinds[i];
			refuse_nth(n);
			err = write_text("new", &diag);
			refuse_countdown = 0;
			if (err && !*diag.text)
				fail_msg("%ld: no sentence", n);
			assert_file(__LINE__, err ? "old" : "new");
			if (!refused)
				break;
		}
		assert_in_range(n, 3, 99);
	}
}

RUN_ALL_TESTS_WITH(make_folder, remove_folder)
