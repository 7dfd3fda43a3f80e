/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's address space and registers, from Valgrind's core. */
#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_clientstate.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcsetjmp.h>
#include <pub_tool_libcsignal.h>
#include <pub_tool_machine.h>
#include <pub_tool_signals.h>
#include <pub_tool_vki.h>

#include "simpmu/pmu/host.h"

/* Not in the headers for tools: moves a file's number above the guest's. */
extern Int vgPlain_safe_fd(Int fd);

#define CODE_KINDS (SkAnonC | SkFileC | SkShmC)
#define MAX_STARTS 4096

int host_open_append(const char *path)
{
	SysRes file = VG_(open)(path, VKI_O_WRONLY | VKI_O_APPEND, 0);

	/* this also closes it at an exec */
	return sr_isError(file) ? -1 : vgPlain_safe_fd((Int)sr_Res(file));
}

bool host_append(int fd, const char *path, const void *data, size_t bytes)
{
	(void)path;
	return VG_(write)(fd, data, (Int)bytes) == (Int)bytes;
}

const char *host_program(void)
{
	return VG_(args_the_exename) ? VG_(args_the_exename) : "";
}

static void describe(const NSegment *from, struct host_segment *to)
{
	to->start = from->start;
	to->end = from->end + 1;
	to->offset = from->kind == SkFileC ? (uint64_t)from->offset : 0;
	to->path = from->kind == SkFileC ? VG_(am_get_filename)(from) : NULL;
}

bool host_segment_at(uint64_t address, struct host_segment *out)
{
	const NSegment *segment = VG_(am_find_nsegment)((Addr)address);

	if (!segment || !(segment->kind & CODE_KINDS))
		return false;
	describe(segment, out);
	return true;
}

size_t host_segments(struct host_segment *out, size_t n)
{
	static Addr starts[MAX_STARTS];
	Int found = VG_(am_get_segment_starts)(CODE_KINDS, starts, MAX_STARTS);
	size_t kept = 0;

	for (Int i = 0; i < found && kept < n; i++) {
		const NSegment *segment = VG_(am_find_nsegment)(starts[i]);

		if (segment && segment->hasX)
			describe(segment, &out[kept++]);
	}
	return kept;
}

void host_registers(unsigned tid, uint64_t *registers)
{
	VexGuestAMD64State g;

	VG_(get_shadow_regs_area)
	(tid, (UChar *)&g, 0, 0, offsetof(VexGuestAMD64State, guest_RIP) + 8);
	const uint64_t all[] = {
		g.guest_RAX, g.guest_RDX, g.guest_RCX, g.guest_RBX, g.guest_RSI,
		g.guest_RDI, g.guest_RBP, g.guest_RSP, g.guest_R8,  g.guest_R9,
		g.guest_R10, g.guest_R11, g.guest_R12, g.guest_R13, g.guest_R14,
		g.guest_R15, g.guest_RIP,
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		registers[i] = all[i];
}

static VG_MINIMAL_JMP_BUF(unreadable);

static void on_fault(Int signal, Addr address)
{
	(void)signal;
	(void)address;
	VG_MINIMAL_LONGJMP(unreadable);
}

/*
 * Copy as much as can be read. A segment may have pages that cannot: the C
 * library makes guards of stacks without telling (madvise, since glibc 2.42).
 */
static size_t copy(HChar *to, const HChar *from, size_t n)
{
	fault_catcher_t before;
	vki_sigset_t mask;
	volatile size_t done = 0;

	VG_(sigprocmask)(VKI_SIG_SETMASK, NULL, &mask);
	before = VG_(set_fault_catcher)(on_fault);
	if (VG_MINIMAL_SETJMP(unreadable) == 0) {
		while (done < n) {
			size_t rest = VKI_PAGE_SIZE -
				      (Addr)(from + done) % VKI_PAGE_SIZE;

			if (rest > n - done)
				rest = n - done;
			VG_(memcpy)(to + done, from + done, rest);
			done += rest;
		}
	} else {
		VG_(sigprocmask)(VKI_SIG_SETMASK, &mask, NULL);
	}
	VG_(set_fault_catcher)(before);
	return done;
}

size_t host_peek(uint64_t address, void *to, size_t n)
{
	const NSegment *segment = VG_(am_find_nsegment)((Addr)address);

	if (!segment || !(segment->kind & CODE_KINDS) || !segment->hasR)
		return 0;
	if (n > segment->end + 1 - address)
		n = segment->end + 1 - address;
	return copy(to, (const HChar *)(Addr)address, n);
}
