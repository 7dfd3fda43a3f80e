/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code on wrong paths: decoded from the guest's memory, whether it was ever
 * executed or not, and remembered until the guest's memory map changes. The
 * map is known from a copy: another thread may be asking (second.c), while
 * Valgrind changes its own. Memory that can be written counts as code once
 * code has run there.
 */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/fresh.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/pages.h"
#include "simpmu/vg/second.h"
#include "simpmu/x86/decode.h"

#define MEMO_BITS  14
#define MAX_RANGES 4096

/* Memory that may be read as code. */
struct range {
	Addr start, end;
};

/* Of one line of the host. No instructions: no code. */
struct memo {
	_Alignas(64) struct code_run run;
	uint64_t address;
	uint32_t generation;
};

static struct {
	struct memo *memos;
	uint32_t generation; /* of the memory map */
	bool stale;          /* it has changed since `ranges` was made */
	bool rewritten;      /* code ran that the guest can write */
	struct range ranges[MAX_RANGES];
	unsigned count;
} state = { .generation = 1, .stale = true };

/* How many bytes may be read as code at @address. */
static size_t code_room(Addr address)
{
	unsigned low = 0, high = state.count;
	size_t capacity;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (state.ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == state.count || state.ranges[low].start > address)
		return 0;
	capacity = state.ranges[low].end - address;
	return capacity < X86_MAX_LENGTH ? capacity : X86_MAX_LENGTH;
}

static void change_map(void)
{
	second_drain();
	state.generation++;
	state.stale = true;
}

void wrongpath_start(void)
{
	static Addr starts[MAX_RANGES];
	Int n;

	if (!state.stale || !(engine.parts & PART_BRANCH))
		return;
	if (!state.memos)
		state.memos = fresh_pages(sizeof(*state.memos) << MEMO_BITS);
	state.stale = false;
	state.count = 0;
	n = VG_(am_get_segment_starts)(SkFileC | SkAnonC | SkShmC, starts,
				       MAX_RANGES);
	for (Int i = 0; i < n; i++) {
		const NSegment *s = VG_(am_find_nsegment)(starts[i]);

		if (s->hasX && s->hasR && (!s->hasW || state.rewritten))
			state.ranges[state.count++] =
				(struct range){ s->start, s->end + 1 };
	}
}

/* Valgrind makes the heap executable, so that alone tells nothing. */
void wrongpath_translate(Addr address)
{
	const NSegment *s;

	if (state.rewritten)
		return;
	s = VG_(am_find_nsegment)(address);
	if (!s || !s->hasW)
		return;
	state.rewritten = true;
	change_map();
	engine_retranslate();
}

bool wrongpath_is_rewritten(void)
{
	return state.rewritten;
}

static bool read_code(uint64_t address, struct x86 *out)
{
	size_t capacity = code_room(address);

	return capacity &&
	       x86_decode((const uint8_t *)(Addr)address, capacity, out);
}

const struct code_run *wrongpath_decode(void *ctx, uint64_t address)
{
	uint64_t slot =
		(address ^ address >> MEMO_BITS) & ((1u << MEMO_BITS) - 1);
	struct memo *m;

	(void)ctx;
	m = &state.memos[slot];
	if (m->address != address || m->generation != state.generation) {
		m->address = address;
		m->generation = state.generation;
		x86_decode_run(address, read_code, &m->run);
	}
	return m->run.count ? &m->run : NULL;
}

static void on_map(Addr a, SizeT len, Bool rr, Bool ww, Bool xx, ULong handle)
{
	(void)a;
	(void)len;
	(void)rr;
	(void)ww;
	(void)handle;
	if (xx)
		change_map();
}

static void on_protect(Addr a, SizeT len, Bool rr, Bool ww, Bool xx)
{
	(void)a;
	(void)len;
	(void)rr;
	(void)ww;
	(void)xx;
	change_map();
}

static void on_unmap(Addr a, SizeT len)
{
	change_map();
	pages_forget(a, len);
}

/* Rewritten code is noticed when its translation is thrown away by others. */
static void on_discard(Addr address, VexGuestExtents extents)
{
	(void)address;
	(void)extents;
	if (!translate_discards())
		change_map();
}

void wrongpath_register(void)
{
	VG_(track_new_mem_mmap)(on_map);
	VG_(track_change_mem_mprotect)(on_protect);
	VG_(track_die_mem_munmap)(on_unmap);
	VG_(needs_superblock_discards)(on_discard);
}
