/* SPDX-License-Identifier: BSD-3-Clause */
/* Forks children, of which one execs this program anew and one another. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i;
}

static void child(int i, char **argv)
{
	work(1000 * i);
	if (i == 1)
		execl(argv[0], argv[0], "leaf", (char *)NULL);
	if (i == 2)
		execl("/bin/echo", "echo", "another", (char *)NULL);
	_exit(i);
}

int main(int argc, char **argv)
{
	int sum = 0;

	if (argc > 1 && !strcmp(argv[1], "leaf")) {
		work(5000);
		return 7;
	}
	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			child(i, argv);
		waitpid(pid, &status, 0);
		sum += WEXITSTATUS(status);
	}
	return sum == 0 + 7 + 0 + 3 ? 0 : 1;
}
