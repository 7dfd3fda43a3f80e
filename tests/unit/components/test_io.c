/* SPDX-License-Identifier: BSD-3-Clause */
/* The io component on made-up files, and on what this process reads. */
#include <fcntl.h>

#include "base/array.h"
#include "tests/unit/components/counting.h"

#define PATH "proc/self/io"

static const char *const all[] = {
	"rchar",
	"wchar",
	"syscr",
	"syscw",
	"read_bytes",
	"write_bytes",
	"cancelled_write_bytes",
	NULL,
};

#define BEFORE                                                                 \
	"rchar: 1000\nwchar: 2000\nsyscr: 30\nsyscw: 40\n"                     \
	"read_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 5\n"

TEST(test_each_field_has_its_growth)
{
	struct counting c;

	counting_probe(&c, &io_component, PATH, BEFORE);
	assert_int_equal(component_event_count(c.component), 7);
	counting_open(&c, all);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	machine_put(&c.machine, PATH,
		    "rchar: 11000\nwchar: 2002\nsyscr: 34\nsyscw: 44\n"
		    "read_bytes: 8192\nwrite_bytes: 8193\n"
		    "cancelled_write_bytes: 12\n");
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	/* The slice's own reading of the file was one call and its bytes. */
	assert_int_equal(c.counts[0].value, 10000 - strlen(BEFORE));
	assert_int_equal(c.counts[1].value, 2);
	assert_int_equal(c.counts[2].value, 4 - 1);
	assert_int_equal(c.counts[3].value, 4);
	assert_int_equal(c.counts[4].value, 4096);
	assert_int_equal(c.counts[5].value, 1);
	assert_int_equal(c.counts[6].value, 7);
	counting_close(&c);
}

/* On this machine: so many reads of so many bytes are counted exactly. */
TEST(test_this_process_is_counted_exactly)
{
	static const char *const names[] = { "rchar", "syscr", NULL };
	static const struct fs here = { .root = "" };
	struct component *c = component_new(&io_component);
	struct count counts[2];
	struct slice *s;
	char block[512];
	int fd;

	assert_int_equal(component_probe(c, &here), 0);
	if (c->disabled) {
		print_message("%s\n", c->reason);
		component_free(c);
		skip();
	}
	assert_int_equal(slice_new(c, &s), 0);
	for (size_t i = 0; names[i]; i++) {
		size_t event;

		assert_int_equal(
			component_find_event(c, names[i], &event, NULL), 0);
		assert_int_equal(slice_append(s, event), 0);
	}
	assert_int_equal(slice_open(s), 0);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);

	assert_int_equal(slice_start(s, counts), 0);
	assert_int_equal(slice_read(s, counts), 0);
	assert_int_equal(counts[0].value, 0);
	assert_int_equal(counts[1].value, 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(read(fd, block, sizeof(block)), sizeof(block));
	assert_int_equal(slice_stop(s, counts), 0);
	assert_int_equal(counts[0].value, 10 * sizeof(block));
	assert_int_equal(counts[1].value, 10);
	close(fd);
	slice_free(s);
	component_free(c);
}

TEST(test_bad_files_add_nothing)
{
	static const char *const texts[] = { "",
					     "rchar",
					     "rchar:",
					     "rchar: 99999",
					     "rchar: -5\n",
					     "rchar 7\nwchar\n:\n",
					     "\xff" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct counting c;

		counting_probe(&c, &io_component, PATH, BEFORE);
		counting_open(&c, all);
		assert_int_equal(slice_start(c.slice, c.counts), 0);
		machine_put(&c.machine, PATH, texts[i]);
		assert_int_equal(slice_stop(c.slice, c.counts), 0);
		for (size_t j = 0; j < 7; j++)
			assert_int_equal(c.counts[j].value, 0);
		counting_close(&c);
	}
}

TEST(test_without_the_file_it_is_disabled)
{
	struct component *c = component_new(&io_component);
	struct machine m;

	machine_init(&m);
	assert_int_equal(component_probe(c, &m.fs), 0);
	assert_true(c->disabled);
	assert_non_null(strstr(c->reason, "CONFIG_TASK_IO_ACCOUNTING"));
	component_free(c);
	machine_close(&m);
}

RUN_ALL_TESTS
