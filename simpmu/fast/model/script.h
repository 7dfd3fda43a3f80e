/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing scripts (log.h) while a path is translated, and the code that fills
 * the records. None of that code changes a flag.
 *
 * The address of the record is kept in a register that the instructions at hand
 * do not name, one of r8 to r15, whose own value is in T_HELD meanwhile. It is
 * taken when something is to be logged and given back when an instruction names
 * it. Under the engine's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/fast/model/log.h"
#include "simpmu/x86/decode.h"

extern bool script_is_paused; /* while a path that logs nothing is made */

static inline bool script_is_on(void)
{
	return log_parts != 0 && !script_is_paused;
}

/* Memory for scripts, before the first translation that has one. */
void script_init(void);

/* Forget all scripts: no record of the log is left. */
void script_flush(void);
bool script_has_room(void);

/* A new path; its first entry in the map is @entry. */
void script_begin(uint32_t entry);
void script_finish(void);

/* Emit a test that the log has room; else the cache is left by @why. The
 * flags are free to use. Returns the displacement of the jump. */
uint8_t *script_test_room(void);

/* Whether what the instruction at @pc does can be logged. */
bool script_can(uint64_t pc, const struct x86 *insn);

/* Before the instruction at @pc is emitted, and behind it. */
void script_before(uint64_t pc, const struct x86 *insn);
void script_behind(uint64_t pc, const struct x86 *insn);

/* The branch at @pc is taken or not on this path; an indirect one goes to
 * @target. */
void script_follow(uint64_t pc, const struct x86 *insn, bool taken,
		   uint64_t target);

/* The path can be left here: number of the exit. */
uint32_t script_leave(void);
/* ... by the branch at @pc; an indirect one goes where rcx says. */
uint32_t script_leave_by(uint64_t pc, const struct x86 *insn, bool taken);

/* The register that is taken now; 0: none. */
unsigned script_held(void);
/* Emit the end of a record, where register @held is taken, and give it back.
 */
void script_commit(uint32_t exit, unsigned held);
/* The same where the target is in rcx, and rax is free. */
void script_commit_target(uint32_t exit);
/* Give the register back. */
void script_release(unsigned held);
void script_release_now(void);
