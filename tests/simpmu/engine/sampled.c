/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single-steps a program and prints the address of every Nth instruction that
 * it completes, each with how many times it was one: what samples of
 * instructions must show. Usage: sampled N program
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 100000

static int compare(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a;
	unsigned long y = *(const unsigned long *)b;

	return (x > y) - (x < y);
}

/* f3 or f2, perhaps a REX prefix, and movs, cmps, stos, lods or scas. */
static bool is_rep(pid_t child, unsigned long pc)
{
	long word = ptrace(PTRACE_PEEKTEXT, child, (void *)pc, NULL);
	unsigned char code[sizeof(word)], *at = code + 1;

	memcpy(code, &word, sizeof(word));
	if ((*at & 0xf0) == 0x40)
		at++;
	return (code[0] | 1) == 0xf3 &&
	       ((*at >= 0xa4 && *at <= 0xa7) || (*at >= 0xaa && *at <= 0xaf));
}

static void print(unsigned long *at, size_t n)
{
	qsort(at, n, sizeof(*at), compare);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i; next < n && at[next] == at[i]; next++)
			;
		printf("%lu %zu\n", at[i], next - i);
	}
}

int main(int argc, char **argv)
{
	static unsigned long at[MOST];
	unsigned long every = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long done = 0, before = 0;
	struct user_regs_struct regs;
	size_t n = 0;
	pid_t child;
	int status;

	if (!every)
		return 2;
	child = fork();
	if (!child) {
		close(1); /* what it prints is not ours */
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(argv[2], argv[2], (char *)NULL);
		_exit(127);
	}
	/* a rep stops after each iteration, and is complete when it is left */
	while (waitpid(child, &status, 0) == child && !WIFEXITED(status)) {
		if (!WIFSTOPPED(status) ||
		    ptrace(PTRACE_GETREGS, child, NULL, &regs))
			return 1;
		if (before && (regs.rip != before || !is_rep(child, before)) &&
		    ++done % every == 0 && n < MOST)
			at[n++] = before;
		before = regs.rip;
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
	}
	print(at, n);
	return 0;
}
