/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine that is captured and unpacked is the same machine: another capture
 * gives the same text, and perf_event finds the same PMU and the same events.
 */
#include <dirent.h>

#include "components/components.h"
#include "core/component.h"
#include "host/capture.h"
#include "tests/unit/host/machine.h"

static char *capture(const struct fs *fs)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	assert_int_equal(capture_write(fs, to), 0);
	fclose(to);
	return text;
}

static struct component *probe(const struct fs *fs)
{
	struct component *c = component_new(&perf_event_component);

	assert_non_null(c);
	assert_int_equal(component_probe(c, fs), 0);
	return c;
}

static void compare_listings(const struct fs *a, const struct fs *b)
{
	struct component *x = probe(a);
	struct component *y = probe(b);
	size_t n = component_event_count(x);

	assert_int_equal(x->disabled, y->disabled);
	assert_int_equal(x->counters, y->counters);
	assert_true(!x->pmu == !y->pmu);
	if (x->pmu)
		assert_string_equal(x->pmu, y->pmu);
	assert_int_equal(n, component_event_count(y));
	for (size_t i = 0; i < n; i++)
		assert_string_equal(component_event(x, i)->name,
				    component_event(y, i)->name);
	component_free(x);
	component_free(y);
}

static void check_machine(const char *name)
{
	struct machine m, back;
	char *first, *second;

	machine_open(&m, name);
	first = capture(&m.fs);
	machine_unpack(&back, fmemopen(first, strlen(first), "r"));
	second = capture(&back.fs);
	if (strcmp(first, second) != 0)
		fail_msg("%s: not the same when captured again", name);
	compare_listings(&m.fs, &back.fs);
	free(first);
	free(second);
	machine_close(&m);
	machine_close(&back);
}

TEST(test_captured_machines_come_back)
{
	DIR *dir = opendir(FIXTURES "/machines");
	struct dirent *entry;
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		check_machine(entry->d_name);
		n++;
	}
	closedir(dir);
	assert_true(n >= 20);
}

/* The same for the machine that the test runs on, as far as it may. */
TEST(test_this_machine_comes_back)
{
	struct fs here = { .root = "" };
	struct component *c = probe(&here);
	bool disabled = c->disabled;
	struct machine back;
	char *text;

	component_free(c);
	if (disabled)
		skip();
	text = capture(&here);
	machine_unpack(&back, fmemopen(text, strlen(text), "r"));
	compare_listings(&here, &back.fs);
	free(text);
	machine_close(&back);
}

TEST(test_a_capture_has_what_was_there)
{
	struct machine m;
	char *text;

	machine_open(&m, "alder-lake");
	text = capture(&m.fs);
	assert_non_null(strstr(text, "-- proc/cpuinfo --\nprocessor\t: 0\n"));
	assert_non_null(strstr(text, "devices/cpu_atom/cpus --\n12-15\n"));
	assert_non_null(strstr(text, "devices/cpu_core/events/slots --\n"
				     "event=0x00,umask=0x4\n"));
	free(text);
	machine_close(&m);
}

/* A Raspberry Pi has its serial number in /proc/cpuinfo, and an IBM Z its. */
TEST(test_nothing_personal_is_captured)
{
	struct machine m;
	char *text;

	machine_open(&m, "rk3399");
	machine_put(&m, "proc/cpuinfo",
		    "processor\t: 0\nCPU part\t: 0xd08\n\n"
		    "Serial\t\t: 100000004f3c2b1a\n"
		    "processor 0: version = FF,  identification = 0A1B2C\n");
	machine_put(&m, "proc/meminfo", "MemTotal: 1 kB\nMemFree: 7 kB\n");
	machine_put(&m, "sys/class/dmi/id/product_serial", "secret\n");
	machine_put(&m, "proc/sys/kernel/hostname", "secret\n");
	text = capture(&m.fs);
	assert_non_null(strstr(text, "0xd08"));
	assert_non_null(strstr(text, "MemTotal"));
	assert_null(strstr(text, "4f3c2b1a"));
	assert_null(strstr(text, "0A1B2C"));
	assert_null(strstr(text, "MemFree"));
	assert_null(strstr(text, "secret"));
	free(text);
	machine_close(&m);
}

RUN_ALL_TESTS
