/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the compiler's checks of addresses and of undefined behaviour call, for
 * an engine that has no C library: libasan and libubsan want addresses that
 * are the engine's, and a C library. Built with -fsanitize=kernel-address and
 * -fsanitize=undefined, which ask for nothing but the functions below.
 *
 * A byte of shadow says how many of 8 bytes may be used: 0 all, 1 to 7 the
 * first ones, from 0x80 on none. What nobody has said anything about, such as
 * the guest's memory, may be used. Global variables and stack frames have
 * forbidden bytes around them, and so has what sys_memory() returns.
 *
 * The first mistake ends the process with a line and status 99; --mistake=NAME
 * makes one (mistakes.c).
 */
#include <stddef.h>
#include <stdint.h>

#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/model/tally.h"

#define SHADOW     UINT64_C(0x680000000000) /* -fasan-shadow-offset */
#define SHADOW_END UINT64_C(0x780000000000)
#define FORBIDDEN  0xfe
#define STATUS     99

static uint8_t *shadow_of(uint64_t address)
{
	return (uint8_t *)((address >> 3) + SHADOW);
}

static void end(const char *line, size_t n)
{
	SYS(__NR_write, 2, line, n);
	SYS(__NR_exit_group, STATUS, 0, 0);
	__builtin_unreachable();
}

/* ---- addresses ---- */

static bool is_allowed(uint64_t address)
{
	uint8_t s = *shadow_of(address);

	return !s || (s < 0x80 && (address & 7) < s);
}

static void fail(const char *what, uint64_t address, void *from)
{
	char line[200];

	end(line,
	    text_format(line, sizeof(line), "checked: %s at %x, from %x\n",
			what, address, (uint64_t)from));
}

static void check(const char *what, uint64_t address, uint64_t n, void *from)
{
	if (!n || address >> 47) /* the processor refuses those itself */
		return;
	for (uint64_t at = address; at < address + n; at += 8)
		if (!is_allowed(at))
			fail(what, at, from);
	if (!is_allowed(address + n - 1))
		fail(what, address + n - 1, from);
}

#define CALLER __builtin_return_address(0)

