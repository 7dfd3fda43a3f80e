/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls with --repeatable=yes: which wait in order, and what time it
 * is. */
#pragma once

#include <stdbool.h>

#include <pub_tool_basics.h>

void wait_before_syscall(ThreadId tid, UInt number, const UWord *args);
void wait_after_syscall(UInt number, const UWord *args);
