/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs from run to run: noticed, and made the same if that is asked. */
#pragma once

#include <stdbool.h>

#include <pub_tool_basics.h>

bool repeat_option(const HChar *arg);

/* The first thread is about to run. */
void repeat_begin(void);

void repeat_before_syscall(UInt number, const UWord *args);
void repeat_after_syscall(UInt number, const UWord *args, SysRes result);

/* The instruction at @at is being translated. */
void repeat_meet(Addr at);
