/* SPDX-License-Identifier: BSD-3-Clause */
/* ends HOW: a program that comes to an end in one of several ways. */
#include <asm/prctl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Instructions whose number does not depend on how it ends. */
static void work(void)
{
	long n = 100000;

	__asm__ volatile("1: dec %0\n"
			 "jnz 1b\n"
			 : "+r"(n)
			 :
			 : "cc");
}

/* Take memory until there is no more. The simulator lives within the limit
 * too, and must still work when the program has taken all. */
static void use_up_memory(void)
{
	const struct rlimit room = { 1 << 30, 1 << 30 };
	const size_t bytes = 1 << 18;
	char *memory;

	setrlimit(RLIMIT_AS, &room);
	while ((memory = malloc(bytes)))
		memory[bytes / 2] = 1;
	fputs("no memory\n", stderr);
}

/* Use the register that the fast engine needs itself. */
static int use_gs(int late)
{
	static long here[4];

	if (late) {
		puts("early");
		fflush(stdout);
	}
	syscall(SYS_arch_prctl, ARCH_SET_GS, here);
	puts("once");
	return 5;
}

int main(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "gs") || !strcmp(how, "late-gs"))
		return use_gs(how[0] == 'l');
	setrlimit(RLIMIT_CORE, &no_core);
	work();
	if (!strcmp(how, "exit"))
		return 3;
	if (!strcmp(how, "hungry")) {
		use_up_memory();
		return 12;
	}
	if (!strcmp(how, "starved")) {
		use_up_memory();
		abort();
	}
	if (!strcmp(how, "crash"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "trap"))
		__asm__ volatile("int3");
	if (!strcmp(how, "illegal"))
		__asm__ volatile("ud2");
	if (!strcmp(how, "avx512")) /* which Valgrind does not know */
		__asm__ volatile(".byte 0x62,0xf1,0x7c,0x48,0x58,0xc0");
	if (!strcmp(how, "divide"))
		__asm__ volatile("xor %%ecx, %%ecx\n"
				 "div %%ecx\n" ::
					 : "rax", "rcx", "rdx", "cc");
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "term"))
		raise(SIGTERM);
	if (!strcmp(how, "exec"))
		execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
	return 0;
}
