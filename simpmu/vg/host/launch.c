/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simpmu: runs a program under the tool. Starts the tool the way Valgrind's
 * own launcher would, but from this program's folder, without reading
 * Valgrind's option files, and without touching the guest's environment.
 * Valgrind comes back to it for every program that the guest execs.
 *
 * Usage: simpmu [options of the tool] program [arguments]
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "simpmu-amd64-linux"

/* Always given; the first one marks a command line that has them already. */
static const char *const core_options[] = {
	"--command-line-only=yes",
	"-q",
	"--vgdb=no",
	"--trace-children=yes",
};

#define CORE_OPTIONS (sizeof(core_options) / sizeof(core_options[0]))

static int fail(const char *what)
{
	fprintf(stderr, "simpmu: %s: %s\n", what, strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

/* A program for other processors than x86-64 is run as it is. */
static int is_foreign(const char *path)
{
	unsigned char head[EI_NIDENT] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, head, sizeof(head));
	close(fd);
	return n == (ssize_t)sizeof(head) && !memcmp(head, ELFMAG, SELFMAG) &&
	       head[EI_CLASS] != ELFCLASS64;
}

static int run_tool(const char *tool, char **argv, int argc)
{
	char **args = calloc((size_t)argc + CORE_OPTIONS + 1, sizeof(*args));
	int n = 0;

	if (!args)
		return fail("cannot start");
	args[n++] = argv[0];
	if (argc < 2 || strcmp(argv[1], core_options[0]))
		for (size_t i = 0; i < CORE_OPTIONS; i++)
			args[n++] = strdup(core_options[i]);
	for (int i = 1; i < argc; i++)
		args[n++] = argv[i];
	execv(tool, args);
	return fail(tool);
}

int main(int argc, char **argv)
{
	char self[PATH_MAX], tool[PATH_MAX + sizeof(TOOL)];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int program = 1;
	char *slash;

	if (n < 0)
		return fail("/proc/self/exe");
	self[n] = '\0';
	setenv("VALGRIND_LAUNCHER", self, 1);
	slash = strrchr(self, '/');
	*slash = '\0';
	setenv("VALGRIND_LIB", self, 1);
	snprintf(tool, sizeof(tool), "%s/%s", self, TOOL);

	while (program < argc && argv[program][0] == '-')
		program++;
	if (program == argc) {
		fprintf(stderr,
			"usage: simpmu [options] program [arguments]\n");
		return 2;
	}
	if (is_foreign(argv[program])) {
		unsetenv("VALGRIND_LAUNCHER");
		unsetenv("VALGRIND_LIB");
		execv(argv[program], argv + program);
		return fail(argv[program]);
	}
	return run_tool(tool, argv, argc);
}
