/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel and a few words of a C library: the engine is linked with
 * neither. Only what more than one file needs.
 */
#pragma once

#include <asm/unistd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
void *memmove(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);

static inline int64_t sys6(uint64_t number, uint64_t a, uint64_t b, uint64_t c,
			   uint64_t d, uint64_t e, uint64_t f)
{
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;
	int64_t result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define SYS(number, a, b, c)                                                   \
	sys6((number), (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), 0, 0, 0)

static inline bool is_error(int64_t result)
{
	return result < 0 && result > -4096;
}

#define PAGE          4096u
#define PROT_R        1
#define PROT_W        2
#define PROT_X        4
#define MAP_IS_SHARED 1
#define MAP_IS_OWN    2
#define MAP_AT        0x10
#define MAP_NO_FILE   0x20
#define MAP_NO_COMMIT 0x4000
#define MAP_IF_FREE   0x100000

static inline uint64_t page_up(uint64_t n)
{
	return (n + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* Map memory that is the engine's, apart from the guest's: the address, or
 * minus an error. */
int64_t sys_map(size_t bytes, uint64_t flags, int64_t fd);
/* Zeroed memory, which costs nothing until it is touched; ends without. */
void *sys_memory(size_t bytes);
/* The same at a fixed place. */
void *sys_memory_at(uint64_t at, size_t bytes, int prot);
/* How much of the addresses is the engine's, for limits. */
uint64_t sys_reserved(void);
/* Ask for 2 MB pages; for memory that is used already. */
void sys_prefer_huge(void *memory, size_t bytes);
void sys_make_huge(void *memory, size_t bytes);

size_t text_length(const char *text);
bool text_equal(const char *a, const char *b);
bool text_begins(const char *text, const char *beginning);

/* Format with %s (const char *), %d and %x (uint64_t); at most @capacity. */
size_t text_format(char *to, size_t capacity, const char *format, ...);

/* The whole of a file, with a 0 behind it; NULL if it cannot be read. What is
 * longer than the room is cut off. */
#define SYS_FILE_CAPACITY (1u << 20)
char *sys_read_file(const char *path);
void sys_free_file(char *text);

/* Copy that may fault: 0, or -1. */
int guest_copy(void *to, const void *from, size_t n);

static inline uint64_t sys_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return low | (uint64_t)high << 32;
}
