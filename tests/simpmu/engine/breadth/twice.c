/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code in a memory file that is mapped twice, as run-time systems do that never
 * have memory which is writable and executable: written by way of one mapping,
 * which then ends or loses its permission, and executed by way of the other.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES  8192
#define ROUNDS 3000 /* more than it takes for code to be hot */

static int memory;

/* mov $n, %eax; ret */
static void put(unsigned char *at, int n)
{
	at[0] = 0xb8;
	memcpy(at + 1, &n, sizeof(n));
	at[5] = 0xc3;
}

static unsigned char *map(int prot)
{
	return mmap(NULL, BYTES, prot, MAP_SHARED, memory, 0);
}

int main(void)
{
	unsigned char *code, *writable;
	int (*f)(void);
	long sum = 0;

	memory = memfd_create("code", 0);
	if (memory < 0 || ftruncate(memory, BYTES))
		return 1;
	code = map(PROT_READ | PROT_EXEC);
	if (code == MAP_FAILED)
		return 1;
	memcpy(&f, &code, sizeof(f));
	for (int n = 1; n <= 20; n++) {
		writable = map(PROT_READ | PROT_WRITE);
		if (writable == MAP_FAILED)
			return 1;
		put(writable, n);
		if (n % 2)
			munmap(writable, BYTES);
		else
			mprotect(writable, BYTES, PROT_READ);
		for (int i = 0; i < ROUNDS; i++)
			sum += f();
		printf("%d %ld\n", f(), sum);
	}
	return 0;
}
