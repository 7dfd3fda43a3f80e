/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory for translations; see place.h. */
#include "simpmu/fast/keep/place.h"

#include <asm/stat.h>

#include "simpmu/fast/sys.h"

#define PATH_BYTES  4096
#define NAME_BYTES  64
#define AT_CWD      (-100)
#define NO_FOLLOW   0400000
#define NO_WAIT     04000 /* O_NONBLOCK: for a writer of a pipe */
#define ONLY_DIR    0200000
#define CLOSE_ON_EX 02000000
#define CREATE_NEW  0301 /* O_WRONLY, O_CREAT, O_EXCL */
#define RLIMIT_FILE 1
#define MODE_KIND   0170000u
#define MODE_FILE   0100000u
#define MODE_DIR    0040000u
#define MODE_OTHERS 0077u
#define SUFFIX      ".fast"
#define MOST_BYTES  (UINT64_C(512) << 20) /* of all files */
#define MOST_FILES  1024
#define LIST_BYTES  65536
#define STALE       3600 /* seconds: nobody writes for so long */

static char directory[PATH_BYTES];

bool place_stat(int64_t fd, struct place_file *out)
{
	struct stat st;

	if (SYS(__NR_fstat, fd, &st, 0))
		return false;
	*out = (struct place_file){
		.device = st.st_dev,
		.inode = st.st_ino,
		.bytes = (uint64_t)st.st_size,
		.changed = { (int64_t)st.st_mtime, (int64_t)st.st_mtime_nsec,
			     (int64_t)st.st_ctime, (int64_t)st.st_ctime_nsec },
		.mode = st.st_mode,
		.user = st.st_uid,
	};
	return true;
}

/* ---- the directory ---- */

static const char *variable(char **environment, const char *name)
{
	for (; *environment; environment++)
		if (text_begins(*environment, name))
			return *environment + text_length(name);
	return NULL;
}

bool place_choose(const char *given, char **environment)
{
	const char *cache = variable(environment, "XDG_CACHE_HOME=");
	const char *home = variable(environment, "HOME=");

	if (given)
		text_format(directory, PATH_BYTES - NAME_BYTES, "%s", given);
	else if (cache && cache[0] == '/')
		text_format(directory, PATH_BYTES - NAME_BYTES, "%s/assay/fast",
			    cache);
	else if (home && home[0] == '/')
		text_format(directory, PATH_BYTES - NAME_BYTES,
			    "%s/.cache/assay/fast", home);
	/* a name that was cut off is another's */
	return directory[0] == '/' &&
	       text_length(directory) < PATH_BYTES - NAME_BYTES - 1;
}

static bool is_ours(const struct place_file *file, uint32_t kind)
{
	return (file->mode & MODE_KIND) == kind &&
	       !(file->mode & MODE_OTHERS) &&
	       file->user == (uint32_t)SYS(__NR_geteuid, 0, 0, 0);
}

/* The directory, if it is the user's own and nobody else's; negative: not. */
static int64_t open_directory(void)
{
	int64_t fd = SYS(__NR_open, directory,
			 ONLY_DIR | NO_FOLLOW | CLOSE_ON_EX, 0);
	struct place_file file;

	if (is_error(fd))
		return fd;
	if (place_stat(fd, &file) && is_ours(&file, MODE_DIR))
		return fd;
	SYS(__NR_close, fd, 0, 0);
	return -1;
}

/* With all that lead to it. */
static void make_directory(void)
{
	for (char *at = directory + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		SYS(__NR_mkdir, directory, 0700, 0);
		*at = '/';
	}
	SYS(__NR_mkdir, directory, 0700, 0);
}

/* ---- files ---- */

static void name_of(char *to, uint64_t key)
{
	text_format(to, NAME_BYTES, "%x" SUFFIX, key);
}

static void name_of_new(char *to, uint64_t key)
{
	text_format(to, NAME_BYTES, "%x.%d", key,
		    (uint64_t)SYS(__NR_getpid, 0, 0, 0));
}

static int64_t open_in(int64_t folder, const char *name, uint64_t flags)
{
	return sys6(__NR_openat, (uint64_t)folder, (uint64_t)name,
		    flags | NO_FOLLOW | NO_WAIT | CLOSE_ON_EX, 0600, 0, 0);
}

