/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of events: well-formed, and in blind mode hidden with decoys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "tests/unit/testing.h"

TEST(test_names_are_unique_and_described)
{
	fake_reset(NULL);
	assert_true(events_count() >= 150);
	for (uint32_t i = 0; i < events_count(); i++) {
		const struct pmu_event *e = events_get(i);

		assert_non_null(strchr(e->name, ':'));
		assert_true(strlen(e->text) > 10 && strlen(e->text) < 160);
		assert_true(e->n > 0);
		assert_int_not_equal(e->counters, 0);
		for (uint32_t k = 0; k < i; k++)
			assert_string_not_equal(e->name, events_get(k)->name);
	}
}

TEST(test_every_signal_is_in_some_event)
{
	bool used[TALLY_COUNT] = { false };

	fake_reset(NULL);
	for (uint32_t i = 0; i < events_count(); i++)
		for (uint32_t k = 0; k < events_get(i)->n; k++)
			used[events_get(i)->terms[k].signal] = true;
	for (int s = 0; s < TALLY_COUNT; s++)
		if (!used[s])
			fail_msg("signal %d is in no event", s);
}

static void make_blind(uint64_t seed)
{
	fake_reset(NULL);
	pmu.opt.blind = seed;
	pmu.opt.key = "key";
	pmu_hooks.process_start();
}

TEST(test_codes_hide_names_and_differ_by_seed)
{
	static char first[sizeof(fake.key)];
	uint32_t plain;

	fake_reset(NULL);
	plain = events_count();
	make_blind(1);
	assert_true(events_count() > plain);
	for (uint32_t i = 0; i < events_count(); i++) {
		char code[16];

		snprintf(code, sizeof(code), "E%04u", i + 1);
		assert_string_equal(events_get(i)->name, code);
		assert_null(strchr(events_get(i)->text, ':'));
	}
	strcpy(first, fake.key);
	make_blind(2);
	assert_string_not_equal(fake.key, first);
	make_blind(1);
	assert_string_equal(fake.key, first);
}

/* The number of the event that line @kind of the key is about. */
static unsigned find_line(const char *kind, char *event, unsigned *factor)
{
	char line[200], how[16];
	const char *at = fake.key;

	while ((at = strchr(at, '\n')) && at[1]) {
		unsigned code;

		at++;
		sscanf(at, "%199[^\n]", line);
		if (sscanf(line, "E%u,%15[a-z],%63[^,],%*[^,],%u", &code, how,
			   event, factor) < 4)
			sscanf(line, "E%u,%15[a-z],%63[^,],,%u", &code, how,
			       event, factor);
		if (strcmp(how, kind) == 0)
			return code - 1;
	}
	fail_msg("no %s decoy", kind);
	return 0;
}

TEST(test_decoys_are_what_the_key_says)
{
	char event[64];
	unsigned factor, i;

	make_blind(7);
	i = find_line("dead", event, &factor);
	assert_int_equal(events_get(i)->n, 0);
	i = find_line("noisy", event, &factor);
	assert_true(events_get(i)->flaw.noise > 0);
	i = find_line("scaled", event, &factor);
	assert_true(factor >= 2);
	assert_int_equal(events_get(i)->terms[0].weight % (int)factor, 0);
	find_line("alias", event, &factor);
	find_line("sum", event, &factor);
	find_line("plain", event, &factor);
}

/* The event of a line that begins so, and the number at its end. */
static const struct pmu_event *find_flaw(const char *kind, unsigned *number)
{
	char text[32];
	const char *at;
	unsigned code;

	snprintf(text, sizeof(text), ",%s,", kind);
	at = strstr(fake.key, text);
	assert_non_null(at);
	while (at > fake.key && at[-1] != '\n')
		at--;
	assert_int_equal(sscanf(at, "E%u", &code), 1);
	at = strchr(at, '\n');
	while (at[-1] != ',')
		at--;
	*number = (unsigned)strtoul(at, NULL, 10);
	return events_get(code - 1);
}

TEST(test_wrong_counters_are_what_the_key_says)
{
	const struct pmu_event *e;
	unsigned number;

	make_blind(7);
	e = find_flaw("biased", &number);
	assert_int_equal(e->flaw.under, 1000);
	assert_in_range(e->flaw.over, 950, 1050);
	assert_int_equal(event_shown(e, 1000), e->flaw.over);
	e = find_flaw("every", &number);
	assert_int_equal(event_shown(e, 10 * e->flaw.under + 1), 10);
	e = find_flaw("full", &number);
	assert_int_equal(event_shown(e, 100000), number);
	assert_int_equal(event_shown(e, number - 1), number - 1);
	e = find_flaw("deaf", &number);
	assert_int_equal(event_shown(e, number - 1), 0);
	assert_int_equal(event_shown(e, number), number);
	e = find_flaw("threads", &number);
	assert_true(e->flaw.leaks);
	e = find_flaw("leak", &number);
	assert_int_equal(e->flaw.under, 10);
	e = find_flaw("partial", &number);
	assert_true(e->n > 0);
}

RUN_ALL_TESTS
