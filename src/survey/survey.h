/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be counted here: events and metrics, listed and explained, each of
 * them tried; and why the rest cannot be counted.
 */
#pragma once

#include <assay/assay.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/texts.h"
#include "host/host.h"
#include "host/permission.h"
#include "measure/metrics.h"
#include "report/writer.h"

/*
 * What `assay doctor` finds out before it judges: the machine, what the
 * processor and the kernel say of a PMU, permissions, and events tried.
 */

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

/*
 * From facts to a judgement: can hardware events be counted here, if not why
 * not, and what would help. Pure: the same facts give the same sentences.
 */

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

/* What `assay doctor` found, for people and for programs. */

struct checkup {
	const struct facts *facts;
	const struct diagnosis *diagnosis;
};

/* Both are write_fn: @what is a struct checkup. */
int doctor_write_text(const void *what, const struct report_style *style,
		      FILE *to);
int doctor_describe(const void *what, struct json *j);

/* What there is to count, each one tried: the result of `assay list`. */

enum event_class {
	CLASS_PRESET,
	CLASS_NATIVE,
	CLASS_METRIC,
};

struct listed_event {
	const char *name;
	const char *brief; /* what it means, in a few words; may be "" */
	const char *text;  /* the same in a sentence */
	enum event_class class;
	int code;
	int component; /* index of the native event's component; else -1 */
	bool available;
	bool simulated;     /* counted by the simulated PMU */
	const char *reason; /* why not; else NULL */
};

struct listed_component {
	const char *name;
	const char *text;
	int counters; /* that count at once; 0: no limit */
	int events;
	bool available;
	const char *reason;   /* why not; else NULL */
	const char *left_out; /* why not all events are listed; or NULL */
};

struct listing {
	struct listed_event *events;
	size_t n_events;
	struct listed_component *components;
	size_t n_components;
	struct texts texts; /* of all of them */
};

/* Called while events are tried; @done of @total. */
typedef void (*listing_progress)(void *context, size_t done, size_t total);

/* Which events are wanted. */
struct listing_filter {
	bool presets;
	bool native;
	bool metrics;
	bool left_out;      /* also events of PMUs that are not there */
	char *const *words; /* each in name or text, any case; ends with NULL */
};

/* Collect without trying. 0 or PAPI_ENOMEM. */
int listing_collect(struct listing *l, const struct listing_filter *filter);

/* Add the metrics of @m; each is tried at once, by its events. */
int listing_add_metrics(struct listing *l, const struct metrics *m,
			const struct listing_filter *filter);

/* Try every event of the listing. */
int listing_try(struct listing *l, listing_progress progress, void *context);

void listing_fini(struct listing *l);

/* Whether every word of @words is in @name or @text, in any case. */
bool listing_matches(char *const *words, const char *name, const char *text);

/* A listing, for people and for programs. */

struct list_view {
	const struct listing *listing;
	bool events;     /* show events */
	bool components; /* show components */
	bool all;        /* also events that cannot be counted, one by one */
};

/* All are write_fn: @what is a struct list_view. */
int list_write_text(const void *what, const struct report_style *style,
		    FILE *to);
int list_describe(const void *what, struct json *j);

/*
 * Everything that is known of one event or metric: the result of `assay
 * explain`.
 */

/* A growing list of names; the explanation has their texts. */
struct names {
	const char **items;
	size_t n;
};

struct explanation {
	const char *name;
	const char *kind; /* "preset", "native event", "metric", ... */
	const char *text;
	const char *unit; /* "" for a plain count */
	const char
		*formula; /* how it is made of its natives; "" if it is one */
	const char *threshold; /* what verdicts go by; NULL if there are none */
	const char *component; /* that counts it; "" if none does */
	bool simulated;   /* it, or an event it needs, on the simulated PMU */
	const char *note; /* what its definition adds; "" if nothing */
	char *measured;   /* what assay classify found it to count; or NULL */
	char *validated;  /* what assay validate found of it; or NULL */
	struct names natives;
	struct names same;   /* other names of the same count */
	struct names within; /* presets that it is a part of */
	bool available;
	const char *reason; /* why not; else NULL */
	struct texts texts; /* of all but what was measured and validated */
};

/* PAPI_ENOEVNT if there is no event @name; PAPI_ENOMEM. */
int explanation_make(struct explanation *x, const char *name);

/* The same for a metric of @m. */
int explanation_of_metric(struct explanation *x, const struct metrics *m,
			  const char *name);
void explanation_fini(struct explanation *x);

/* Both are write_fn: @what is a struct explanation. */
int explanation_write_text(const void *what, const struct report_style *style,
			   FILE *to);
int explanation_describe(const void *what, struct json *j);