int64_t place_open(uint64_t key, struct place_file *out)
{
	int64_t folder = open_directory(), fd;
	char name[NAME_BYTES];

	if (is_error(folder))
		return folder;
	name_of(name, key);
	fd = open_in(folder, name, 0);
	SYS(__NR_close, folder, 0, 0);
	if (is_error(fd))
		return fd;
	if (place_stat(fd, out) && is_ours(out, MODE_FILE)) {
		sys6(__NR_utimensat, (uint64_t)fd, 0, 0, 0, 0, 0);
		return fd;
	}
	SYS(__NR_close, fd, 0, 0);
	return -1;
}

/* ---- room ---- */

/* As getdents64() gives them. */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t bytes;
	uint8_t kind;
	char name[];
};

struct listing {
	unsigned n;
	uint64_t bytes;
	struct {
		char name[NAME_BYTES];
		uint64_t bytes;
		int64_t used;
	} files[MOST_FILES];
};

static bool has_suffix(const char *name)
{
	size_t n = text_length(name), m = text_length(SUFFIX);

	return n > m && text_equal(name + n - m, SUFFIX);
}

static int64_t now(void)
{
	int64_t time[2] = { 0 };

	SYS(__NR_clock_gettime, 0, time, 0);
	return time[0];
}

static void remove(int64_t folder, const char *name)
{
	SYS(__NR_unlinkat, folder, name, 0);
}

static void note_file(int64_t folder, const char *name, struct listing *all)
{
	struct place_file file;
	int64_t fd;
	bool is_known;

	if (text_length(name) >= NAME_BYTES || all->n == MOST_FILES)
		return;
	fd = open_in(folder, name, 0);
	if (is_error(fd))
		return;
	is_known = place_stat(fd, &file) && is_ours(&file, MODE_FILE);
	SYS(__NR_close, fd, 0, 0);
	if (!is_known)
		return;
	if (!has_suffix(name)) { /* its writer was killed */
		if (file.changed[0] + STALE < now())
			remove(folder, name);
		return;
	}
	text_format(all->files[all->n].name, NAME_BYTES, "%s", name);
	all->files[all->n].bytes = file.bytes;
	all->files[all->n].used = file.changed[0];
	all->n++;
	all->bytes += file.bytes;
}

static void list(int64_t folder, struct listing *all, char *capacity)
{
	int64_t n;

	while ((n = SYS(__NR_getdents64, folder, capacity, LIST_BYTES)) > 0)
		for (int64_t at = 0; at < n;) {
			const struct entry *entry =
				(const struct entry *)(capacity + at);

			note_file(folder, entry->name, all);
			at += entry->bytes;
		}
}

static void remove_oldest(int64_t folder, struct listing *all)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < all->n; i++)
		if (all->files[i].used < all->files[oldest].used)
			oldest = i;
	remove(folder, all->files[oldest].name);
	all->bytes -= all->files[oldest].bytes;
	all->files[oldest] = all->files[--all->n];
}

static void make_room(int64_t folder)
{
	struct listing *all = sys_memory(sizeof(*all));
	char *capacity = sys_memory(LIST_BYTES);

	list(folder, all, capacity);
	while (all->n && (all->bytes > MOST_BYTES || all->n == MOST_FILES))
		remove_oldest(folder, all);
}

/* ---- new files ---- */

/* More than the limit on files would be a signal. */
static bool may_write(void)
{
	uint64_t limit[2];

	return SYS(__NR_getrlimit, RLIMIT_FILE, limit, 0) == 0 &&
	       limit[0] > MOST_BYTES;
}

int64_t place_create(uint64_t key)
{
	int64_t folder, fd;
	char name[NAME_BYTES];

	if (!may_write())
		return -1;
	folder = open_directory();
	if (folder == -2) { /* ENOENT */
		make_directory();
		folder = open_directory();
	}
	if (is_error(folder))
		return folder;
	name_of_new(name, key);
	fd = open_in(folder, name, CREATE_NEW);
	SYS(__NR_close, folder, 0, 0);
	return fd;
}

void place_finish(int64_t fd, uint64_t key, bool is_done)
{
	int64_t folder = open_directory();
	char from[NAME_BYTES], to[NAME_BYTES];

	name_of_new(from, key);
	name_of(to, key);
	SYS(__NR_close, fd, 0, 0);
	if (is_error(folder))
		return;
	if (is_done && !sys6(__NR_renameat, (uint64_t)folder, (uint64_t)from,
			     (uint64_t)folder, (uint64_t)to, 0, 0))
		make_room(folder);
	else
		remove(folder, from);
	SYS(__NR_close, folder, 0, 0);
}
