/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals for the guest. They go the kernel's way: queued to the host thread,
 * found there by Valgrind's scheduler, delivered as the guest's handlers and
 * masks have it.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/vg/state.h"

static long queue_to_thread(long pid, long tid, long signo,
			    const vki_siginfo_t *info)
{
	register const vki_siginfo_t *fourth __asm__("r10") = info;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)__NR_rt_tgsigqueueinfo), "D"(pid),
			   "S"(tid), "d"(signo), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

void engine_queue_signal(unsigned tid, const struct engine_signal *signal)
{
	vki_siginfo_t info;

	VG_(memset)(&info, 0, sizeof(info));
	info.si_signo = signal->signo;
	info.si_code = signal->code;
	info._sifields._sigpoll._band = signal->band;
	info._sifields._sigpoll._fd = signal->fd;
	queue_to_thread(VG_(getpid)(), thread_get(tid)->kernel_tid,
			signal->signo, &info);
}
