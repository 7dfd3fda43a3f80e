/* SPDX-License-Identifier: BSD-3-Clause */
/* The net component on made-up tables of interfaces. */
#include "base/array.h"
#include "tests/unit/components/counting.h"

#define PATH "proc/net/dev"
#define HEAD                                                                   \
	"Inter-|   Receive                                                |  " \
	"Transmit\n"                                                           \
	" face |bytes    packets errs drop fifo frame compressed multicast|"   \
	"bytes    packets errs drop fifo colls carrier compressed\n"
#define LO   "    lo:  100   10 0 0 0 0 0 0 100 10 0 0 0 0 0 0\n"
#define WLAN "wlp0s20f3: 5000 50 1 2 3 4 5 6 7000 70 8 9 10 11 12 13\n"

TEST(test_names_every_column_of_every_interface)
{
	struct counting c;

	counting_probe(&c, &net_component, PATH, HEAD LO WLAN);
	assert_int_equal(component_event_count(c.component), 2 * 16);
	assert_string_equal(component_event(c.component, 0)->name,
			    "lo:rx:bytes");
	assert_string_equal(component_event(c.component, 0)->unit, "bytes");
	assert_string_equal(component_event(c.component, 31)->name,
			    "wlp0s20f3:tx:compressed");
	counting_close(&c);
}

TEST(test_a_trial_of_one_tells_for_the_file)
{
	struct counting c;

	counting_probe(&c, &net_component, PATH, HEAD LO WLAN);
	assert_int_equal(component_event_count(c.component), 32);
	assert_int_equal(component_try_event(c.component, 31, NULL), 0);
	for (size_t i = 0; i < 32; i++)
		assert_int_equal(component_event(c.component, i)->tried,
				 TRIED_WORKS);
	counting_close(&c);

	counting_probe(&c, &net_component, PATH, HEAD LO WLAN);
	assert_int_equal(component_event_count(c.component), 32);
	machine_put(&c.machine, PATH, NULL);
	assert_int_not_equal(component_try_event(c.component, 0, NULL), 0);
	for (size_t i = 0; i < 32; i++) {
		const struct event *event = component_event(c.component, i);

		assert_int_equal(event->tried, TRIED_FAILS);
		assert_non_null(strstr(event->why, PATH));
	}
	counting_close(&c);
}

TEST(test_counts_what_was_added_while_running)
{
	static const char *const names[] = { "wlp0s20f3:tx:bytes",
					     "lo:rx:packets",
					     "wlp0s20f3:tx:compressed", NULL };
	struct counting c;

	counting_probe(&c, &net_component, PATH, HEAD LO WLAN);
	counting_open(&c, names);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 0);
	machine_put(&c.machine, PATH,
		    HEAD
		    "    lo:  130   13 0 0 0 0 0 0 100 10 0 0 0 0 0 0\n"
		    "wlp0s20f3: 1 1 1 1 1 1 1 1 7600 70 8 9 10 11 12 14\n");
	assert_int_equal(slice_read(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 600);
	assert_int_equal(c.counts[1].value, 3);
	assert_int_equal(c.counts[2].value, 1);
	assert_true(c.counts[0].running_ns > 0);
	assert_int_equal(c.counts[0].running_ns, c.counts[0].enabled_ns);
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 600);

	/* What happens while stopped does not count. */
	machine_put(&c.machine, PATH,
		    HEAD LO
		    "wlp0s20f3: 1 1 1 1 1 1 1 1 9000 70 8 9 10 11 12 14\n");
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 600);
	machine_put(&c.machine, PATH,
		    HEAD LO
		    "wlp0s20f3: 1 1 1 1 1 1 1 1 9001 70 8 9 10 11 12 14\n");
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 601);
	counting_close(&c);
}

