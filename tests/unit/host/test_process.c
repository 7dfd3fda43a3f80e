/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and mapped files of a captured process, and of this one. */
#include "host/process.h"

#include "base/array.h"
#include "base/err.h"
#include "tests/unit/host/machine.h"

static const struct fs here = { .root = "" };

TEST(test_memory_of_a_captured_process)
{
	struct process_memory mem;
	struct machine m;

	machine_open(&m, "container");
	assert_int_equal(process_read_memory(&m.fs, &mem), 0);
	assert_int_equal(mem.peak, 2576);
	assert_int_equal(mem.size, 2500);
	assert_int_equal(mem.resident, 940);
	assert_int_equal(mem.high_water, 944);
	assert_int_equal(mem.shared, 852);
	assert_int_equal(mem.text, 560);
	assert_int_equal(mem.library, 1528);
	assert_int_equal(mem.heap, 176);
	assert_int_equal(mem.locked, 4);
	assert_int_equal(mem.stack, 132);
	assert_int_equal(mem.page_table, 44);
	assert_int_equal(mem.swap, 12);
	assert_int_equal(mem.proportional, 310);
	machine_close(&m);
}

TEST(test_memory_without_proc_is_an_error)
{
	struct process_memory mem;
	struct machine m;

	machine_init(&m);
	assert_int_equal(process_read_memory(&m.fs, &mem), PAPI_ESYS);
	machine_put(&m, "proc/self/status", "Name:\tx\n");
	assert_int_equal(process_read_memory(&m.fs, &mem), PAPI_ESYS);
	machine_close(&m);
}

TEST(test_memory_of_this_process_grows)
{
	enum {
		BYTES = 64 << 20
	};
	struct process_memory before, after;
	char *block;

	assert_int_equal(process_read_memory(&here, &before), 0);
	block = malloc(BYTES);
	assert_non_null(block);
	memset(block, 1, BYTES);
	__asm__ volatile("" : : "r"(block) : "memory");
	assert_int_equal(process_read_memory(&here, &after), 0);
	free(block);
	assert_true(after.size >= before.size + (BYTES >> 10));
	assert_true(after.resident >= before.resident + (BYTES >> 11));
	assert_true(after.peak >= after.size);
}

TEST(test_objects_of_a_captured_process)
{
	struct process_objects all;
	struct machine m;

	machine_open(&m, "container");
	assert_int_equal(process_read_objects(&m.fs, &all), 0);
	assert_string_equal(all.executable, "/usr/bin/a b");
	assert_int_equal(all.n, 3); /* not the locale archive, not [vdso] */
	assert_string_equal(all.items[0].path, "/usr/bin/a b");
	assert_int_equal(all.items[0].text_start, 0x55d000004000);
	assert_int_equal(all.items[0].text_end, 0x55d000018000);
	assert_int_equal(all.items[0].data_start, 0x55d00001d000);
	assert_int_equal(all.items[0].data_end, 0x55d00001f000);
	assert_int_equal(all.items[0].bss_start, 0x55d00001f000);
	assert_int_equal(all.items[0].bss_end, 0x55d000022000);
	assert_string_equal(all.items[1].path, "/usr/lib/libc.so.6");
	assert_int_equal(all.items[1].bss_end, 0x7f00005e2000);
	/* The stack follows ld.so's data, but is not its .bss. */
	assert_string_equal(all.items[2].path, "/usr/lib/ld-linux.so.2");
	assert_int_equal(all.items[2].data_end, 0x7f0000737000);
	assert_int_equal(all.items[2].bss_end, 0);
	process_fini_objects(&all);
	machine_close(&m);
}

TEST(test_executable_comes_first)
{
	struct process_objects all;
	struct machine m;

	machine_init(&m);
	machine_put(&m, "proc/self/maps",
		    "1000-2000 r-xp 0 0:0 1 /lib/low.so\n"
		    "5000-6000 r-xp 0 0:0 2 /bin/high\n");
	machine_put(&m, "proc/self/exe", "");
	machine_put(&m, "proc/self/exe", NULL);
	{
		char path[128];

		snprintf(path, sizeof(path), "%s/proc/self/exe", m.root);
		assert_int_equal(symlink("/bin/high", path), 0);
	}
	assert_int_equal(process_read_objects(&m.fs, &all), 0);
	assert_string_equal(all.items[0].path, "/bin/high");
	assert_string_equal(all.items[1].path, "/lib/low.so");
	process_fini_objects(&all);
	machine_close(&m);
}

/* A function and a variable of this program lie where it says. */
TEST(test_objects_of_this_process)
{
	static int in_data = 1;
	struct process_objects all;
	uintptr_t code = (uintptr_t)test_executable_comes_first;
	uintptr_t data = (uintptr_t)&in_data;

	assert_int_equal(process_read_objects(&here, &all), 0);
	assert_true(all.n >= 2);
	assert_string_equal(all.items[0].path, all.executable);
	assert_true(code >= all.items[0].text_start &&
		    code < all.items[0].text_end);
	assert_true(data >= all.items[0].data_start &&
		    data < all.items[0].data_end);
	process_fini_objects(&all);
}

TEST(test_garbage_maps_give_no_objects)
{
	static const char *const texts[] = { "",
					     "\n\n",
					     "zz-yy r-xp",
					     "1000-0 r-xp 0 0:0 1 /x\n",
					     "1000-2000 rx 0 0:0 1 /x\n",
					     "1000-2000 r-xp" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct process_objects all;
		struct machine m;

		machine_init(&m);
		machine_put(&m, "proc/self/maps", texts[i]);
		assert_int_equal(process_read_objects(&m.fs, &all), 0);
		assert_int_equal(all.n, 0);
		process_fini_objects(&all);
		machine_close(&m);
	}
}

RUN_ALL_TESTS
