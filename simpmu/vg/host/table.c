/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which system calls the tool does in place of the core. */
#include "simpmu/vg/host/table.h"

extern struct entry *__real_vgModuleLocal_get_linux_syscall_entry(UInt number);
struct entry *__wrap_vgModuleLocal_get_linux_syscall_entry(UInt number);

struct entry *table_core(UInt number)
{
	return __real_vgModuleLocal_get_linux_syscall_entry(number);
}

struct entry *__wrap_vgModuleLocal_get_linux_syscall_entry(UInt number)
{
	struct entry *ours = wait_entry(number);

	if (!ours)
		ours = exec_entry(number);
	if (!ours)
		ours = files_entry(number);
	if (!ours)
		ours = link_entry(number);
	return ours ? ours : table_core(number);
}
