/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the PMU layer needs of the world besides the engine. Under Valgrind
 * there is no C library; with this and engine.h replaced, the rest of the
 * layer runs natively in its tests.
 */
#ifndef SIMPMU_VG_HOST_H
#define SIMPMU_VG_HOST_H

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

/* Write @text as file @path; false if it cannot be. */
bool host_write_file(const char *path, const char *text, size_t bytes);

/* Take the simulator's variables out of the new guest's environment. */
void host_clean_environment(unsigned tid);

/* Say one line on standard error and end the process with @status. */
void host_give_up(int status, const char *format, const char *text)
	__attribute__((noreturn));

void host_print(const char *text);

/* Decimal, in ASCII, from @text; *@end is after it. */
uint64_t host_number(const char *text, const char **end);

#endif /* SIMPMU_VG_HOST_H */
