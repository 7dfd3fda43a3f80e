/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are the first to need something, in a thread of its own on a new
 * library, while each of their allocations in turn is refused: PAPI_ENOMEM, or
 * they do without; and the same call gives what it should when there is memory
 * again.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "papi/hl_events.h"
#include "tests/unit/papi/open_toys.h"
#include "tests/unit/refuse.h"

#define MOST 2000 /* more allocations than any of these makes */

static char broken[] = "/tmp/assay-refused-XXXXXX"; /* definitions */

/* An event with masks, which are listed when they are asked for. */
static int list_masks(struct component *c, size_t i)
{
	struct event *event;
	int err = component_add_event(c, &event, NULL, "e%zu:mask", i);

	if (!err)
		event->parent = i;
	return err;
}

static struct component_ops masked;

static int open_library(void)
{
	const struct component_ops *list[] = { &masked, &plain_component };
	PAPI_option_t option = { .events_file = broken };
	int err;

	masked = toy_component;
	masked.masks = list_masks;
	memset(&toy, 0, sizeof(toy));
	toy.counters = 4;
	err = library_open(list, 2, "");
	return err ? err : PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option);
}

/* A number is as good as PAPI_OK. */
static int get_number(int option)
{
	int number = PAPI_get_opt(option, NULL);

	return number < 0 ? number : PAPI_OK;
}

static int get_structure(int option)
{
	PAPI_option_t out = { 0 };

	return PAPI_get_opt(option, &out);
}

static int count_counters(int unused)
{
	int n = PAPI_num_counters();

	(void)unused;
	return n < 0 ? n : PAPI_OK;
}

static int start_counters(int unused)
{
	int event = PAPI_NATIVE_MASK; /* the first of the first component */
	long long value;
	int err = PAPI_start_counters(&event, 1);

	(void)unused;
	return err ? err : PAPI_stop_counters(&value, 1);
}

static int find_mask(int unused)
{
	int code = PAPI_NATIVE_MASK;

	(void)unused;
	return PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS);
}

/* One event that there is, and one that there is not. Either may have the
 * reason that there was no memory. */
static int choose_events(int unused)
{
	struct hl_events events = { 0 };
	int err = hl_events_choose("toy::e0,toy::none", false, &events);

	(void)unused;
	if (!err && (events.n != 2 || (!refused && events.n_counted != 1)))
		err = PAPI_EBUG;
	hl_events_fini(&events);
	return err;
}

/* An event of the user's that is made of one that there is not. */
static int ask_for_broken(int unused)
{
	int code = PAPI_NULL;
	int err = PAPI_event_name_to_code("broken", &code);

	(void)unused;
	return err ? err : PAPI_query_event(code);
}

static const struct call {
	int line;
	int (*call)(int argument);
	int argument;
	int code; /* what it gives when there is memory */
} calls[] = {
	{ __LINE__, get_number, PAPI_CLOCKRATE, PAPI_OK },
	{ __LINE__, get_number, PAPI_DEFDOM, PAPI_OK },
	{ __LINE__, get_structure, PAPI_HWINFO, PAPI_OK },
	{ __LINE__, get_structure, PAPI_EXEINFO, PAPI_OK },
	{ __LINE__, get_structure, PAPI_SHLIBINFO, PAPI_OK },
	{ __LINE__, get_structure, PAPI_COMPONENTINFO, PAPI_OK },
	{ __LINE__, count_counters, 0, PAPI_OK },
	{ __LINE__, start_counters, 0, PAPI_OK },
	{ __LINE__, find_mask, 0, PAPI_OK },
	{ __LINE__, choose_events, 0, PAPI_OK },
	{ __LINE__, ask_for_broken, 0, PAPI_ENOEVNT },
};

struct attempt {
	const struct call *call;
	long n; /* the allocation that is refused; 0: none */
	int result;
};

static void *make_attempt(void *data)
{
	struct attempt *a = data;

	refuse_nth(a->n);
	a->result = a->call->call(a->call->argument);
	refuse_countdown = 0;
	return NULL;
}

static int run(struct attempt *a)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, make_attempt, a), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	return a->result;
}

/* @call on one library after another, until nothing is refused. */
static void refuse_in_turn(const struct call *call)
{
	struct attempt a = { .call = call };
	long without = 0;

	do {
		int err;

		a.n++;
		assert_int_equal(open_library(), PAPI_OK);
		err = run(&a);
		/* the latter: memory to open a file */
		if (err != call->code && err != PAPI_ENOMEM && err != PAPI_ESYS)
			fail_msg("row at line %d, %ld: %d, %s", call->line, a.n,
				 err, assay_error());
		without += err == PAPI_ENOMEM;
		if (refused) {
			struct attempt again = { .call = call };

			CHECK_AT(call->line, run(&again) == call->code);
			refused = true;
		} else {
			CHECK_AT(call->line, err == call->code);
		}
		PAPI_shutdown();
		assert_int_equal(toy.open, 0);
	} while (refused && a.n < MOST);
	CHECK_AT(call->line, without >= 1 && a.n < MOST);
}

/* Each in a process of its own: some things are asked for once in a life. */
TEST(test_first_calls_without_memory)
{
	if (!REFUSE_WORKS)
		skip();
	for (size_t i = 0; i < ARRAY_ROWS(calls); i++) {
		pid_t pid;
		int status;

		fflush(NULL);
		pid = fork();
		if (pid == 0) {
			refuse_in_turn(&calls[i]);
			exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			fail_msg("row at line %d: status %d", calls[i].line,
				 status);
	}
}

static int write_definitions(void **state)
{
	static const char text[] = "broken, toy::none * 2\n";
	int fd = mkstemp(broken);

	(void)state;
	if (fd < 0 || write(fd, text, sizeof(text) - 1) != sizeof(text) - 1)
		return -1;
	return close(fd);
}

static int drop_definitions(void **state)
{
	(void)state;
	return unlink(broken);
}

RUN_ALL_TESTS_WITH(write_definitions, drop_definitions)