#define ACCESS(n)                                                              \
	void __asan_load##n##_noabort(uint64_t at);                            \
	void __asan_store##n##_noabort(uint64_t at);                           \
	void __asan_load##n##_noabort(uint64_t at)                             \
	{                                                                      \
		check("a load of " #n " bytes", at, n, CALLER);                \
	}                                                                      \
	void __asan_store##n##_noabort(uint64_t at)                            \
	{                                                                      \
		check("a store of " #n " bytes", at, n, CALLER);               \
	}

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __asan_loadN_noabort(uint64_t at, uint64_t n);
void __asan_storeN_noabort(uint64_t at, uint64_t n);
void __asan_handle_no_return(void);

void __asan_loadN_noabort(uint64_t at, uint64_t n)
{
	check("a load", at, n, CALLER);
}

void __asan_storeN_noabort(uint64_t at, uint64_t n)
{
	check("a store", at, n, CALLER);
}

void __asan_handle_no_return(void)
{
}

static void forbid(uint64_t from, uint64_t end)
{
	if (from & 7) {
		*shadow_of(from) = from & 7;
		from = (from | 7) + 1;
	}
	for (; from < end; from += 8)
		*shadow_of(from) = FORBIDDEN;
}

/* As the compiler describes a global variable. */
struct global {
	uint64_t start, bytes, bytes_padded;
	const char *name, *file;
	uint64_t is_dynamic, place, indicator;
};

void __asan_register_globals(const struct global *all, uint64_t n);
void __asan_unregister_globals(const struct global *all, uint64_t n);

void __asan_register_globals(const struct global *all, uint64_t n)
{
	for (; n--; all++)
		forbid(all->start + all->bytes, all->start + all->bytes_padded);
}

void __asan_unregister_globals(const struct global *all, uint64_t n)
{
	(void)all;
	(void)n;
}

/* ---- what the engine does by other means than loads and stores ---- */

#define WRAPPED(type, name, ...)                                               \
	type __real_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__)

WRAPPED(void *, memcpy, void *to, const void *from, size_t n)
{
	check("memcpy to", (uint64_t)to, n, CALLER);
	check("memcpy from", (uint64_t)from, n, CALLER);
	return __real_memcpy(to, from, n);
}

WRAPPED(void *, memset, void *to, int byte, size_t n)
{
	check("memset", (uint64_t)to, n, CALLER);
	return __real_memset(to, byte, n);
}

WRAPPED(int, guest_copy, void *to, const void *from, size_t n)
{
	check("copy to", (uint64_t)to, n, CALLER);
	check("copy from", (uint64_t)from, n, CALLER);
	return __real_guest_copy(to, from, n);
}

WRAPPED(void *, sys_memory, size_t bytes)
{
	uint64_t at = (uint64_t)__real_sys_memory(bytes + PAGE);

	forbid(at + bytes, at + page_up(bytes + PAGE));
	return (void *)at;
}

extern const uint8_t __executable_start[], _end[];

/* The engine's sum of its own image goes over what lies between variables. */
WRAPPED(uint64_t, image_mix, uint64_t sum, const void *data, size_t bytes)
{
	const uint8_t *p = data;

	if (p < __executable_start || p >= _end)
		return __real_image_mix(sum, data, bytes);
	while (bytes--)
		sum = sum * 31 + *p++;
	return sum;
}

/* ---- stacks ---- */

/*
 * Frames below the stack pointer are gone, also those that were left without
 * a return: into translated code, or by rt_sigreturn.
 */
static void clear_stack(void)
{
	uint64_t at = (uint64_t)__builtin_frame_address(0) & ~(uint64_t)7;

	__real_memset(shadow_of(at - ENGINE_STACK / 2), 0, ENGINE_STACK / 16);
}

struct context;

WRAPPED(void, dispatch, struct thread *t)
{
	clear_stack();
	__real_dispatch(t);
}

WRAPPED(void, dispatch_again, struct thread *t)
{
	clear_stack();
	__real_dispatch_again(t);
}

WRAPPED(void, signal_deliver, struct thread *t)
{
	clear_stack();
	__real_signal_deliver(t);
}

WRAPPED(void, signal_handle, int sig, const uint8_t *info, struct context *c)
{
	clear_stack();
	__real_signal_handle(sig, info, c);
}

/* ---- undefined behaviour: where it is comes first in what is passed ---- */

struct source {
	const char *file;
	uint32_t line, column;
};

static void tell(const char *what, const struct source *at)
{
	char line[300];

	end(line,
	    text_format(line, sizeof(line), "checked: %s at %s:%d:%d\n", what,
			at->file, (uint64_t)at->line, (uint64_t)at->column));
}

#define MISTAKE(name)                                                          \
	void __ubsan_handle_##name(const struct source *at);                   \
	void __ubsan_handle_##name(const struct source *at)                    \
	{                                                                      \
		tell(#name, at);                                               \
	}

MISTAKE(add_overflow)
MISTAKE(sub_overflow)
MISTAKE(mul_overflow)
MISTAKE(negate_overflow)
MISTAKE(divrem_overflow)
MISTAKE(shift_out_of_bounds)
MISTAKE(out_of_bounds)
MISTAKE(type_mismatch_v1)
MISTAKE(pointer_overflow)
MISTAKE(vla_bound_not_positive)
MISTAKE(load_invalid_value)
MISTAKE(builtin_unreachable)
MISTAKE(missing_return)
MISTAKE(invalid_builtin)
MISTAKE(float_cast_overflow)
MISTAKE(nonnull_arg)

/* ---- before the engine's own start ---- */

extern void (*const __init_array_start[])(void);
extern void (*const __init_array_end[])(void);

void checked_init(uint64_t argc, char **argv);
void make_mistake(const char *name);

void checked_init(uint64_t argc, char **argv)
{
	const char *option = "--mistake=";

	int64_t at =
		sys6(__NR_mmap, SHADOW, SHADOW_END - SHADOW, PROT_R | PROT_W,
		     MAP_IS_OWN | MAP_NO_FILE | MAP_NO_COMMIT | MAP_IF_FREE,
		     (uint64_t)-1, 0);

	if (at != (int64_t)SHADOW)
		SYS(__NR_exit_group, STATUS, 0, 0);
	for (size_t i = 0; i < (size_t)(__init_array_end - __init_array_start);
	     i++)
		__init_array_start[i]();
	if (argc > 1 && text_begins(argv[1], option))
		make_mistake(argv[1] + text_length(option));
}

__asm__(".text\n"
	".globl checked_start\n"
	"checked_start:\n"
	"\tmovq %rsp, %rbx\n"
	"\tmovq (%rsp), %rdi\n"
	"\tleaq 8(%rsp), %rsi\n"
	"\tandq $-16, %rsp\n"
	"\tcall checked_init\n"
	"\tmovq %rbx, %rsp\n"
	"\tjmp _start\n");
