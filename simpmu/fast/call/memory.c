/* SPDX-License-Identifier: BSD-3-Clause */
/* The guest's memory; see memory.h. Which pages hold code is for pages.c. */
#include "simpmu/fast/call/memory.h"

#include "simpmu/fast/hook.h"
#include "simpmu/fast/keep/keep.h"
#include "simpmu/fast/layout.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/wire.h"

#define ERROR_MEMORY   (-12)
#define ERROR_TAKEN    (-17) /* EEXIST, of MAP_IF_FREE */
#define MAP_LOW_HALF   0x40u /* MAP_32BIT */
#define MAP_GROWS_DOWN 0x100u
#define MAP_DENYWRITE  0x800u
#define MAP_HUGE_PAGES 0x40000u
#define MAY_MOVE       1u /* flags of mremap */
#define MOVE_TO        2u
#define LOW_STEP       0x100000u
#define LOW_ALIGN      0xffffu
#define TRIES          256 /* of places that something else has taken */

/* Addresses that are given out from above. */
struct area {
	uint64_t next; /* end of what comes next */
	uint64_t first;
};

static struct area near = { MAP_LAST, MAP_FIRST };
static struct area far = { FAR_LAST, FAR_FIRST };
static uint64_t heap_end = HEAP_FIRST;

/* ---- places ---- */

int64_t memory_map_low(uint64_t bytes, uint64_t prot, uint64_t flags,
		       uint64_t fd, uint64_t offset)
{
	static uint64_t next = LOW_FIRST;
	int64_t at;

	for (bytes = page_up(bytes); next + bytes <= LOW_LAST;
	     next += LOW_STEP) {
		at = sys6(__NR_mmap, next, bytes, prot,
			  (flags & ~(uint64_t)MAP_AT) | MAP_IF_FREE, fd,
			  offset);
		if (at == (int64_t)next) {
			next = (next + bytes + LOW_ALIGN) &
			       ~(uint64_t)LOW_ALIGN;
			return at;
		}
	}
	return ERROR_MEMORY;
}

uint64_t memory_map_stack(uint64_t bytes, int prot)
{
	uint64_t at = STACK_LAST - bytes;
	int64_t result =
		sys6(__NR_mmap, at, bytes, (uint64_t)prot,
		     MAP_IS_OWN | MAP_NO_FILE | MAP_IF_FREE | MAP_GROWS_DOWN,
		     (uint64_t)-1, 0);

	if (result != (int64_t)at)
		return 0;
	pages_mapped(at, bytes, prot, false);
	return STACK_LAST;
}

/* Map what @reg asks for at @at, or fail. */
static int64_t map_at(const uint64_t *reg, uint64_t at)
{
	return sys6(__NR_mmap, at, reg[RSI], reg[RDX], reg[R10] | MAP_IF_FREE,
		    reg[R8], reg[R9]);
}

static int64_t map_in(struct area *area, const uint64_t *reg)
{
	uint64_t bytes = page_up(reg[RSI]);
	int64_t at = ERROR_TAKEN;

	for (int i = 0; i < TRIES && at == ERROR_TAKEN; i++) {
		if (area->next - area->first < bytes)
			return ERROR_TAKEN;
		at = map_at(reg, area->next - bytes);
		if (!is_error(at) || at == ERROR_TAKEN)
			area->next -= bytes;
	}
	return at;
}

/* Where the guest wants it if that is free; else at the next place. */
static int64_t map_anywhere(const uint64_t *reg)
{
	int64_t at = ERROR_TAKEN;

	if (reg[RDI])
		at = map_at(reg, page_up(reg[RDI]));
	if (is_error(at) && reg[RSI] <= MAP_LARGEST)
		at = map_in(&near, reg);
	if (at == ERROR_TAKEN)
		at = map_in(&far, reg);
	return at;
}

/* Libraries: files that are mapped to be executed, wherever there is room. */
static bool wants_low(const uint64_t *reg)
{
	return !reg[RDI] && (int32_t)reg[R8] >= 0 &&
	       !(reg[R10] & MAP_NO_FILE) &&
	       (reg[RDX] & PROT_X || reg[R10] & MAP_DENYWRITE);
}

/* Whether the place is the engine's to choose. */
static bool is_free(const uint64_t *reg)
{
	return !(reg[R10] &
		 (MAP_AT | MAP_IF_FREE | MAP_LOW_HALF | MAP_HUGE_PAGES)) &&
	       reg[RSI] && reg[RSI] < FAR_LAST;
}

/* ---- calls ---- */

/* As it is. These calls do not wait, so no signal has to be thought of. */
static int64_t pass_on(const uint64_t *reg)
{
	return sys6(reg[RAX], reg[RDI], reg[RSI], reg[RDX], reg[R10], reg[R8],
		    reg[R9]);
}

static int64_t map_somewhere(const uint64_t *reg)
{
	int64_t at = ERROR_TAKEN;

	if (!is_free(reg))
		return at;
	if (wants_low(reg))
		at = memory_map_low(reg[RSI], reg[RDX], reg[R10], reg[R8],
				    reg[R9]);
	return is_error(at) ? map_anywhere(reg) : at;
}

