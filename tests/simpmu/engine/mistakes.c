/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes that the checks of checked.c must find, each by a name; compiled as
 * the engine is. */
#include <stdint.h>

#include "simpmu/fast/sys.h"

void make_mistake(const char *name);

static int numbers[10];
static volatile int ten = 10, large = INT32_MAX, nothing;

static int __attribute__((noinline)) sum_of(const int *from, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum |= from[i];
	return sum;
}

static int over_frame(void)
{
	int local[10];

	memset(local, nothing, sizeof(local));
	return sum_of(local, ten + 1);
}

static int over_memory(bool writes)
{
	uint8_t *memory = sys_memory((size_t)ten);

	if (writes)
		memory[ten] = 1;
	return memory[ten - 1] | memory[ten];
}

static int over_copy(void)
{
	uint8_t *memory = sys_memory((size_t)ten);

	memcpy(memory + 1, numbers, (size_t)ten);
	return memory[0];
}

void make_mistake(const char *name)
{
	volatile int found = 0;

	if (text_equal(name, "global"))
		found = sum_of(numbers, ten + 1);
	else if (text_equal(name, "frame"))
		found = over_frame();
	else if (text_equal(name, "load"))
		found = over_memory(false);
	else if (text_equal(name, "store"))
		found = over_memory(true);
	else if (text_equal(name, "copy"))
		found = over_copy();
	else if (text_equal(name, "overflow"))
		found = large + ten;
	else if (text_equal(name, "shift"))
		found = 1 << (ten * ten);
	else if (text_equal(name, "index"))
		found = numbers[ten];
	else if (text_equal(name, "null"))
		found = *(volatile int *)(uintptr_t)nothing;
	(void)found;
}
