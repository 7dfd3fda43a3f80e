/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens, reads and lists below the root that the caller gives. A missing file
 * is a plain answer; what it means is left to the callers.
 */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf.h"

/* Files in /proc and /sys are small; more than this is not one of them. */
#define FS_MAX_BYTES (16U << 20)

bool fs_exists(const struct fs *fs, const char *path)
{
	OWNED char *full = str_format("%s/%s", fs->root, path);
	bool found = full && access(full, R_OK) == 0;
	int error = full ? errno : ENOMEM;

	errno = error;
	return found;
}

FILE *fs_open(const struct fs *fs, const char *path)
{
	OWNED char *full = str_format("%s/%s", fs->root, path);

	if (!full) {
		errno = ENOMEM;
		return NULL;
	}
	return fopen(full, "re");
}

/* All of @fd. Without stdio, which asks each file for its end once more. */
static int read_all(int fd, struct strbuf *text)
{
	char chunk[4096];
	ssize_t n;

	do {
		n = read(fd, chunk, sizeof(chunk));
		if (n > 0)
			strbuf_addn(text, chunk, (size_t)n);
	} while ((n > 0 && text->len < FS_MAX_BYTES) ||
		 (n < 0 && errno == EINTR));
	return n < 0 ? PAPI_ESYS : 0;
}

char *fs_read(const struct fs *fs, const char *path)
{
	OWNED char *full = str_format("%s/%s", fs->root, path);
	STRBUF(text);
	int fd, err;

	errno = ENOMEM;
	fd = full ? open(full, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return NULL;
	err = read_all(fd, &text);
	close(fd);
	if (err) {
		errno = EIO;
		return NULL;
	}
	if (text.len > 0 && text.text[text.len - 1] == '\n')
		text.text[--text.len] = '\0';
	errno = ENOMEM; /* stands if there is no memory for the result */
	return strbuf_take(&text);
}

int fs_read_long(const struct fs *fs, const char *path, long *out)
{
	OWNED char *text = fs_read(fs, path);
	char *end;
	long value;

	if (!text)
		return PAPI_ESYS;
	errno = 0;
	value = strtol(text, &end, 0);
	if (errno || end == text)
		return PAPI_ESYS;
	*out = value;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void fs_free_names(char **names, size_t n)
{
	while (n > 0)
		free(names[--n]);
	free(names);
}

static int list_dir(DIR *dir, char ***names, size_t *n)
{
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		char *name;

		if (entry->d_name[0] == '.')
			continue;
		if (array_grow(names, *n, sizeof(**names)))
			return PAPI_ENOMEM;
		name = strdup(entry->d_name);
		if (!name)
			return PAPI_ENOMEM;
		(*names)[(*n)++] = name;
	}
	return 0;
}

int fs_list(const struct fs *fs, const char *path, char ***names, size_t *n)
{
	OWNED char *full = str_format("%s/%s", fs->root, path);
	char **found = NULL;
	size_t count = 0;
	DIR *dir;
	int err;

	if (!full)
		return PAPI_ENOMEM;
	dir = opendir(full);
	if (!dir) {
		*names = NULL;
		*n = 0;
		return 0;
	}
	err = list_dir(dir, &found, &count);
	closedir(dir);
	if (err) {
		fs_free_names(found, count);
		return err;
	}
	if (count > 0)
		qsort(found, count, sizeof(*found), by_name);
	*names = found;
	*n = count;
	return 0;
}
