/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An engine for the tests of the simulated PMU's counters, without a program in
 * it.
 */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "simpmu/model/params.h"
#include "simpmu/pmu/host.h"
#include "tests/unit/testing.h"

struct fake fake;

/* The engine. */

void engine_totals(unsigned tid, uint64_t out[TALLY_COUNT])
{
	fake.asked++;
	memcpy(out, fake.totals[tid], sizeof(fake.totals[tid]));
}

void engine_process_totals(uint64_t out[TALLY_COUNT])
{
	memset(out, 0, TALLY_COUNT * sizeof(*out));
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++)
		for (unsigned i = 0; i < TALLY_COUNT; i++)
			out[i] += fake.totals[tid][i];
}

void engine_variance(unsigned tid, double out[TALLY_COUNT])
{
	(void)tid;
	for (int s = 0; s < TALLY_COUNT; s++)
		out[s] = 0;
}

bool engine_estimates(void)
{
	return false;
}

uint64_t engine_disturbances(void)
{
	return fake.disturbances;
}

void engine_select(unsigned parts)
{
	fake.parts = parts;
	fake.selections++;
}

unsigned engine_selected(void)
{
	return fake.parts;
}

void engine_make_cold(void)
{
}

void engine_drain(unsigned tid)
{
	(void)tid;
}

const struct engine_taken *engine_taken_lines(unsigned *n)
{
	*n = sizeof(fake.taken) / sizeof(fake.taken[0]);
	return fake.taken;
}

bool engine_keep(void)
{
	return true;
}

bool engine_bring_back(void)
{
	return true;
}

void engine_exclude(uint64_t start, uint64_t end)
{
	(void)start;
	(void)end;
}

void engine_trap_set(unsigned slot, const struct engine_trap *trap)
{
	memset(fake.left[slot], 0, sizeof(fake.left[slot]));
	fake.traps[slot] = trap ? *trap : (struct engine_trap){ .fire = NULL };
}

void engine_trap_arm(unsigned slot, unsigned tid, uint64_t count)
{
	fake.left[slot][tid] = count;
}

void engine_queue_signal(unsigned tid, const struct engine_signal *signal)
{
	(void)tid;
	fake.last_signal = *signal;
	fake.tallies++;
}

unsigned engine_supported(void)
{
	return ~0u;
}

bool engine_traps_model(void)
{
	return true;
}

const struct params *engine_params(void)
{
	static const struct params params = { .name = "test",
					      .line_bytes = 32,
					      .counters = 4,
					      .counters_fixed = 2 };

	return &params;
}

/* The host. */

void *host_new(size_t bytes)
{
	return calloc(1, bytes);
}

void host_free(void *memory)
{
	free(memory);
}

int32_t host_pid(void)
{
	return fake.pid;
}

int32_t host_tid(void)
{
	return fake.pid;
}

uint32_t host_ms(void)
{
	return 0;
}

void *host_share_file(const char *path, size_t bytes)
{
	(void)path;
	(void)bytes;
	return fake.shared;
}

void *host_share_again(int fd, size_t bytes)
{
	(void)fd;
	(void)bytes;
	return fake.shared;
}

int host_share_on(bool stays)
{
	(void)stays;
	return fake.memory ? 3 : -1;
}

bool host_reserve(uint64_t offset, uint64_t bytes)
{
	(void)offset;
	(void)bytes;
	return !fake.disk_full;
}

bool host_is_held(uint64_t offset)
{
	return fake.held_by_other && offset == fake.held_by_other;
}

void host_wake(const uint32_t *word)
{
	(void)word;
}

void host_rest(void)
{
}

bool host_hold(uint64_t offset, bool on)
{
	const struct wire_control *c = fake.shared;

	if (fake.held_by_other && offset == fake.held_by_other)
		return false;
	if (fake.held != offset)
		fake.was_taken = c && c->slots[offset - WIRE_LOCKS].pid;
	fake.held = on ? offset : 0;
	return true;
}

void host_pass_number(const char *name, uint32_t number)
{
	assert_string_equal(name, "slot");
	fake.passed = number;
}

void *host_share(size_t bytes)
{
	/* mapped: malloc() may be told to write to all of it */
	if (fake.memory)
		munmap(fake.memory, bytes);
	fake.memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(fake.memory, MAP_FAILED);
	return fake.memory;
}

