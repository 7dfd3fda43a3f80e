/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of another process by a real PMU's interrupts. */
#include <assay/record.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/guest.h"

#define ITERATIONS  5000000
#define PERIOD      100000
#define N_REGISTERS 33

struct seen {
	int samples[2];
	int inside;  /* the loop */
	int stacks;  /* that came with all registers */
	int mapped;  /* maps that the loop is in */
	int started; /* programs */
};

static int note(void *context, const struct assay_record *record)
{
	struct seen *seen = context;
	const char *at = (const char *)(uintptr_t)record->address;
	uint64_t loop = (uint64_t)(uintptr_t)guest_loop_begin;

	switch (record->kind) {
	case ASSAY_RECORD_EXEC:
		seen->started++;
		break;
	case ASSAY_RECORD_MAP:
		seen->mapped += record->start <= loop && loop < record->end;
		break;
	case ASSAY_RECORD_SAMPLE:
		seen->samples[record->event]++;
		seen->inside += at >= guest_loop_begin && at < guest_loop_end;
		seen->stacks += record->stack_bytes > 0 &&
				record->known == (1ULL << N_REGISTERS) - 1;
		break;
	default:
		break;
	}
	return 0;
}

/* A child that becomes the loop as soon as a byte comes. */
static pid_t hold_child(int *go)
{
	int pipes[2];
	pid_t pid;
	char byte;

	CHECK(pipe(pipes) == 0, "no pipe");
	pid = fork();
	CHECK(pid >= 0, "no child");
	if (pid == 0) {
		if (read(pipes[0], &byte, 1) == 1)
			execl("/proc/self/exe", "guest", "loop", NULL);
		_exit(1);
	}
	close(pipes[0]);
	*go = pipes[1];
	return pid;
}

static void record_child(int stacks, struct seen *seen, uint64_t *values)
{
	struct assay_record_event events[2] = { { 0, PERIOD }, { 0, PERIOD } };
	struct assay_recording what = { .events = events,
					.n = 2,
					.stacks = stacks };
	struct assay_recorder *recorder;
	int status, go;

	guest_init();
	EXPECT(PAPI_OK,
	       PAPI_event_name_to_code("instructions", &events[0].code));
	EXPECT(PAPI_OK, PAPI_event_name_to_code("cycles", &events[1].code));
	what.pid = hold_child(&go);
	EXPECT(PAPI_OK, assay_recorder_open(&what, &recorder));
	CHECK(write(go, "g", 1) == 1, "the child is gone");
	while (waitpid(what.pid, &status, WNOHANG) == 0) {
		EXPECT(PAPI_OK, assay_recorder_take(recorder, note, seen));
		usleep(1000);
	}
	CHECK(status == 0, "the child ended with %d", status);
	EXPECT(PAPI_OK, assay_recorder_take(recorder, note, seen));
	EXPECT(PAPI_OK, assay_recorder_values(recorder, values));
	assay_recorder_close(recorder);
}

static void samples_of_a_child_are_in_its_loop(void)
{
	struct seen seen = { 0 };
	uint64_t values[2];
	int due;

	record_child(0, &seen, values);
	due = (int)(values[0] / PERIOD);
	CHECK(values[0] >= 2 * ITERATIONS && values[0] < 2.2 * ITERATIONS,
	      "%llu instructions", (unsigned long long)values[0]);
	CHECK(seen.samples[0] >= due - 2 && seen.samples[0] <= due + 2,
	      "%d samples for %d periods", seen.samples[0], due);
	CHECK(seen.samples[1] > 0, "no samples of cycles");
	CHECK(seen.inside * 10 > (seen.samples[0] + seen.samples[1]) * 8,
	      "%d of %d samples are in the loop", seen.inside,
	      seen.samples[0] + seen.samples[1]);
	CHECK(seen.started >= 1 && seen.mapped >= 1,
	      "%d programs, %d maps of the loop", seen.started, seen.mapped);
}

static void samples_come_with_registers_and_stack(void)
{
	struct seen seen = { 0 };
	uint64_t values[2];

	record_child(1, &seen, values);
	CHECK(seen.samples[0] > 0, "no samples");
	CHECK(seen.stacks == seen.samples[0] + seen.samples[1],
	      "%d of %d samples have a stack", seen.stacks,
	      seen.samples[0] + seen.samples[1]);
}

const struct guest_test record_tests[] = {
	{ "samples of a child are in its loop",
	  samples_of_a_child_are_in_its_loop, false },
	{ "samples come with registers and stack",
	  samples_come_with_registers_and_stack, false },
	{ NULL, NULL, false },
};
