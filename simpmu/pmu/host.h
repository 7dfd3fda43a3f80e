/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the PMU layer needs of the world besides the engine. Under an engine
 * there is no C library; with this and engine.h replaced, the rest of the
 * layer runs natively in its tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory; never NULL: without memory the simulator ends. */
void *host_new(size_t bytes);
void host_free(void *memory); /* NULL is allowed */

int32_t host_pid(void);
int32_t host_tid(void); /* of the calling thread, as the kernel knows it */
uint32_t host_ms(void); /* real time, from any beginning */

/* Map @bytes of file @path, shared; NULL if it cannot be. */
void *host_share_file(const char *path, size_t bytes);

/* Memory shared with children; NULL if there is none. */
void *host_share(size_t bytes);

/*
 * The same memory again, which the program before an exec left open under the
 * number @fd; NULL if it is not one.
 */
void *host_share_again(int fd, size_t bytes);

/*
 * Have what is shared stay open in the next exec, or no longer. The number that
 * it is open under; -1: nothing is.
 */
int host_share_on(bool stays);

/* Make sure that @bytes at @offset of what is shared have memory. */
bool host_reserve(uint64_t offset, uint64_t bytes);

/*
 * Hold the lock on byte @offset of what is shared, until the process ends, or
 * release it (!@on). False if another process holds it.
 */
bool host_hold(uint64_t offset, bool on);
/* Whether anybody holds it; false where that cannot be known. */
bool host_is_held(uint64_t offset);

/* Wake all that wait for @word of what is shared; rest for a moment. */
void host_wake(const uint32_t *word);
void host_rest(void);

/* Pass "--@name=@number" to the simulator of the next exec. */
void host_pass_number(const char *name, uint32_t number);

/* Write @text as file @path; false if it cannot be. */
bool host_write_file(const char *path, const char *text, size_t bytes);

/* Open @path to append to it, out of the guest's reach; -1 if it cannot be. */
int host_open_append(const char *path);
/* Append to it; to @path where this process does not have @fd open. */
bool host_append(int fd, const char *path, const void *data, size_t bytes);

/* The guest's program, as it was given to exec. */
const char *host_program(void);

/* Memory of the guest that can be executed. */
struct host_segment {
	uint64_t start, end; /* end is behind the last byte */
	uint64_t offset;     /* in the file */
	const char *path;    /* stays; NULL: of no file */
};

/* The segment at @address; false if there is none. */
bool host_segment_at(uint64_t address, struct host_segment *out);

/* Up to @n segments that can be executed; how many. */
size_t host_segments(struct host_segment *out, size_t n);

/* Registers of thread @tid, which does not run now; see WIRE_REGISTERS. */
void host_registers(unsigned tid, uint64_t *registers);

/* Up to @n bytes of the guest's memory from @address on; how many. */
size_t host_peek(uint64_t address, void *to, size_t n);

/* Take the simulator's variables out of the new guest's environment. */
void host_clean_environment(unsigned tid);

/* Say one line on standard error and end the process with @status. */
void host_give_up(int status, const char *format, const char *text)
	__attribute__((noreturn));

void host_print(const char *text);

/* Decimal, in ASCII, from @text; *@end is after it. */
uint64_t host_number(const char *text, const char **end);
