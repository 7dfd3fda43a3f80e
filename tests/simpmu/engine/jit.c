/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes code, runs it, rewrites it, unmaps it, maps other code there. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef int function(void);

/* n times inc %eax, then ret */
static void write_code(unsigned char *at, int n)
{
	*at++ = 0x31;
	*at++ = 0xc0;
	for (int i = 0; i < n; i++) {
		*at++ = 0xff;
		*at++ = 0xc0;
	}
	*at = 0xc3;
}

static unsigned char *map(void)
{
	unsigned char *at = mmap(
		(void *)0x10000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static int call(unsigned char *at)
{
	function *f;

	memcpy(&f, &at, sizeof(f));
	return f();
}

int main(void)
{
	int sum = 0;

	for (int round = 0; round < 5; round++) {
		unsigned char *at = map();

		if (!at)
			return 1;
		for (int n = 1; n < 6; n++) {
			write_code(at, n * (round + 1));
			for (int i = 0; i < 100; i++)
				sum += call(at);
		}
		munmap(at, 4096);
	}
	printf("%d\n", sum);
	return sum != 22500;
}
