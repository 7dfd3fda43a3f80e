/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A system call of the tool's own. */
#pragma once

#include <pub_tool_basics.h>

static inline Word call_kernel(Word number, UWord a, UWord b, UWord c, UWord d)
{
	register UWord r10 __asm__("r10") = d;
	Word result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}
