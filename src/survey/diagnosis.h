/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From facts to a judgement: can hardware events be counted here, if not why
 * not, and what would help. Pure: the same facts give the same sentences.
 */
#ifndef SURVEY_DIAGNOSIS_H
#define SURVEY_DIAGNOSIS_H

#include "survey/facts.h"

/* Why there are no hardware events; CAUSE_NONE: there are. */
enum cause {
	CAUSE_NONE,
	CAUSE_NO_PERF,    /* the kernel has no perf events, or hides them */
	CAUSE_SECCOMP,    /* a filter refuses the system call */
	CAUSE_PARANOID,   /* kernel.perf_event_paranoid */
	CAUSE_LOCKDOWN,   /* kernel lockdown */
	CAUSE_HYPERVISOR, /* the virtual machine has no PMU */
	CAUSE_FIRMWARE,   /* a machine whose PMU the kernel cannot use */
	CAUSE_OTHER,      /* the library's reason is all there is */
};

struct diagnosis {
	enum cause cause;
	char *sentence;  /* what is the matter, or that all is well */
	char **remedies; /* commands and settings, best first */
	size_t n_remedies;
	const char *next; /* what to do first where all is well; or NULL */
};

/* 0 or PAPI_ENOMEM; free with diagnosis_fini(). */
int diagnose(const struct facts *f, struct diagnosis *d);
void diagnosis_fini(struct diagnosis *d);

/* "hypervisor", "paranoid", ...; NULL for CAUSE_NONE. */
const char *cause_name(enum cause cause);

/* What kernel.perf_event_paranoid lets this process do, in words. */
const char *paranoid_meaning(const struct host_permission *p);

#endif /* SURVEY_DIAGNOSIS_H */
