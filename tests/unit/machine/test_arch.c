/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads of this architecture: they come back, and do to memory what they say.
 * How many of which instructions they are is tests/machine/arch.py's. */
#include <stdlib.h>
#include <string.h>

#include "machine/arch.h"
#include "tests/unit/testing.h"

#if defined(__x86_64__) || defined(__aarch64__)

TEST(test_every_load_comes_back)
{
	size_t n = 0;

	for (const struct arch_row *row = arch_rows; row->name; row++, n++) {
		assert_true(row->operations > 0);
		assert_true(!row->flops || row->flops_each > 0);
		if (!row->works || row->works())
			row->run(&arch_operands, 3);
	}
	assert_true(n > 40);
}

/* A constant that is taken away from another comes before it. */
TEST(test_parts_come_first)
{
	for (const struct arch_row *row = arch_rows; row->name; row++) {
		const struct arch_row *part = arch_rows;

		if (!row->minus)
			continue;
		while (part < row && strcmp(part->name, row->minus) != 0)
			part++;
		assert_true(part < row);
	}
}

#define CHUNKS 3

static void check_stream(arch_run_fn run, enum arch_stream kind)
{
	_Alignas(64) char from[(CHUNKS + 1) * ARCH_CHUNK],
		to[(CHUNKS + 1) * ARCH_CHUNK], before[sizeof(from)];
	struct arch_memory memory = { to, from, CHUNKS * ARCH_CHUNK };

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 7 + 1);
	memset(to, 0x55, sizeof(to));
	memcpy(before, from, sizeof(from));
	run(&memory, 2);
	assert_memory_equal(from, before, sizeof(from));
	for (size_t i = 0; i < sizeof(to); i++) {
		bool written = i < memory.bytes && kind != ARCH_READ;
		char should = !written ? 0x55 : kind == ARCH_COPY ? from[i] : 0;

		if (to[i] != should)
			fail_msg("stream %d: byte %zu is %d", (int)kind, i,
				 to[i]);
	}
}

TEST(test_streams_touch_all_bytes_and_no_others)
{
	assert_true(arch_stream_width() >= ARCH_NARROW);
	for (int kind = 0; kind < ARCH_STREAMS; kind++) {
		check_stream(arch_stream((enum arch_stream)kind),
			     (enum arch_stream)kind);
		check_stream(arch_narrow_stream((enum arch_stream)kind),
			     (enum arch_stream)kind);
	}
}

TEST(test_flushed_memory_is_what_it_was)
{
	static char line[64] = "text";

	assert_true(arch_flush(line));
	arch_fence();
	assert_string_equal(line, "text");
}

#else

TEST(test_others_have_no_loads)
{
	assert_null(arch_rows[0].name);
	assert_int_equal(arch_stream_width(), 0);
}

#endif

TEST(test_ticks_go_on)
{
	uint64_t before = arch_ticks(NULL), after = arch_ticks(NULL);

	for (long i = 0; after == before && i < 100000000; i++)
		after = arch_ticks(NULL);
	assert_true(after > before);
}

RUN_ALL_TESTS
