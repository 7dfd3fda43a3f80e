/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of code: they run, and are never writable while they may be run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "machine/code.h"

#define PAGE 4096

static void test_whole_pages_hold_pieces_and_the_way_out(void **state)
{
	struct code_ring one = { .pieces = 1, .bytes = PAGE };
	struct code_ring three = { .pieces = 3,
				   .bytes = PAGE / 2,
				   .spacing = 2 * PAGE };

	(void)state;
	assert_int_equal(code_ring_bytes(&one, PAGE), 2 * PAGE);
	assert_int_equal(code_ring_bytes(&three, PAGE), 5 * PAGE);
}

#if defined(__x86_64__) || defined(__aarch64__)
/* The permissions of the pages at @address, as /proc/self/maps has them. */
static void read_permissions(const void *address, char *text)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	assert_non_null(maps);
	*text = '\0';
	while (fgets(line, sizeof(line), maps)) {
		unsigned long from, to;
		char permissions[5];

		if (sscanf(line, "%lx-%lx %4s", &from, &to, permissions) == 3 &&
		    (uintptr_t)address >= from && (uintptr_t)address < to)
			snprintf(text, 5, "%s", permissions);
	}
	fclose(maps);
}

static void test_code_runs_and_is_not_writable(void **state)
{
	struct code_ring rings[] = {
		{ .pieces = 1, .bytes = CODE_LEAST },
		{ .pieces = 1, .bytes = 3 * PAGE + CODE_LEAST },
		{ .pieces = 5, .bytes = PAGE / 2, .spacing = 2 * PAGE },
	};
	struct code code;
	char permissions[5];

	(void)state;
	assert_true(code_open(&code, rings, 3, PAGE));
	for (size_t i = 0; i < 3; i++) {
		read_permissions(rings[i].entry, permissions);
		assert_string_equal(permissions, "r-xp");
		code_run(&rings[i], 0);
		code_run(&rings[i], 1000); /* and comes back */
	}
	code_close(&code);
	read_permissions(rings[0].entry, permissions);
	assert_string_equal(permissions, "");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_pages_hold_pieces_and_the_way_out),
#if defined(__x86_64__) || defined(__aarch64__)
		cmocka_unit_test(test_code_runs_and_is_not_writable),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