static int64_t map(const uint64_t *reg)
{
	bool is_kernels = false;
	int64_t at;

	if (reg[R10] & MAP_AT)
		pages_prepare(reg[RDI], reg[RSI]);
	engine_lock();
	if (reg[R10] & MAP_AT)
		pages_gone(reg[RDI], reg[RSI]);
	at = map_somewhere(reg);
	if (at == ERROR_TAKEN) {
		at = pass_on(reg);
		is_kernels =
			!is_error(at) && !(reg[R10] & (MAP_AT | MAP_IF_FREE));
	}
	if (!is_error(at))
		pages_mapped((uint64_t)at, reg[RSI], (int)reg[RDX],
			     reg[R10] & MAP_IS_SHARED &&
				     !(reg[R10] & MAP_NO_FILE));
	if (!is_error(at) && reg[RDX] & PROT_X && !(reg[R10] & MAP_NO_FILE))
		keep_mapped((uint64_t)at, reg[RSI], (int64_t)(int32_t)reg[R8],
			    reg[R9]);
	engine_unlock();
	if (is_kernels)
		hook_varies(WIRE_VARIES_ADDRESSES);
	if (!is_error(at))
		pages_added((int)reg[RDX]);
	return at;
}

/* The last place that was given out is free again: use it next. */
static void give_back(struct area *area, uint64_t start, uint64_t bytes)
{
	if (start == area->next)
		area->next += page_up(bytes);
}

static int64_t unmap(const uint64_t *reg)
{
	int64_t result;

	pages_prepare(reg[RDI], reg[RSI]);
	engine_lock();
	pages_gone(reg[RDI], reg[RSI]);
	result = SYS(__NR_munmap, reg[RDI], reg[RSI], 0);
	if (!result) {
		give_back(&near, reg[RDI], reg[RSI]);
		give_back(&far, reg[RDI], reg[RSI]);
	}
	engine_unlock();
	return result;
}

/* To the next place, of the new size. */
static int64_t move(const uint64_t *reg)
{
	const uint64_t arguments[16] = {
		[RSI] = reg[RDX],
		[R10] = MAP_IS_OWN | MAP_NO_FILE | MAP_NO_COMMIT,
		[R8] = (uint64_t)-1,
	};
	int64_t at = map_anywhere(arguments), result;

	if (is_error(at))
		return at;
	result = sys6(__NR_mremap, reg[RDI], reg[RSI], reg[RDX],
		      MAY_MOVE | MOVE_TO, (uint64_t)at, 0);
	if (is_error(result))
		SYS(__NR_munmap, at, reg[RDX], 0);
	return result;
}

static int64_t resize(const uint64_t *reg)
{
	int64_t result = ERROR_TAKEN;

	pages_prepare(reg[RDI], reg[RSI]);
	if (reg[R10] & MOVE_TO)
		pages_prepare(reg[R8], reg[RDX]);
	engine_lock();
	pages_gone(reg[RDI], reg[RSI]);
	if (reg[R10] & MOVE_TO)
		pages_gone(reg[R8], reg[RDX]);
	if (reg[R10] == MAY_MOVE && reg[RDX] > reg[RSI]) {
		result = sys6(__NR_mremap, reg[RDI], reg[RSI], reg[RDX], 0, 0,
			      0);
		if (result == ERROR_MEMORY)
			result = move(reg);
	}
	if (is_error(result))
		result = pass_on(reg);
	engine_unlock();
	return result;
}

static int64_t protect(const uint64_t *reg)
{
	int64_t result;

	pages_prepare(reg[RDI], reg[RSI]);
	engine_lock();
	pages_before_protect(reg[RDI], reg[RSI], (int)reg[RDX]);
	result = pass_on(reg);
	if (result == 0)
		pages_after_protect(reg[RDI], reg[RSI], (int)reg[RDX]);
	engine_unlock();
	if (result == 0)
		pages_added((int)reg[RDX]);
	return result;
}

/* The end of the heap, as it is then: also where it cannot be moved. */
static int64_t set_heap_end(uint64_t end)
{
	uint64_t now, then = page_up(end);
	int64_t result = 0;

	engine_lock();
	now = page_up(heap_end);
	if (then < now && then >= HEAP_FIRST)
		pages_gone(then, now - then);
	if (end < HEAP_FIRST || end > HEAP_LAST)
		result = ERROR_MEMORY;
	else if (then > now)
		result = sys6(__NR_mmap, now, then - now, PROT_R | PROT_W,
			      MAP_IS_OWN | MAP_NO_FILE | MAP_IF_FREE,
			      (uint64_t)-1, 0);
	else if (then < now)
		result = SYS(__NR_munmap, then, now - then, 0);
	if (!is_error(result))
		heap_end = end;
	end = heap_end;
	engine_unlock();
	return (int64_t)end;
}

int64_t memory_call(const uint64_t *reg)
{
	switch (reg[RAX]) {
	case __NR_mmap:
		return map(reg);
	case __NR_munmap:
		return unmap(reg);
	case __NR_mremap:
		return resize(reg);
	case __NR_brk:
		if (reg[RDI] >= HEAP_FIRST && reg[RDI] < heap_end)
			pages_prepare(reg[RDI], heap_end - reg[RDI]);
		return set_heap_end(reg[RDI]);
	default:
		return protect(reg);
	}
}
