/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are replaced whole: links, pipes, devices and names that cannot
 * be.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/folder.h"

static void write_text(const char *text, int commit)
{
	struct outfile *file;

	assert_int_equal(outfile_open(path, &file, NULL), 0);
	fputs(text, outfile_stream(file));
	if (commit)
		assert_int_equal(outfile_commit(file, NULL), 0);
	else
		outfile_abort(file);
}

TEST(test_old_file_stays_until_commit)
{
	write_text("one", 1);
	write_text("two", 0);
	expect_file(__LINE__, "out", "one");
	write_text("three", 1);
	expect_file(__LINE__, "out", "three");
}

/* A mistake here would turn somebody's /dev/null into a file. */
TEST(test_what_is_no_file_is_never_replaced)
{
	char seen[8] = "";
	struct outfile *file;
	struct stat st;
	int reader;

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(outfile_open(path, &file, NULL), 0);
	fputs("text", outfile_stream(file));
	assert_int_equal(outfile_commit(file, NULL), 0);
	assert_int_equal(read(reader, seen, sizeof(seen) - 1), 4);
	assert_string_equal(seen, "text");
	close(reader);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	unlink(path);
}

TEST(test_pipe_without_a_path_is_written_to)
{
	char own[40], seen[8] = "";
	struct outfile *file;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(own, sizeof(own), "/proc/self/fd/%d", ends[1]);
	assert_int_equal(outfile_open(own, &file, NULL), 0);
	fputs("text", outfile_stream(file));
	assert_int_equal(outfile_commit(file, NULL), 0);
	assert_int_equal(read(ends[0], seen, sizeof(seen) - 1), 4);
	assert_string_equal(seen, "text");
	close(ends[0]);
	close(ends[1]);
}

/* Writing through the link "out" to "out.target" leaves it a link. */
static void check_link(const char *target)
{
	struct stat st;

	write_text("through", 1);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	expect_file(__LINE__, "out.target", "through");
	unlink(path);
	unlink(target);
}

TEST(test_links_are_followed)
{
	char target[80];

	snprintf(target, sizeof(target), "%s.target", path);
	unlink(path);
	assert_int_equal(symlink("out.target", path), 0);
	fclose(fopen(target, "w"));
	check_link(target);
}

/* Also where there is nothing yet: the link is no file to be replaced. */
TEST(test_links_to_nothing_are_followed)
{
	struct diag diag = { .text = "" };
	struct outfile *file;
	char target[80];

	snprintf(target, sizeof(target), "%s.target", path);
	assert_int_equal(symlink("out.target", path), 0);
	check_link(target);

	/* as /dev/stdout is when standard output is closed */
	assert_int_equal(symlink("/proc/self/fd/999", path), 0);
	assert_int_equal(outfile_open(path, &file, &diag), PAPI_ESYS);
	unlink(path);
	assert_int_equal(symlink("out", path), 0);
	assert_int_equal(outfile_open(path, &file, &diag), PAPI_ESYS);
	unlink(path);
}

TEST(test_unwritable_place_is_named)
{
	struct diag diag = { 0 };
	struct outfile *file;

	assert_int_equal(outfile_open("/nowhere/out", &file, &diag), PAPI_ESYS);
	assert_non_null(strstr(diag.text, "/nowhere/out"));
}

/* Before there is something to write, which a run may take hours to make. */
TEST(test_impossible_name_is_refused_at_once)
{
	char longest[300], one_more[300];
	struct diag diag = { 0 };
	struct outfile *file;

	snprintf(longest, sizeof(longest), "%s/%0255d", folder, 0);
	snprintf(one_more, sizeof(one_more), "%s/%0256d", folder, 0);
	assert_int_equal(outfile_open("", &file, &diag), PAPI_ESYS);
	assert_int_equal(outfile_open(one_more, &file, &diag), PAPI_ESYS);
	for (int i = 0; i < 2; i++) { /* new, and in the place of an old one */
		assert_int_equal(outfile_open(longest, &file, &diag), 0);
		assert_int_equal(outfile_commit(file, &diag), 0);
	}
	assert_int_equal(unlink(longest), 0);
}

TEST(test_a_device_is_no_trap)
{
	struct diag diag = { 0 };
	char *text = NULL;
	size_t len;

	assert_int_equal(file_read("/dev/zero", &text, &len, &diag),
			 PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "/dev/zero"));
	assert_null(text);
}

TEST(test_full_disk_is_an_error)
{
	struct outfile *file;
	struct diag diag = { 0 };
	char big[512];

	write_text("kept", 1);
	assert_int_equal(outfile_open(path, &file, NULL), 0);
	/* /dev/full stands for a disk with no room left */
	assert_non_null(freopen("/dev/full", "w", outfile_stream(file)));
	memset(big, 'x', sizeof(big));
	fwrite(big, 1, sizeof(big), outfile_stream(file));
	assert_int_equal(outfile_commit(file, &diag), PAPI_ESYS);
	assert_non_null(strstr(diag.text, "space"));
}

TEST(test_mode_and_owner_are_kept)
{
	bool is_root = geteuid() == 0;
	struct stat st;

	unlink(path);
	write_text("secret", 1);
	assert_int_equal(chmod(path, 0600), 0);
	if (is_root)
		assert_int_equal(chown(path, 12345, 12345), 0);
	write_text("more secret", 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, is_root ? 12345 : geteuid());
	unlink(path);
}

/* Only root can make a link that another user owns. */
TEST(test_links_of_others_are_refused_where_all_can_write)
{
	char victim[sizeof(folder) + 16], link[sizeof(folder) + 16];
	struct diag diag = { .text = "" };
	struct outfile *file;

	if (geteuid() != 0)
		skip();
	snprintf(victim, sizeof(victim), "%s/victim", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink(victim, link), 0);
	assert_int_equal(lchown(link, 12345, 12345), 0);
	assert_int_equal(chmod(folder, 01777), 0);
	assert_int_equal(outfile_open(link, &file, &diag), PAPI_ESYS);
	assert_non_null(strstr(diag.text, "another user"));
	assert_int_not_equal(access(victim, F_OK), 0);
	assert_int_equal(lchown(link, 0, 0), 0);
	assert_int_equal(outfile_open(link, &file, &diag), 0);
	outfile_abort(file);
	assert_int_equal(chmod(folder, 0700), 0);
	unlink(link);
}

RUN_ALL_TESTS_WITH(make_folder, remove_folder)