TEST(test_an_interface_may_vanish_and_come_back)
{
	static const char *const names[] = { "wlp0s20f3:rx:bytes",
					     "lo:rx:bytes", NULL };
	struct counting c;

	counting_probe(&c, &net_component, PATH, HEAD LO WLAN);
	counting_open(&c, names);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	machine_put(&c.machine, PATH,
		    HEAD LO "wlp0s20f3: 5300 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(slice_read(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 300);
	machine_put(&c.machine, PATH, HEAD LO);
	assert_int_equal(slice_read(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 300);
	/* It starts anew from 0. */
	machine_put(&c.machine, PATH,
		    HEAD LO "wlp0s20f3: 40 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 340);
	assert_int_equal(c.counts[1].value, 0);
	counting_close(&c);
}

/* A name that another one begins with is a different interface. */
TEST(test_like_names_are_told_apart)
{
	static const char *const names[] = { "eth1:rx:bytes", "eth10:rx:bytes",
					     NULL };
	struct counting c;

	counting_probe(&c, &net_component, PATH,
		       "eth1: 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		       "eth10: 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	counting_open(&c, names);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	machine_put(&c.machine, PATH,
		    "eth1: 11 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		    "eth10: 102 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 10);
	assert_int_equal(c.counts[1].value, 100);
	counting_close(&c);
}

/* Cut, empty and senseless files leave the counts as they were. */
TEST(test_bad_files_add_nothing)
{
	static const char *const names[] = { "lo:rx:bytes", "lo:tx:bytes",
					     NULL };
	static const char *const texts[] = {
		"",
		"\n",
		"lo",
		"    lo:",
		"    lo: 999999",
		"    lo: x y z\n",
		"\xff\xfe\n:::\n",
		HEAD,
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct counting c;

		counting_probe(&c, &net_component, PATH, HEAD LO);
		counting_open(&c, names);
		assert_int_equal(slice_start(c.slice, c.counts), 0);
		machine_put(&c.machine, PATH, texts[i]);
		assert_int_equal(slice_stop(c.slice, c.counts), 0);
		assert_int_equal(c.counts[0].value, 0);
		assert_int_equal(c.counts[1].value, 0);
		counting_close(&c);
	}
}

TEST(test_a_line_that_is_cut_short_gives_what_it_has)
{
	static const char *const names[] = { "lo:rx:bytes", "lo:tx:bytes",
					     NULL };
	struct counting c;

	counting_probe(&c, &net_component, PATH, HEAD LO);
	counting_open(&c, names);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	machine_put(&c.machine, PATH, HEAD "lo: 105 1 0\n");
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 5);
	assert_int_equal(c.counts[1].value, 0);
	counting_close(&c);
}

/* More interfaces than fit into the first reading. */
TEST(test_a_long_file_is_read_to_its_end)
{
	static const char *const names[] = { "if999:tx:bytes", NULL };
	static char text[1000 * 80];
	struct counting c;
	size_t n = 0;

	for (int i = 0; i < 1000; i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n,
			"if%d: 0 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0\n", i, i);
	counting_probe(&c, &net_component, PATH, text);
	assert_int_equal(component_event_count(c.component), 16000);
	counting_open(&c, names);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	machine_put(&c.machine, PATH,
		    "if999: 0 0 0 0 0 0 0 0 1500 0 0 0 0 0 0 0\n");
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 501);
	counting_close(&c);
}

TEST(test_without_the_file_it_is_disabled)
{
	struct component *c = component_new(&net_component);
	struct machine m;

	machine_init(&m);
	assert_int_equal(component_probe(c, &m.fs), 0);
	assert_true(c->disabled);
	assert_non_null(strstr(c->reason, "/proc/net/dev"));
	component_free(c);
	c = component_new(&net_component);
	machine_put(&m, PATH, HEAD);
	assert_int_equal(component_probe(c, &m.fs), 0);
	assert_int_equal(component_event_count(c), 0);
	component_free(c);
	machine_close(&m);
}

RUN_ALL_TESTS
