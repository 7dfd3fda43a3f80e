/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that each run a loop of known length, one after the other and three
 * at a time. Made so that the number of instructions does not depend on who
 * is first: without the C library's threads and their locks, and waited for
 * by reading from a pipe, which is one system call whether there is something
 * to read or not.
 */
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 7
#define FLAGS                                                                  \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |    \
	 CLONE_SYSVSEM)

static char stacks[THREADS][1 << 14] __attribute__((aligned(4096)));
static int used, pipes[2];

/* A thread that counts down from @rounds, writes a byte and ends. */
static void start_thread(long rounds)
{
	register void *unused __asm__("r10") = NULL;
	register long counter __asm__("r12") = rounds;
	long result;

	__asm__ volatile("syscall\n"
			 "test %%rax, %%rax\n"
			 "jnz 2f\n"
			 "1: dec %[counter]\n"
			 "jnz 1b\n"
			 "mov %[write], %%eax\n"
			 "mov %[out], %%edi\n"
			 "mov %%rsp, %%rsi\n"
			 "mov $1, %%edx\n"
			 "syscall\n"
			 "mov %[exit], %%eax\n"
			 "xor %%edi, %%edi\n"
			 "syscall\n"
			 "2:\n"
			 : "=a"(result), [counter] "+r"(counter)
			 : "a"(SYS_clone), "D"(FLAGS),
			   "S"(stacks[used] + sizeof(stacks[0]) - 64),
			   "d"(NULL), "r"(unused), [out] "r"(pipes[1]),
			   [write] "i"(SYS_write), [exit] "i"(SYS_exit)
			 : "rcx", "r11", "cc", "memory");
	used++;
}

static void run(int threads, long rounds)
{
	for (int i = 0; i < threads; i++)
		start_thread(rounds + i);
	for (int i = 0; i < threads; i++) {
		char byte;

		if (read(pipes[0], &byte, 1) != 1)
			puts("nothing to read");
	}
}

int main(void)
{
	if (pipe(pipes))
		return 1;
	for (int i = 0; i < 4; i++)
		run(1, 100000);
	run(3, 1000000);
	sleep(1); /* until the last one is gone */
	puts("done");
	return 0;
}
