/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a running process, as the kernel lists them. */
#ifndef PROCESS_THREADS_H
#define PROCESS_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct threads {
	pid_t *ids; /* ascending; the first is most often the process's own */
	size_t n;
};

/* 0; PAPI_EINVAL if there is no such process; PAPI_ENOMEM. */
int threads_list(pid_t pid, struct threads *out);
void threads_fini(struct threads *t);

/* The process that thread @tid belongs to; 0 if there is no such thread. */
pid_t threads_process(pid_t tid);

/* Whether thread @tid of @pid has ended, or is about to. */
bool threads_is_ending(pid_t pid, pid_t tid);

/* Its name, cut to @room bytes; "" if it is gone. */
void threads_name(pid_t pid, pid_t tid, char *name, size_t room);

#endif /* PROCESS_THREADS_H */
