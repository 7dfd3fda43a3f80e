/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that run in the emulated machine, on PAPI's interface as a user has
 * it. Each runs in a process of its own and ends it at the first failure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/assay.h>
#include <papi.h>

struct guest_test {
	const char *name;
	void (*run)(void);
	bool no_pmu; /* for the machine without a PMU */
};

extern const struct guest_test counts_tests[];
extern const struct guest_test multiplex_tests[];
extern const struct guest_test overflow_tests[];
extern const struct guest_test record_tests[];
extern const struct guest_test refusals_tests[];
extern const struct guest_test tasks_tests[];

/* Print the files below / that match @patterns; the exit status. */
int guest_capture(int n, char **patterns);

/* End this test as failed, with a sentence. */
void guest_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4), noreturn));

#define CHECK(condition, ...)                                                  \
	do {                                                                   \
		if (!(condition))                                              \
			guest_fail(__FILE__, __LINE__, __VA_ARGS__);           \
	} while (0)

/* The call gives @code, or the test ends with what the library says. */
#define EXPECT(code, call)                                                     \
	do {                                                                   \
		int got_ = (call);                                             \
		CHECK(got_ == (code), "%s gives %d, not %d: %s", #call, got_,  \
		      (code), assay_error());                                  \
	} while (0)

/* The library, initialised. */
void guest_init(void);

/* A set of the events called @names, which end with NULL. */
int guest_set(const char *const *names);

/* Write @text into the file @path of /proc. */
void guest_write(const char *path, const char *text);

/*
 * @n times 2 instructions, exactly: 2 @n more than nothing. The addresses of
 * the loop lie in [loop_begin, loop_end).
 */
void guest_loop(uint64_t n);
extern const char guest_loop_begin[], guest_loop_end[];