bool host_write_file(const char *path, const char *text, size_t bytes)
{
	(void)path;
	assert_true(bytes < sizeof(fake.key));
	memcpy(fake.key, text, bytes);
	fake.key[bytes] = '\0';
	fake.key_bytes = bytes;
	return true;
}

void host_give_up(int status, const char *format, const char *text)
{
	fail_msg("gave up with %d: %s %s", status, format, text);
	abort();
}

void host_clean_environment(unsigned tid)
{
	(void)tid;
}

void host_print(const char *text)
{
	fputs(text, stdout);
}

uint64_t host_number(const char *text, const char **end)
{
	char *after;
	uint64_t value = strtoull(text, &after, 10);

	*end = after;
	return value;
}

int host_open_append(const char *path)
{
	assert_string_equal(path, "file.samples");
	return 3;
}

bool host_append(int fd, const char *path, const void *data, size_t bytes)
{
	(void)path;
	assert_int_equal(fd, 3);
	if (fake.disk_full)
		return false;
	assert_true(fake.sample_bytes + bytes <= sizeof(fake.samples));
	memcpy(fake.samples + fake.sample_bytes, data, bytes);
	fake.sample_bytes += bytes;
	return true;
}

const char *host_program(void)
{
	return "/bin/program";
}

bool host_segment_at(uint64_t address, struct host_segment *out)
{
	uint64_t page = address & ~0xfffULL;

	*out = (struct host_segment){ page, page + 0x1000, 0, fake.object };
	return true;
}

size_t host_segments(struct host_segment *out, size_t n)
{
	(void)n;
	host_segment_at(fake.pc, out);
	return 1;
}

void host_registers(unsigned tid, uint64_t *registers)
{
	(void)tid;
	for (uint64_t i = 0; i < WIRE_REGISTERS; i++)
		registers[i] = i * 10;
}

size_t host_peek(uint64_t address, void *to, size_t n)
{
	assert_int_equal(address, 70);
	assert_true(n >= 16);
	memset(to, 7, 16);
	return 16;
}

/* The hand that drives them. */

void fake_reset(struct wire_control *shared)
{
	void *memory;

	for (uint32_t id = 1; id < set_limit(); id++)
		set_close(id);
	memory = fake.memory;
	memset(&fake, 0, sizeof(fake));
	fake.memory = memory;
	fake.shared = shared;
	fake.pid = 100;
	memset(&pmu, 0, sizeof(pmu));
	pmu.opt.programmable = pmu.opt.fixed = -1;
	pmu_hooks.process_start();
	pmu_hooks.thread_start(1, 0);
}

static uint64_t growth(const struct engine_trap *trap, const unsigned *tallies)
{
	uint64_t sum = 0;

	for (const unsigned *s = tallies; *s != TALLY_COUNT; s++)
		sum += (uint64_t)trap->weight[*s];
	return sum;
}

void fake_step(unsigned tid, const unsigned *tallies)
{
	bool fires[ENGINE_TRAPS] = { false };

	fake.pc += 4;
	pmu_hooks.thread_runs(tid);
	for (const unsigned *s = tallies; *s != TALLY_COUNT; s++)
		fake.totals[tid][*s]++;
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++) {
		uint64_t *left = &fake.left[slot][tid];
		uint64_t grown = growth(&fake.traps[slot], tallies);

		if (!*left || !grown)
			continue;
		*left = *left > grown ? *left - grown : 0;
		fires[slot] = !*left;
	}
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++)
		if (fires[slot])
			fake.traps[slot].fire(slot, tid, fake.pc);
}

uint32_t fake_event(const char *name)
{
	for (uint32_t i = 0; i < events_count(); i++)
		if (strcmp(events_get(i)->name, name) == 0)
			return i;
	fail_msg("no event %s", name);
	return 0;
}

uint32_t fake_open(const char *const *names, uint32_t n,
		   struct wire_open *request)
{
	uint32_t id = 0;
	int err;

	request->n = n;
	for (uint32_t i = 0; i < n; i++)
		request->events[i] = fake_event(names[i]);
	err = set_open(request, &id);
	if (err)
		fail_msg("open: %d %s", err, request->why);
	set_add_member(id, 1);
	return id;
}
