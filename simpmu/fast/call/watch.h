/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks at system calls as they pass: what may differ from run to run, what
 * has an effect outside, and the engine's own file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Before the call with these registers. */
void watch_call(const uint64_t *reg);

/* --repeatable=yes or no; whether it was one of them. Yes: the system's random
 * numbers are the same in every run. */
bool watch_option(const char *arg);

/* The bytes that the kernel gives a program at its start: always the same, as
 * nothing tells whether a program looks at them. */
void watch_start(void *bytes);

/* A call is done: what it gave the guest may be replaced, or must be told. */
void watch_after(const uint64_t *reg, int64_t result);

/* A call that would close the engine's file: done without; true if it was. */
bool watch_file(const uint64_t *reg, int64_t *result);

/*
 * Whether the guest opens a library that speaks to the simulator: what that
 * counts by itself is left to the other engine, if there is one.
 */
bool watch_library(const uint64_t *reg);

/* Whether the guest makes a thread; and whether it would be better made by the
 * other engine, whose threads take turns: counts are to be the same in every
 * run, or cycles depend on what threads take from each other. */
bool watch_is_thread(const uint64_t *reg);
bool watch_thread(const uint64_t *reg);
