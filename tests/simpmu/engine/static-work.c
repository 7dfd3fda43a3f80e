/* SPDX-License-Identifier: BSD-3-Clause */
/* Some work for a static program: formatting, sorting, floating point. Prints
 * nothing that depends on where it runs. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Is not there: the call to it, which is never made, leads to address 0. The
 * engine looks ahead along it. Code at the other address takes the place in
 * its memory of instructions that was 0 so far. */
extern void nowhere(void) __attribute__((weak));
#define PAGE_ADDRESS ((void *)0x30001000)

static void call_there(void)
{
	unsigned char *code =
		mmap(PAGE_ADDRESS, 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (code != PAGE_ADDRESS)
		exit(1);
	code[2] = 0xc3; /* ret */
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	((void (*)(void))(uintptr_t)(code + 2))();
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

int main(void)
{
	static char words[200][16];
	double sum = 0;

	for (int i = 0; i < 200; i++) {
		snprintf(words[i], sizeof(words[i]), "%d", i * 7919 % 1000);
		sum += sqrt((double)i) / (i + 1);
	}
	call_there();
	for (volatile int i = 0; i < 4000; i++)
		if (nowhere)
			nowhere();
	qsort(words, 200, sizeof(words[0]), compare);
	printf("%s %s %.6f\n", words[0], words[199], sum);
	return 0;
}
