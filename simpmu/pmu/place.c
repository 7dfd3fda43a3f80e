/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places of processes in the control file: taken, and handed to the program
 * that a process executes. Process ids tell nothing: they are those of a
 * namespace. What a place holds is control.c's.
 */
#include "simpmu/pmu/control.h"
#include "simpmu/pmu/host.h"

/* Be in place @i, which is this process's. */
static void settle(uint32_t i)
{
	control.slot = &control.shared->slots[i];
	control.place = &control.shared->processes[i];
	/* before the exec is over: what nobody holds may be taken for dead */
	host_hold((uint64_t)WIRE_LOCKS + i, true);
	control.slot->execs = control.slot->flags = 0;
}

static void clear(struct wire_process *p)
{
	for (uint32_t s = 0; s < WIRE_SETS; s++) {
		p->serials[s] = 0;
		for (uint32_t e = 0; e < WIRE_EVENTS; e++)
			p->counts[s][e] = (struct wire_count){ 0 };
	}
	p->members = 0;
}

static bool has_memory(uint32_t i)
{
	return host_reserve(offsetof(struct wire_control, processes) +
				    i * sizeof(struct wire_process),
			    sizeof(struct wire_process));
}

/*
 * Take place @i, if it is free. Its lock comes first: a place that is taken and
 * that nobody holds is one that a killed process left, and may be given to
 * another.
 */
static bool try_place(uint32_t i, int32_t pid)
{
	struct wire_slot *slot = &control.shared->slots[i];
	const uint64_t lock = (uint64_t)WIRE_LOCKS + i;
	int32_t nobody = 0;

	if (__atomic_load_n(&slot->pid, __ATOMIC_RELAXED) ||
	    !host_hold(lock, true))
		return false;
	if (__atomic_compare_exchange_n(&slot->pid, &nobody, pid, false,
					__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return true;
	host_hold(lock, false);
	return false;
}

uint32_t place_claim(int32_t pid)
{
	for (uint32_t i = 0; i < WIRE_PROCESSES; i++) {
		if (!try_place(i, pid))
			continue;
		if (!has_memory(i)) {
			__atomic_store_n(&control.shared->slots[i].pid, 0,
					 __ATOMIC_RELEASE);
			host_hold((uint64_t)WIRE_LOCKS + i, false);
			break;
		}
		clear(&control.shared->processes[i]);
		return i;
	}
	__atomic_add_fetch(&control.shared->lost, 1, __ATOMIC_RELAXED);
	return WIRE_PROCESSES;
}

void place_take(int32_t pid)
{
	uint32_t i = place_claim(pid);

	control.slot = NULL;
	control.place = NULL;
	if (i < WIRE_PROCESSES)
		settle(i);
}

bool place_inherit(int32_t pid)
{
	uint32_t i = pmu.opt.slot - 1;

	if (!pmu.opt.slot || i >= WIRE_PROCESSES ||
	    control.shared->slots[i].pid != pid ||
	    !control.shared->slots[i].execs)
		return false;
	settle(i);
	return true;
}
