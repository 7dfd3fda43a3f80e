/* SPDX-License-Identifier: BSD-3-Clause */
/* What the engine needs memory for besides running code: other programs, also
 * scripts and open files, and the list of what is mapped. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int count_mappings(void)
{
	FILE *list = fopen("/proc/self/maps", "r");
	int lines = 0, c;

	if (!list)
		return 0;
	while ((c = fgetc(list)) != EOF)
		lines += c == '\n';
	fclose(list);
	return lines;
}

static int spawn(const char *path)
{
	char *arguments[] = { (char *)path, NULL };
	int status = 0;
	pid_t child;

	if (posix_spawn(&child, path, NULL, NULL, arguments, environ) ||
	    waitpid(child, &status, 0) != child)
		return 1;
	return status;
}

int main(void)
{
	char script[] = "/tmp/no-memory-XXXXXX",
	     *arguments[] = { script, NULL };
	int fd = mkstemp(script);

	if (fd < 0 || count_mappings() < 3)
		return 1;
	dprintf(fd, "#!/bin/sh -e\necho a script\n");
	fchmod(fd, 0700);
	close(fd);
	printf("spawned: %d\n", spawn(script));
	fflush(stdout);
	unlink(script);
	fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	fexecve(fd, arguments, environ);
	return 1;
}
