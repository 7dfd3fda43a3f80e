/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs from run to run: random numbers, clocks, process ids. The
 * guest's use of them is told to the PMU layer, so that nobody calls counts
 * repeatable that are not. With --repeatable=yes the kernel's random numbers
 * are replaced by the same ones each time.
 *
 * The 16 random bytes that the kernel gives a program at its start are always
 * the same: nothing tells whether a program looks at them.
 */
#include <elf.h>
#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_options.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/varies.h"
#include "simpmu/vg/order/order.h"
#include "simpmu/vg/repeat.h"
#include "simpmu/vg/state.h"
#include "simpmu/wire.h"

#define AT_RANDOM_BYTES 16
#define SET_SECCOMP     22 /* of prctl() */

/* Of what glibc's malloc asks for, a key that decides nothing. */
#define KEY_BYTES 8
#define KEY_FLAGS 1

/* Not in the headers for tools. */
extern UWord *vgPlain_client_auxv;

static struct {
	bool fixed;  /* --repeatable=yes */
	bool opened; /* a device of random numbers */
	ULong state; /* of those that are given out */
} repeat = { .state = 0x9e3779b97f4a7c15ULL };

bool repeat_option(const HChar *arg)
{
	if (!VG_STREQ(arg, "--repeatable=yes"))
		return VG_STREQ(arg, "--repeatable=no");
	repeat.fixed = true;
	order_switch_on();
	return true;
}

static void note(unsigned what)
{
	if (pmu_hooks.varies)
		pmu_hooks.varies(what);
}

/* ---- random numbers ---- */

static void fill(UChar *to, SizeT bytes)
{
	for (SizeT i = 0; i < bytes; i++) {
		repeat.state ^= repeat.state << 13;
		repeat.state ^= repeat.state >> 7;
		repeat.state ^= repeat.state << 17;
		to[i] = (UChar)(repeat.state >> 32);
	}
}

void repeat_begin(void)
{
	UWord *v = vgPlain_client_auxv;

	while (v && v[0] && v[0] != AT_RANDOM)
		v += 2;
	if (v && v[0])
		fill((UChar *)v[1], AT_RANDOM_BYTES);
}

/* The guest got @n of the system's random numbers. */
static void give(void *to, UWord n)
{
	if (repeat.fixed)
		fill(to, n);
	else
		note(WIRE_VARIES_RANDOM);
}

static bool is_random_device(const HChar *path)
{
	return !VG_(strcmp)(path, "/dev/urandom") ||
	       !VG_(strcmp)(path, "/dev/random");
}

/* Whether @fd is one: of the memory devices, number 8 or 9. */
static bool reads_random(Int fd)
{
	struct vg_stat stat;

	return repeat.opened && !VG_(fstat)(fd, &stat) &&
	       VKI_S_ISCHR(stat.mode) &&
	       (stat.rdev == (1 << 8 | 8) || stat.rdev == (1 << 8 | 9));
}

static void open_file(const HChar *path)
{
	repeat.opened |= is_random_device(path);
	if (varies_path(path))
		note(WIRE_VARIES_SYSTEM);
}

void repeat_after_syscall(UInt number, const UWord *args, SysRes result)
{
	if (sr_isError(result))
		return;
	switch (number) {
	case __NR_getrandom:
		if (repeat.fixed || args[1] != KEY_BYTES ||
		    args[2] != KEY_FLAGS)
			give((void *)args[0], sr_Res(result));
		break;
	case __NR_open:
		open_file((const HChar *)args[0]);
		break;
	case __NR_openat:
		open_file((const HChar *)args[1]);
		break;
	case __NR_read:
		if (reads_random((Int)args[0]))
			give((void *)args[1], sr_Res(result));
		break;
	default:
		break;
	}
}

/* ---- the rest ---- */

static void warn_of_seccomp(void)
{
	note(WIRE_VARIES_SECCOMP);
	VG_(printf)
	("simpmu: the program forbids itself system calls (seccomp); the "
	 "simulator needs some of them and may be killed\n");
}

void repeat_before_syscall(UInt number, const UWord *args)
{
	switch (number) {
	case __NR_clock_gettime:
	case __NR_gettimeofday:
	case __NR_time:
		if (!repeat.fixed)
			note(WIRE_VARIES_CLOCK);
		break;
	case __NR_times:
	case __NR_getrusage:
	case __NR_alarm:
	case __NR_setitimer:
	case __NR_timer_create:
		note(WIRE_VARIES_CLOCK);
		break;
	case __NR_getpid:
	case __NR_getppid:
	case __NR_gettid:
		note(WIRE_VARIES_IDS);
		break;
	case __NR_socket:
		if (args[0] != VKI_AF_UNIX)
			note(WIRE_VARIES_NETWORK);
		break;
	case __NR_prctl:
		if (args[0] == SET_SECCOMP)
			warn_of_seccomp();
		break;
	case __NR_seccomp:
		warn_of_seccomp();
		break;
	default:
		break;
	}
}

/* The dynamic linker reads the clock and looks at it for statistics only. */
static bool is_of_linker(Addr at)
{
	const UWord *v = vgPlain_client_auxv;
	const NSegment *a, *b;

	while (v && v[0] && v[0] != AT_BASE)
		v += 2;
	if (!v || !v[0])
		return false;
	a = VG_(am_find_nsegment)(v[1]);
	b = VG_(am_find_nsegment)(at);
	return a && b && a->ino == b->ino && a->dev == b->dev;
}

void repeat_meet(Addr at)
{
	const UChar *code = (const UChar *)at;

	while (*code == 0x66 || *code == 0xf2 || *code == 0xf3 ||
	       (*code & 0xf0) == 0x40)
		code++;
	if (code[0] != 0x0f)
		return;
	if (code[1] == 0xc7 && code[2] >= 0xf0) /* rdrand, rdseed */
		note(WIRE_VARIES_RANDOM);
	else if (code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9))
		if (!repeat.fixed && !is_of_linker(at)) /* rdtsc, rdtscp */
			note(WIRE_VARIES_CLOCK);
}

/* ---- the time stamp counter ---- */

/* Of the core, reached through these by the linker's option --wrap. */
extern ULong __real_amd64g_dirtyhelper_RDTSC(void);
extern void __real_amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State *state);
ULong __wrap_amd64g_dirtyhelper_RDTSC(void);
void __wrap_amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State *state);

ULong __wrap_amd64g_dirtyhelper_RDTSC(void)
{
	return repeat.fixed ? order_now() : __real_amd64g_dirtyhelper_RDTSC();
}

void __wrap_amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State *state)
{
	__real_amd64g_dirtyhelper_RDTSCP(state);
	if (!repeat.fixed)
		return;
	state->guest_RAX = order_now() & 0xffffffffu;
	state->guest_RDX = order_now() >> 32;
	state->guest_RCX = 0; /* the processor */
}
