/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a file to its end, and writes one under another name until it is
 * complete, keeping mode and owner of the file that it replaces. What the bytes
 * mean is left to the callers.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"

/* Read to the end of @from, into a text that grows. */
static int read_all(FILE *from, const char *path, struct strbuf *sb,
		    struct diag *diag)
{
	char block[4096];
	size_t n;

	strbuf_add(sb, ""); /* so that an empty file gives a text, too */
	while ((n = fread(block, 1, sizeof(block), from)) > 0) {
		strbuf_addn(sb, block, n);
		if (sb->failed)
			break;
		if (sb->len > FILE_READ_MAX)
			return diag_fail(diag, PAPI_EINVAL,
					 "%s is larger than %zu bytes", path,
					 FILE_READ_MAX);
	}
	if (sb->failed)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	if (ferror(from))
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				 strerror(errno));
	return 0;
}

int file_read_stream(FILE *from, const char *path, char **text, size_t *len,
		     struct diag *diag)
{
	STRBUF(sb);
	int err = read_all(from, path, &sb, diag);

	if (err)
		return err;
	*len = sb.len;
	*text = strbuf_take(&sb);
	return 0;
}

int file_read(const char *path, char **text, size_t *len, struct diag *diag)
{
	FILE *from = fopen(path, "re");
	int err;

	if (!from)
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				 strerror(errno));
	err = file_read_stream(from, path, text, len, diag);
	fclose(from);
	return err;
}

#define MOST_LINKS 40 /* as many as the kernel follows */

struct outfile {
	char *path;
	char *folder;    /* that it is in */
	bool is_special; /* a device or a pipe: written to, never replaced */
	bool is_refused; /* a link on the way is another user's */
	/* The file that is replaced keeps its mode and owner. */
	bool exists;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	/*
	 * Otherwise a file in the same folder that has no name until it is
	 * whole: whatever ends the process, no piece of one is left behind.
	 */
	FILE *stream;
};

static void release(struct outfile *file)
{
	free(file->path);
	free(file->folder);
	free(file);
}

/* As the file that it replaces. Only root can give it to another user; else it
 * is ours then, as any file that is written anew. */
static void keep_mode(const struct outfile *file, int fd)
{
	struct stat st;

	if (!file->exists)
		return;
	if (fstat(fd, &st) == 0 &&
	    (st.st_uid != file->uid || st.st_gid != file->gid) &&
	    fchown(fd, file->uid, file->gid))
		(void)fchown(fd, (uid_t)-1, file->gid);
	(void)fchmod(fd, file->mode & 0777);
}

/* A name is on the disk when its directory is. */
static void sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* mkostemp() makes a private file; give it the mode open() would have. */
static void set_usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	(void)fchmod(fd, 0666 & ~mask);
}

/*
 * What is at the file's path: nothing, a file, or something that is not a file
 * like any other. False with errno for a name that no file can have, which is
 * better known before there is something to write.
 */
static bool look_at(struct outfile *file)
{
	struct stat st;
	bool exists = stat(file->path, &st) == 0;

	file->is_special = exists && !S_ISREG(st.st_mode);
	file->exists = exists && !file->is_special;
	if (file->exists) {
		file->mode = st.st_mode;
		file->uid = st.st_uid;
		file->gid = st.st_gid;
	}
	return exists || (errno == ENOENT && *file->path);
}

/*
 * For as long as a file has a name that it is not to keep, which is a few
 * calls, no signal ends this thread.
 */
static void hold_signals(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, old);
}

