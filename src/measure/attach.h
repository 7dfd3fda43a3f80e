/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting a process that somebody else started, while it runs. */
#ifndef MEASURE_ATTACH_H
#define MEASURE_ATTACH_H

#include "measure/counting.h"

/* Zeroed, it is nobody. */
struct attach {
	pid_t pid;
	uint64_t limit_ns; /* count no longer; 0: until it ends, or Ctrl-C */
	char *words;       /* its command line, as the kernel has it */
	char **argv;       /* into words; ends with NULL */
};

/* Each of these: 0, or the exit status after a message. */

/* Read and check numbers given as options. */
int attach_take_pid(const struct console *console, struct attach *a,
		    const char *text);
int attach_take_limit(const struct console *console, struct attach *a,
		      const char *text);

/* There is such a process; its command line is known. */
int attach_open(const struct console *console, struct pmu_choice *choice,
		struct attach *a);

/* In place of counting_run(). */
int attach_run(const struct console *console, const struct pmu_choice *choice,
	       const struct attach *a, struct counting *c);

/* Wait until it ends, the time is over, or a signal asks to stop. */
void attach_wait(const struct attach *a, const struct watch *meanwhile,
		 struct child_result *result);

void attach_fini(struct attach *a);

#endif /* MEASURE_ATTACH_H */
