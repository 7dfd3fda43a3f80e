/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `assay doctor` finds out before it judges: the machine, what the
 * processor and the kernel say of a PMU, permissions, and events tried.
 */
#ifndef SURVEY_FACTS_H
#define SURVEY_FACTS_H

#include <assay/assay.h>

#include "base/texts.h"
#include "host/host.h"
#include "host/permission.h"

enum known {
	KNOWN_NOT, /* it does not say */
	KNOWN_NO,
	KNOWN_YES,
};

/* An event that was tried. */
struct trial {
	const char *name;
	bool hardware;      /* needs a PMU */
	int code;           /* PAPI_OK: it works */
	const char *reason; /* if not */
};

/* A component of the library. */
struct part {
	const char *name;
	int events;
	const char *reason; /* why it is disabled; NULL if it is not */
};

struct facts {
	struct host host;
	struct host_permission permission;
	enum known cpu_has_pmu; /* by CPUID */
	char cpu_says[96];      /* in words */
	char kernel_pmu[64];    /* the kernel's name for it; "" if none */
	struct assay_pmu pmu;   /* what the library counts with */
	struct trial *trials;
	size_t n_trials;
	struct part *parts;
	size_t n_parts;
	struct texts texts;   /* of both */
	enum known simulator; /* whether the simulated PMU can be used */
	char simulator_says[256];
};

/* What can be read below @fs without the library. 0 or PAPI_ENOMEM. */
int facts_read_machine(const struct fs *fs, struct facts *f);

/* Try events and look at components; the library is open. */
int facts_try_events(struct facts *f);

void facts_fini(struct facts *f);

/* Whether a trial of a kind of event worked. */
bool facts_any_works(const struct facts *f, bool hardware);

#endif /* SURVEY_FACTS_H */
