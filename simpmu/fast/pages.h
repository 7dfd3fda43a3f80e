/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages that translations were made of, so that these go when code changes.
 *
 * A page that the guest may both write and execute loses its write permission
 * when something of it is translated. A write then faults: the translations of
 * the page are killed, and it is writable until the next one. Code of a file
 * that is also mapped writable elsewhere is killed when that mapping ends or
 * loses its permission to write. Other pages change by system calls only. All
 * functions but the last two, pages_prepare() and pages_added() are called
 * under the engine's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct block;
struct image;

void pages_init(void);

/* What is read from now on goes into a translation of @block; NULL: none. */
void pages_begin(const struct block *block);
/* The translation depends on the code at @pc. */
void pages_depend(uint64_t pc);
/* @pc is about to be read: note it if it may change by a mere write. */
bool pages_note_read(uint64_t pc);
/* Whether the guest may execute what is at @pc. */
bool pages_is_code(uint64_t pc);
/* Whether @pc is on a stack that may be executed (fleeting.h). */
bool pages_is_fleeting(uint64_t pc);
/* Whether code at @pc may change without a system call, and is watched. */
bool pages_may_change(uint64_t pc);

/* Discard what was made of pages whose numbers are not @is_kept. */
void pages_kill_others(bool (*is_kept)(uint64_t number));
/* Which pages translations depend on, to a file or from it. */
void pages_keep(struct image *image);

/* There are no translations any more. */
void pages_flush(void);
bool pages_has_room(void);

/*
 * The guest changes [@start, +@bytes): before the engine's lock is taken for
 * it; then, in the same turn of the lock as the system call, that it is gone by
 * munmap and its like, or was mapped with @prot; and after the lock.
 */
void pages_prepare(uint64_t start, uint64_t bytes);
void pages_gone(uint64_t start, uint64_t bytes);
void pages_mapped(uint64_t start, uint64_t bytes, int prot, bool is_shared);
void pages_added(int prot);
/* The same for mprotect: before, and after it succeeded. */
void pages_before_protect(uint64_t start, uint64_t bytes, int prot);
void pages_after_protect(uint64_t start, uint64_t bytes, int prot);

/*
 * A fault at @address, in block @running (NULL: not in the cache). True if the
 * engine had taken the permission to write: the access can be repeated. Then
 * *@is_own tells whether the running block was made of this page.
 */
bool pages_write_fault(uint64_t address, const struct block *running,
		       bool *is_own);

/* Give all permissions back, for a system call that must write; true if any
 * was missing. */
bool pages_unprotect_all(void);