static void release_signals(const sigset_t *old)
{
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* A new file in @folder under a name to be freed, or -1 with errno. */
static int open_named(const char *folder, char **name)
{
	int fd = -1;

	*name = str_format("%s/.assay-XXXXXX", folder);
	if (!*name) {
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd >= 0) {
		set_usual_mode(fd);
		return fd;
	}
	free(*name);
	return -1;
}

/* The same without a name, where the file system has no such thing. */
static int open_and_unlink(const char *folder)
{
	sigset_t old;
	char *name;
	int fd;

	hold_signals(&old);
	fd = open_named(folder, &name);
	if (fd >= 0) {
		unlink(name);
		free(name);
	}
	release_signals(&old);
	return fd;
}

/* A new file without a name, or -1 with errno. */
static int open_unnamed(const char *folder)
{
	int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);

	return fd >= 0 ? fd : open_and_unlink(folder);
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* What the link @path says, seen from where we are; NULL: it is no link. */
static char *read_link(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	char *folder, *whole;

	if (n < 0)
		return NULL;
	target[n] = '\0';
	if (target[0] == '/')
		return strdup(target);
	folder = folder_of(path);
	whole = folder ? str_format("%s/%s", folder, target) : NULL;
	free(folder);
	return whole;
}

/*
 * Whether the link at @path, which is @link, is no trap: ours, root's, or that
 * of whose directory it is, if not everybody can write there. In a directory
 * such as /tmp anybody could have put it there, pointing anywhere.
 */
static bool is_trusted(const char *path, const struct stat *link)
{
	OWNED char *folder = NULL;
	struct stat st;

	if (link->st_uid == geteuid() || link->st_uid == 0)
		return true;
	folder = folder_of(path);
	return folder && stat(folder, &st) == 0 && st.st_uid == link->st_uid &&
	       !(st.st_mode & S_IWOTH);
}

/* One link further than @at, which is freed; NULL: no memory. */
static char *step(char *at)
{
	char *next = read_link(at);
	struct stat st;

	/* an open pipe has a link but no path: it is opened through that */
	if (next && stat(at, &st) == 0 && lstat(next, &st)) {
		free(next);
		return at;
	}
	free(at);
	return next;
}

/*
 * The file that @path stands for, through links, whether it is there or not.
 * Who replaced a link would, as root and without a standard output, put a file
 * in the place of /dev/stdout. *@refused: a link is not to be trusted.
 */
static char *follow(const char *path, bool *refused)
{
	char *at = strdup(path);
	struct stat st;

	for (int i = 0; at && i < MOST_LINKS; i++) {
		char *before = at;

		if (lstat(at, &st) || !S_ISLNK(st.st_mode))
			break;
		*refused = !is_trusted(at, &st);
		if (*refused)
			break;
		at = step(at);
		if (at == before)
			break;
	}
	return at;
}

/* Fill in the names. A link stays: what it points to is replaced. */
static bool name_files(struct outfile *file, const char *path)
{
	file->path = follow(path, &file->is_refused);
	file->folder = file->path ? folder_of(file->path) : NULL;
	return file->folder;
}

/* A descriptor to write to, or -1 with errno. */
static int open_for_writing(struct outfile *file, const char *path)
{
	if (!name_files(file, path) || file->is_refused || !look_at(file))
		return -1;
	return file->is_special ? open(file->path, O_WRONLY | O_CLOEXEC)
				: open_unnamed(file->folder);
}

int outfile_open(const char *path, struct outfile **out, struct diag *diag)
{
	struct outfile *file = calloc(1, sizeof(*file));
	int err;
	int fd;

	if (!file)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	fd = open_for_writing(file, path);
	if (fd >= 0)
		file->stream = fdopen(fd, "w");
	if (file->stream) {
		*out = file;
		return 0;
	}
	err = errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS;
	diag_fail(diag, err, "cannot write %s: %s", path,
		  file->is_refused ? "it is a link created by another user"
				   : strerror(errno));
	if (fd >= 0)
		close(fd);
	release(file);
	return err;
}

/* A pipe is not opened: its reader would take the end of that for the end. */
int outfile_check(const char *path, struct diag *diag)
{
	struct outfile *file;
	struct stat st;
	int err;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
	    !S_ISDIR(st.st_mode))
		return 0;
	err = outfile_open(path, &file, diag);
	if (!err)
		outfile_abort(file);
	return err;
}

FILE *outfile_stream(struct outfile *file)
{
	return file->stream;
}

/* All of @from at @to, onto the disk; 0 or an errno. */
static int copy(int from, int to)
{
	char block[65536];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, block, sizeof(block), at)) > 0) {
		for (ssize_t done = 0, m; done < n; done += m) {
			m = write(to, block + done, (size_t)(n - done));
			if (m < 0)
				return errno;
		}
		at += n;
	}
	return n < 0 || fsync(to) ? errno : 0;
}

/* Put a copy of what @fd has in its place; 0 or an errno. */
static int replace_by_copy(const struct outfile *file, int fd)
{
	char *name;
	int to = open_named(file->folder, &name);
	int error;

	if (to < 0)
		return errno;
	error = copy(fd, to);
	keep_mode(file, to);
	if (close(to) && !error)
		error = errno;
	if (!error && rename(name, file->path))
		error = errno;
	if (error)
		unlink(name);
	free(name);
	return error;
}

/*
 * Give the file that is @own a name of its own, to be freed, from which it can
 * be renamed. NULL: its file system cannot.
 */
static char *link_beside(const struct outfile *file, int fd, const char *own)
{
	char *name =
		str_format("%s/.assay-%d-%d", file->folder, (int)getpid(), fd);

	if (!name)
		return NULL;
	unlink(name); /* of a process that had our number */
	if (linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
		return name;
	free(name);
	return NULL;
}

/* The whole file in its place, whatever was there; 0 or an errno. */
static int replace(const struct outfile *file, int fd)
{
	char own[32];
	OWNED char *name = NULL;
	int error = 0;

	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	if (!linkat(AT_FDCWD, own, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW))
		return 0;
	name = errno == EEXIST ? link_beside(file, fd, own) : NULL;
	if (!name)
		return replace_by_copy(file, fd);
	if (rename(name, file->path)) {
		error = errno;
		unlink(name);
	}
	return error;
}

static int replace_undisturbed(const struct outfile *file, int fd)
{
	sigset_t old;
	int error;

	hold_signals(&old);
	error = replace(file, fd);
	release_signals(&old);
	return error;
}

int outfile_commit(struct outfile *file, struct diag *diag)
{
	int fd = fileno(file->stream);
	int error = 0;

	errno = 0;
	if (ferror(file->stream) || fflush(file->stream) ||
	    (!file->is_special && fsync(fd)))
		error = errno ? errno : EIO;
	if (!error && !file->is_special) {
		keep_mode(file, fd);
		error = replace_undisturbed(file, fd);
		sync_folder(file->folder);
	}
	if (fclose(file->stream) && !error)
		error = errno;
	if (error)
		diag_fail(diag, PAPI_ESYS, "cannot write %s: %s", file->path,
			  strerror(error));
	release(file);
	return error ? PAPI_ESYS : 0;
}

void outfile_abort(struct outfile *file)
{
	if (!file)
		return;
	fclose(file->stream);
	release(file);
}
