/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Valgrind tool: registers the engine with Valgrind's core and passes the
 * life of the process on to the PMU layer.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_options.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/vg/exclude/entry.h"
#include "simpmu/vg/exclude/pause.h"
#include "simpmu/vg/host/due.h"
#include "simpmu/vg/host/files.h"
#include "simpmu/vg/host/reserve.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/order/order.h"
#include "simpmu/vg/order/wait.h"
#include "simpmu/vg/repeat.h"
#include "simpmu/vg/second.h"
#include "simpmu/vg/trap.h"

static void start(void)
{
	/*
	 * Following branches while translating makes blocks whose later
	 * instructions run only under a condition (since Valgrind 3.16).
	 * Segments would count them always.
	 */
	VG_(clo_vex_control).guest_chase = False;
	/* which loads VEX leaves out as dead must not change within a run */
	if (engine.audit)
		trap_expect_faults();
	reserve_start();
	files_start();
	machine_init();
	pause_init();
	dump_start();
	if (pmu_hooks.process_start)
		pmu_hooks.process_start();
}

static void finish(Int status)
{
	unknown_finish();
	if (pmu_hooks.process_exit)
		pmu_hooks.process_exit(status);
	dump_write();
}

static Bool read_option(const HChar *arg)
{
	if (dump_option(arg) || machine_option(arg) || second_option(arg) ||
	    entry_option(arg) || repeat_option(arg) || failure_option(arg) ||
	    files_option(arg) || VG_STREQN(10, arg, "--program="))
		return True; /* the last is the launcher's */
	return pmu_hooks.option && pmu_hooks.option(arg);
}

static void print_usage(void)
{
	static const HChar text[] =
		"    --model=NAME|FILE         the machine to model: icx, "
		"hsw-ep, p3 or a file [icx]\n"
		"    --from=exec|main          where counting starts [exec]\n"
		"    --repeatable=no|yes       the same random numbers each "
		"time [no]\n"
		"    --signals=FILE            write all tallies to FILE at "
		"exit (%p: process id)\n"
		"    --audit=no|yes            also write VEX's view of them "
		"[no]\n"
		"    --second-core=auto|yes|alone|no\n"
		"                              model what can wait "
		"later, on a second core of\n"
		"                              the host, on the same one, "
		"or at once [auto]\n"
		"    --parts=NUMBER            parts of the model to run "
		"from the start [0]\n";

	VG_(printf)("%s", text);
	if (pmu_hooks.usage)
		pmu_hooks.usage();
}

static void print_debug_usage(void)
{
	VG_(printf)("    (none)\n");
}

static Bool handle_request(ThreadId tid, UWord *args, UWord *result)
{
	uint64_t value = 0;

	_Static_assert(sizeof(UWord) == sizeof(uint64_t), "64-bit guests");
	bool known = false;

	translate_begin_request();
	if (pmu_hooks.request)
		known = pmu_hooks.request(tid, (const uint64_t *)args, &value);
	translate_end_request();
	if (known)
		*result = value;
	return known;
}

static bool is_fault(UWord signal)
{
	return signal == VKI_SIGSEGV || signal == VKI_SIGBUS ||
	       signal == VKI_SIGFPE || signal == VKI_SIGILL;
}

static void before_syscall(ThreadId tid, UInt number, UWord *args, UInt n)
{
	bool paused = thread_get(tid)->paused;

	(void)n;
	second_drain();
	reserve_before_syscall(number, args);
	repeat_before_syscall(number, args);
	if (order_is_on())
		wait_before_syscall(tid, number, args);
	else
		due_before_syscall(tid, number, args);
	if (number == __NR_rt_sigreturn)
		pause_sigreturn(tid);
	if (number == __NR_rt_sigaction && args[1] && is_fault(args[0]))
		trap_expect_faults();
	if (!paused)
		engine_drain(tid);
	if (number != __NR_execve && number != __NR_execveat)
		return;
	if (pmu_hooks.exec)
		pmu_hooks.exec(tid);
	dump_write();
}

static void after_syscall(ThreadId tid, UInt number, UWord *args, UInt n,
			  SysRes result)
{
	(void)n;
	repeat_after_syscall(number, args, result);
	if (!order_is_on())
		due_after_syscall(number, args, result);
	else if (!sr_isError(result))
		wait_after_syscall(number, args);
	/* it may have slept: who asked meanwhile waits for an answer */
	if (!pmu_hooks.is_wanted || !pmu_hooks.is_wanted())
		return;
	pmu_hooks.safe_point(tid);
	translate_stop();
}

static void register_tool(void)
{
	VG_(details_name)("simpmu");
	VG_(details_version)(NULL);
	VG_(details_description)("a simulated performance monitoring unit");
	VG_(details_copyright_author)("GPL-2.0-or-later");
	VG_(details_bug_reports_to)("assay");
	VG_(details_avg_translation_sizeB)(300);
	VG_(basic_tool_funcs)(start, instrument_block, finish);
	VG_(needs_command_line_options)
	(read_option, print_usage, print_debug_usage);
	VG_(needs_client_requests)(handle_request);
	VG_(needs_syscall_wrapper)(before_syscall, after_syscall);
	thread_register();
	wrongpath_register();
}

VG_DETERMINE_INTERFACE_VERSION(register_tool)
