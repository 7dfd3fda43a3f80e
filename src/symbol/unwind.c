/* SPDX-License-Identifier: BSD-3-Clause */
/* libdwfl's unwinder on copied threads. */

#include "symbol/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/object.h"

#define ONLY_THREAD 1

struct unwinder {
	Dwfl *dwfl;
	const struct unwind_state *state; /* of the run under way */
	uint64_t *pcs;
	size_t n, capacity;
};

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return ONLY_THREAD;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result,
			void *arg)
{
	const struct unwinder *u = arg;
	const struct unwind_state *s = u->state;
	uint64_t offset = address - s->stack_start;

	(void)dwfl;
	if (address < s->stack_start || s->stack_bytes < sizeof(*result) ||
	    offset > s->stack_bytes - sizeof(*result))
		return false;
	memcpy(result, (const char *)s->stack + offset, sizeof(*result));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct unwinder *u = arg;
	const struct unwind_state *s = u->state;

	for (int i = 0; i < 64; i++) {
		Dwarf_Word value;

		if (!(s->known >> i & 1))
			continue;
		value = s->registers[i];
		if (!dwfl_thread_state_registers(thread, i, 1, &value))
			return false;
	}
	dwfl_thread_state_register_pc(thread, s->pc);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

struct unwinder *unwinder_new(const struct unwind_module *modules, size_t n)
{
	struct unwinder *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->dwfl = object_begin();
	if (!u->dwfl)
		goto fail;
	dwfl_report_begin(u->dwfl);
	for (size_t i = 0; i < n; i++)
		dwfl_report_elf(u->dwfl, modules[i].path, modules[i].path, -1,
				modules[i].bias, true);
	dwfl_report_end(u->dwfl, NULL, NULL);
	if (!dwfl_attach_state(u->dwfl, NULL, ONLY_THREAD, &thread_callbacks,
			       u))
		goto fail;
	return u;

fail:
	unwinder_free(u);
	return NULL;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	if (u->dwfl)
		dwfl_end(u->dwfl);
	free(u);
}

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwinder *u = arg;
	bool is_activation;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, &is_activation) || pc == 0 ||
	    u->n == u->capacity)
		return DWARF_CB_ABORT;
	/* a return address may belong to the line, or function, behind */
	u->pcs[u->n++] = is_activation ? pc : pc - 1;
	return DWARF_CB_OK;
}

size_t unwinder_run(struct unwinder *u, const struct unwind_state *state,
		    uint64_t *pcs, size_t capacity)
{
	u->state = state;
	u->pcs = pcs;
	u->capacity = capacity;
	u->n = 0;
	/* its end is an error as well: what was found stays */
	dwfl_getthread_frames(u->dwfl, ONLY_THREAD, take_frame, u);
	return u->n;
}
