/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first process of the emulated machine: run /program with the lines of
 * /arguments, and leave QEMU with 64 + its status.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define MAX_ARGUMENTS 63
#define MAX_STATUS    120 /* 64 more must not look like a signal or timeout */

/* SYS_EXIT of Arm's semihosting: QEMU ends with 64 + @status. */
static void leave(int status)
{
#if defined(__aarch64__)
	uint64_t block[2] = { 0x20026, 64 + (uint64_t)status };
	register long x0 __asm__("x0") = 0x18;
	register void *x1 __asm__("x1") = block;

	__asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
#else
	(void)status;
#endif
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

/*
 * QEMU notices the overflow of an instruction counter only when the kernel is
 * entered [pmevcntr_op_finish(): the timer fires one count early and is not
 * set again]. A clock that interrupts every 50 us sees to that. It takes
 * kernel time only: what user code counts does not change.
 */
static void start_kicker(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 50000,
	};

	if (syscall(SYS_perf_event_open, &attr, -1, 0, -1,
		    PERF_FLAG_FD_CLOEXEC) < 0)
		perror("kicker");
}

/* Bytes pass the console as they are, for a program that is spoken to. */
static void make_console_plain(void)
{
	struct termios console;

	if (tcgetattr(STDIN_FILENO, &console))
		return;
	cfmakeraw(&console);
	tcsetattr(STDIN_FILENO, TCSANOW, &console);
	puts("ready");
	fflush(stdout);
}

static int run(char **arguments)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execv(arguments[0], arguments);
		perror(arguments[0]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 126;
	if (WIFSIGNALED(status)) {
		printf("%s: signal %d\n", arguments[0], WTERMSIG(status));
		fflush(stdout);
		return 100;
	}
	return WEXITSTATUS(status);
}

int main(void)
{
	static char program[] = "/program", text[4096];
	char *arguments[MAX_ARGUMENTS + 1] = { program };
	int n = 1, status, fd;

	if (getpid() != 1)
		return 1;
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
	put("/proc/sys/kernel/perf_event_paranoid", "2");
	put("/proc/sys/kernel/perf_user_access", "1");
	start_kicker();

	fd = open("/arguments", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		perror("/arguments");
	for (char *word = strtok(text, "\n"); word && n < MAX_ARGUMENTS;
	     word = strtok(NULL, "\n"))
		arguments[n++] = word;
	if (n > 1 && strcmp(arguments[1], "--pin") == 0)
		make_console_plain();
	status = run(arguments);
	sync();
	leave(status > MAX_STATUS ? MAX_STATUS : status);
	return 1;
}
