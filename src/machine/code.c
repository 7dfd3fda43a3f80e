/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of code in memory of their own, which is never writable and run. */

#include "machine/code.h"

#include <sys/mman.h>

size_t code_ring_bytes(const struct code_ring *ring, size_t page)
{
	/* behind the last piece is the way out */
	size_t bytes =
		(ring->pieces - 1) * ring->spacing + ring->bytes + CODE_LEAST;

	return (bytes + page - 1) / page * page;
}

bool code_open(struct code *code, struct code_ring *rings, size_t n,
	       size_t page)
{
	unsigned char *at;
	bool good = true;

	code->bytes = 0;
	for (size_t i = 0; i < n; i++)
		code->bytes += code_ring_bytes(&rings[i], page);
	code->memory = mmap(NULL, code->bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code->memory == MAP_FAILED)
		return false;
	madvise(code->memory, code->bytes, MADV_NOHUGEPAGE);
	at = code->memory;
	for (size_t i = 0; good && i < n; i++) {
		good = arch_write_code(&rings[i], at);
		at += code_ring_bytes(&rings[i], page);
	}
	good = good &&
	       mprotect(code->memory, code->bytes, PROT_READ | PROT_EXEC) == 0;
	if (!good)
		code_close(code);
	return good;
}

void code_close(struct code *code)
{
	munmap(code->memory, code->bytes);
	code->memory = NULL;
}

void code_run(void *ring, uint64_t times)
{
	arch_run_code(((struct code_ring *)ring)->entry, times);
}
