/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which threads ran last: a list with the latest in front. A read of a set has
 * to look at those only that ran since the one before, so what it costs does
 * not grow with threads that wait.
 */
#include "simpmu/pmu/pmu.h"

static struct {
	uint64_t clock;
	uint64_t ran[ENGINE_MAX_TID]; /* when it began to; 0: not in the list */
	unsigned next[ENGINE_MAX_TID], before[ENGINE_MAX_TID]; /* 0: none */
} order;

/* Number 0 is no thread's: its neighbours are the ends of the list. */
static void unlink_thread(unsigned tid)
{
	order.next[order.before[tid]] = order.next[tid];
	order.before[order.next[tid]] = order.before[tid];
}

void order_run(unsigned tid)
{
	if (order.ran[tid] == order.clock && order.clock)
		return; /* nobody else ran since */
	if (order.ran[tid])
		unlink_thread(tid);
	order.ran[tid] = ++order.clock;
	order.next[tid] = order.next[0];
	order.before[tid] = 0;
	order.before[order.next[0]] = tid;
	order.next[0] = tid;
}

void order_end(unsigned tid)
{
	if (order.ran[tid])
		unlink_thread(tid);
	order.ran[tid] = 0;
}

unsigned order_next(unsigned tid)
{
	return order.next[tid];
}

uint64_t order_time(unsigned tid)
{
	return order.ran[tid];
}
