/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end by a failure of the simulator's own: a check that does not hold, no
 * memory, a bad address in its own code. It must not look like the program's
 * end: the exit status is 125, a sentence says so, and whoever counts the
 * program is told that there are no counts.
 *
 * Valgrind takes a fault for the guest's if it happened while translated code
 * ran, also within a function that this code called. Such a function is ours,
 * except for VEX's helpers, which access the guest's memory for it (80-bit
 * floats, saving the processor's state).
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_machine.h>
#include <pub_tool_options.h>
#include <pub_tool_vki.h>

#include "simpmu/pmu/engine.h"
#include "simpmu/vg/state.h"
#include "simpmu/vg/vex_helpers.h"

#define FAILED 125

/* Of the core, reached through these by the linker's option --wrap. */
extern Bool vgPlain_in_generated_code;
extern Bool __real_vgPlain_gdbserver_report_signal(vki_siginfo_t *info,
						   ThreadId tid);
Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid);
void __wrap_vgPlain_assert_fail(Bool is_core, const HChar *what,
				const HChar *file, Int line,
				const HChar *function, const HChar *format, ...)
	__attribute__((noreturn));
void __wrap_vgPlain_core_panic(const HChar *what) __attribute__((noreturn));
void __wrap_vgPlain_core_panic_at(const HChar *what, void *registers)
	__attribute__((noreturn));
void __wrap_vgPlain_tool_panic(const HChar *what) __attribute__((noreturn));
void __wrap_vgPlain_out_of_memory_NORETURN(const HChar *who, SizeT bytes,
					   UWord error)
	__attribute__((noreturn));

/* Of the linker: where this executable's code lies. */
extern const char __executable_start[], etext[];

/* Not a fault, but a limit: the core's text, and what is meant. */
static const HChar *limit_of(const HChar *what)
{
	return VG_(strstr)(what, "Max number of threads")
		       ? "it runs at most 1500 threads at a time, and the "
			 "program began more"
		       : NULL;
}

/* ---- for tests ---- */

static enum {
	SOUND,
	FAIL_BY_FAULT,
	FAIL_BY_CHECK
} wanted;

bool failure_option(const HChar *arg)
{
	if VG_XACT_CLO (arg, "--fail=fault", wanted, FAIL_BY_FAULT)
		return true;
	if VG_XACT_CLO (arg, "--fail=check", wanted, FAIL_BY_CHECK)
		return true;
	return false;
}

static void fail_in_call(void)
{
	*(volatile int *)8 = 1;
}

void failure_emit(IRSB *sb)
{
	tl_assert(wanted != FAIL_BY_CHECK);
	if (wanted == FAIL_BY_FAULT)
		addStmtToIRSB(sb, IRStmt_Dirty(unsafeIRDirty_0_N(
					  0, "fail_in_call",
					  VG_(fnptr_to_fnentry)(&fail_in_call),
					  mkIRExprVec_0())));
}

/* ---- the end ---- */

static void __attribute__((noreturn)) fail(const HChar *what)
{
	static bool again;
	const HChar *limit = limit_of(what);

	if (limit)
		what = limit;

	if (!again && pmu_hooks.failure) {
		again = true;
		pmu_hooks.failure(what);
	}
	VG_(printf)("simpmu: the simulator failed: %s\n", what);
	if (limit)
		VG_(exit)(FAILED);
	VG_(printf)
	("simpmu: this is a fault of assay, not of the program, and there are "
	 "no counts; please report it with\n"
	 "simpmu: the command line and what 'assay doctor' prints, as "
	 "CONTRIBUTING.md says\n");
	VG_(exit)(FAILED);
}

/* ---- checks and memory ---- */

void __wrap_vgPlain_assert_fail(Bool is_core, const HChar *what,
				const HChar *file, Int line,
				const HChar *function, const HChar *format, ...)
{
	HChar text[160];

	(void)is_core;
	(void)function;
	(void)format;
	VG_(snprintf)
	(text, sizeof(text), "%s:%d: '%s' does not hold", file, line, what);
	fail(text);
}

void __wrap_vgPlain_core_panic(const HChar *what)
{
	fail(what);
}

void __wrap_vgPlain_core_panic_at(const HChar *what, void *registers)
{
	(void)registers;
	fail(what);
}

void __wrap_vgPlain_tool_panic(const HChar *what)
{
	fail(what);
}

void __wrap_vgPlain_out_of_memory_NORETURN(const HChar *who, SizeT bytes,
					   UWord error)
{
	HChar text[160];

	(void)error;
	VG_(snprintf)
	(text, sizeof(text),
	 "out of memory: %s asked for %lu bytes; is there a limit "
	 "('ulimit -v')?",
	 who, bytes);
	fail(text);
}

/* ---- faults ---- */

static bool is_vex_helper(Addr pc)
{
	static const struct {
		const void *symbol;
		Addr offset, bytes; /* of the object that has it */
	} objects[] = {
#define X(name, offset, bytes) { (const void *)&name, offset, bytes },
		VEX_HELPERS(X)
#undef X
	};

	for (unsigned i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		Addr start = (Addr)objects[i].symbol - objects[i].offset;

		if (pc >= start && pc < start + objects[i].bytes)
			return true;
	}
	return false;
}

/*
 * The kernel puts the registers right before the signal's description (struct
 * rt_sigframe of arch/x86), and Valgrind's handler passes that on as it is.
 */
static Addr host_pc(const vki_siginfo_t *info)
{
	const struct vki_ucontext *context =
		(const struct vki_ucontext *)((Addr)info -
					      sizeof(struct vki_ucontext));

	return context->uc_mcontext.rip;
}

Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid)
{
	HChar text[80];
	Addr pc;

	if (vgPlain_in_generated_code) {
		pc = host_pc(info);
		if (pc >= (Addr)__executable_start && pc < (Addr)etext &&
		    !is_vex_helper(pc)) {
			VG_(snprintf)
			(text, sizeof(text),
			 "signal %d in its own code at 0x%lx", info->si_signo,
			 pc);
			fail(text);
		}
		fault_meet(tid);
	}
	return __real_vgPlain_gdbserver_report_signal(info, tid);
}
