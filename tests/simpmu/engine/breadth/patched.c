/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that changes itself: an immediate of a loop that is running, a function
 * that writes the instruction right behind itself, code on the stack, and code
 * that another thread calls while it is rewritten.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef int function(void);

static unsigned char *page;
static volatile int is_called, stop, wrong;

static int call(const void *at)
{
	function *f;

	memcpy(&f, &at, sizeof(f));
	return f();
}

/* mov $n, %eax; ret: the immediate is in one aligned word */
static void write_answer(unsigned char *at, int n)
{
	at[0] = at[1] = at[2] = 0x90;
	at[3] = 0xb8;
	at[8] = 0xc3;
	__atomic_store_n((int *)(void *)(at + 4), n, __ATOMIC_RELEASE);
}

static int rewrite_often(void)
{
	int sum = 0;

	for (int n = 0; n < 300; n++) {
		write_answer(page, n);
		for (int i = 0; i < 10; i++)
			sum += call(page);
	}
	return sum;
}

/* Adds 1 to its own immediate, which is executed next, @n times. */
static int change_ahead(int n)
{
	int result;

	__asm__ volatile("1:	addl $1, 2f+1(%%rip)\n"
			 "2:	mov $0, %%eax\n"
			 "	dec %1\n"
			 "	jnz 1b\n"
			 : "=&a"(result), "+r"(n)
			 :
			 : "memory");
	return result;
}

static void *caller(void *unused)
{
	while (!stop) {
		int n = call(page + 64);

		wrong += n < 0 || n > 2000;
		is_called = 1;
	}
	return unused;
}

static void change_under_others(void)
{
	pthread_t thread;

	write_answer(page + 64, 0);
	pthread_create(&thread, NULL, caller, NULL);
	while (!is_called)
		;
	for (int n = 0; n <= 2000; n++)
		write_answer(page + 64, n);
	if (call(page + 64) != 2000)
		wrong++;
	stop = 1;
	pthread_join(thread, NULL);
	printf("wrong %d\n", wrong);
}

static int call_on_stack(void)
{
	unsigned char code[16] __attribute__((aligned(16)));
	uintptr_t first = (uintptr_t)code & ~(uintptr_t)4095;
	int sum = 0;

	if (mprotect((void *)first, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
		return -1;
	for (int n = 0; n < 20; n++) {
		write_answer(code, n);
		sum += call(code);
	}
	return sum;
}

int main(void)
{
	uintptr_t own = (uintptr_t)change_ahead & ~(uintptr_t)4095;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED ||
	    mprotect((void *)own, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		return 1;
	printf("rewritten %d\n", rewrite_often());
	printf("changed ahead %d\n", change_ahead(1000));
	printf("on the stack %d\n", call_on_stack());
	change_under_others();
	return 0;
}
