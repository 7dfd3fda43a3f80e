/* SPDX-License-Identifier: BSD-3-Clause */
/* How the modelled kernel reaches the real one below it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* A system call of the real kernel; -1 with errno set on error. */
long raw_call(long number, long a, long b, long c, long d, long e, long f);

/* Where the memory of event @id is. */
void mk_ring_path(char *to, size_t size, uint64_t id);

/* Nanoseconds for samples and virtual clocks. */
uint64_t mk_clock(void);

/* Another machine was booted: its memory is not the last one's. */
void mk_views_forget(void);

/* Stand in for libc; memory of events is files in @folder. */
void mk_calls_init(const char *folder);

/* Files below /proc and /sys are those below @root. */
void mk_files_init(const char *root);

/* In the child of a fork: it is another task. */
void mk_forget_self(void);

/* As mk_leave(); @child: the lock is the parent's to give back. */
void mk_leave_quietly(bool child);

bool mk_signals_wait(void);
void mk_send_signals(void);

/* Called before rdpmc reads a counter, if set: what may come between. */
extern void (*mk_before_rdpmc)(void);
