/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of this very program, and its own stack. */
#include "testing.h"

#include <dlfcn.h>
#include <string.h>
#include <ucontext.h>

#include "symbol/symbol.h"
#include "symbol/unwind.h"

#define SELF "/proc/self/exe"

/* How far the program lies from its own addresses. */
static uint64_t bias(void)
{
	Dl_info info;

	assert_true(dladdr((void *)(uintptr_t)bias, &info));
	return (uint64_t)(uintptr_t)info.dli_fbase;
}

static struct symbol_object *open_self(void)
{
	struct symbol_object *object = NULL;
	struct diag diag = { .text = "" };

	assert_int_equal(symbol_open(SELF, &object, &diag), 0);
	return object;
}

static const char *name_at(struct symbol_object *object, uint64_t address)
{
	static struct symbol_place place;

	symbol_find(object, address, &place);
	assert_true(place.n >= 1);
	return place.frames[place.n - 1].function;
}

static void test_finds_function_and_line(void **state)
{
	struct symbol_object *object = open_self();
	uint64_t start = (uint64_t)(uintptr_t)test_finds_function_and_line;
	struct symbol_place place;

	(void)state;
	assert_int_equal(symbol_source(object), SYMBOL_DEBUG);
	symbol_find(object, start - bias(), &place);
	assert_int_equal(place.n, 1);
	assert_string_equal(place.frames[0].function,
			    "test_finds_function_and_line");
	assert_int_equal(place.frames[0].address, start - bias());
	assert_true(place.frames[0].bytes > 0);
	assert_int_equal(place.frames[0].file[0], '/');
	assert_non_null(strstr(place.frames[0].file, "test_symbol.c"));
	assert_true(place.frames[0].line > 40 && place.frames[0].line < 50);
	symbol_close(object);
}

static void test_every_address_has_an_answer(void **state)
{
	struct symbol_object *object = open_self();

	(void)state;
	assert_non_null(strstr(name_at(object, 0), "[exe+0x"));
	assert_non_null(strstr(name_at(object, UINT64_MAX), "[exe+0x"));
	symbol_close(object);
}

static void test_vdso_has_names(void **state)
{
	struct symbol_object *object = NULL;
	struct diag diag = { .text = "" };

	(void)state;
	if (symbol_open("[vdso]", &object, &diag))
		skip(); /* this kernel gives none to look at */
	assert_int_equal(symbol_source(object), SYMBOL_DYNSYM);
	symbol_close(object);
}

static void test_refuses_what_is_no_elf(void **state)
{
	static const char *const paths[] = { FIXTURES "/profile/two.json",
					     "/dev/null", "/", "/no/such" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct symbol_object *object = NULL;
		struct diag diag = { .text = "" };

		assert_int_not_equal(symbol_open(paths[i], &object, &diag), 0);
		assert_null(object);
		assert_true(diag.text[0]);
	}
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
/*
 * Not under the address sanitizer: a stack looked at from outside has places
 * that it forbids. The registers of this function, as DWARF numbers them.
 */
static void take_registers(const ucontext_t *from, uint64_t *to)
{
	static const int order[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX,
				     REG_RSI, REG_RDI, REG_RBP, REG_RSP,
				     REG_R8,  REG_R9,  REG_R10, REG_R11,
				     REG_R12, REG_R13, REG_R14, REG_R15,
				     REG_RIP };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		to[i] = (uint64_t)from->uc_mcontext.gregs[order[i]];
}

__attribute__((noinline)) static size_t unwind_here(uint64_t *pcs, size_t room)
{
	const struct unwind_module self = { SELF, bias() };
	struct unwinder *u = unwinder_new(&self, 1);
	struct unwind_state s = { 0 };
	uint64_t registers[17];
	ucontext_t context;
	size_t n;

	assert_non_null(u);
	getcontext(&context);
	take_registers(&context, registers);
	s.registers = registers;
	s.known = (1u << 17) - 1;
	s.pc = registers[16];
	s.stack_start = registers[7];
	s.stack = (const void *)(uintptr_t)registers[7];
	s.stack_bytes = 2048;
	n = unwinder_run(u, &s, pcs, room);
	unwinder_free(u);
	return n;
}

static void test_unwinds_to_the_caller(void **state)
{
	struct symbol_object *object = open_self();
	uint64_t pcs[8];
	size_t n = unwind_here(pcs, 8);

	(void)state;
	assert_true(n >= 2);
	assert_string_equal(name_at(object, pcs[0] - bias()), "unwind_here");
	assert_string_equal(name_at(object, pcs[1] - bias()),
			    "test_unwinds_to_the_caller");
	symbol_close(object);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_function_and_line),
		cmocka_unit_test(test_every_address_has_an_answer),
		cmocka_unit_test(test_vdso_has_names),
		cmocka_unit_test(test_refuses_what_is_no_elf),
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
		cmocka_unit_test(test_unwinds_to_the_caller),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
