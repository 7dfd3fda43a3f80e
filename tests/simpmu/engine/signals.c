/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals of all kinds: raised, faults that are jumped out of, faults that
 * are repaired and repeated. Prints how many instructions faulted: they began
 * and did not retire.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile int handled;
static char *page;

static void count(int signo)
{
	(void)signo;
	handled++;
}

static void jump(int signo)
{
	(void)signo;
	siglongjmp(back, 1);
}

static void repair(int signo)
{
	(void)signo;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static int faults(void)
{
	volatile int n = 0;

	for (volatile int i = 0; i < 10; i++) {
		if (!sigsetjmp(back, 1)) {
			*(volatile int *)16 = i;
			handled += 1000000;
		} else {
			n++;
		}
	}
	return n;
}

static int repairs(void)
{
	int n = 0;

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 10; i++, n++) {
		mprotect(page, 4096, PROT_NONE);
		page[i] = (char)i;
		page[i + 100] = page[i];
	}
	/* in the middle of a rep string */
	mprotect(page, 4096, PROT_NONE);
	memset(page, 7, 1);
	return n + 1;
}

int main(void)
{
	int n;

	signal(SIGUSR1, count);
	for (int i = 0; i < 50; i++)
		raise(SIGUSR1);
	signal(SIGSEGV, jump);
	n = faults();
	signal(SIGSEGV, repair);
	n += repairs();
	signal(SIGSEGV, count);
	raise(SIGSEGV);
	printf("%d %d\n", n, handled);
	return handled != 51;
}
