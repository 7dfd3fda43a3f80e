/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libpfm4 for names and encodings; opening is not its work. It is never
 * terminated: the program may use it too, and it counts no users.
 *
 * All here runs under the component's lock, as libpfm4 has none.
 */
#include "components/perf_event/pfm.h"

#include <dlfcn.h>
#include <locale.h>
#include <string.h>

#include "components/perf_event/pfm_calls.h"

/* libpfm4 is one for the whole process, and so is what is loaded of it. */
static struct pfm_calls lib;

static bool load(void)
{
	void *library;
	bool all = true;

	if (&pfm_linked) {
		lib = pfm_linked;
		return true;
	}
	library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
#define FIND(name)                                                             \
	*(void **)&lib.name = dlsym(library, #name);                           \
	all = all && lib.name;
	PFM_CALLS(FIND)
	return all;
}

static bool is_loaded(struct pe_state *state)
{
	if (!state->pfm_tried) {
		state->pfm_tried = true;
		state->pfm_works =
			load() && lib.pfm_initialize() == PFM_SUCCESS;
	}
	return state->pfm_works;
}

/* PAPI's code for libpfm4's. */
static int code_of(int pfm)
{
	switch (pfm) {
	case PFM_ERR_NOTFOUND:
	case PFM_ERR_NOTSUPP:
	case PFM_ERR_INVAL: /* no name at all, such as one with a blank */
		return PAPI_ENOEVNT;
	case PFM_ERR_NOMEM:
		return PAPI_ENOMEM;
	case PFM_ERR_UMASK:
	case PFM_ERR_ATTR:
	case PFM_ERR_ATTR_VAL:
	case PFM_ERR_ATTR_SET:
		return PAPI_EATTR;
	case PFM_ERR_FEATCOMB:
		return PAPI_ECOMBO;
	case PFM_ERR_TOOMANY:
		return PAPI_ECOUNT;
	default:
		return PAPI_EINVAL;
	}
}

static enum pe_place place_of(const struct perf_event_attr *attr, int idx)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

	if (attr->type == PERF_TYPE_SOFTWARE)
		return PE_SOFTWARE;
	if (lib.pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &event) ==
		    PFM_SUCCESS &&
	    lib.pfm_get_pmu_info(event.pmu, &pmu) == PFM_SUCCESS &&
	    pmu.type == PFM_PMU_TYPE_UNCORE)
		return PE_UNCORE;
	return PE_CORE;
}

/* PMUs that know no hypervisor level do not exclude it: then it says nothing */
static unsigned levels_of(const struct perf_event_attr *attr, const char *name)
{
	bool asked =
		strstr(name, ":h=1") || strstr(name, ":h:") ||
		(strlen(name) > 2 && !strcmp(name + strlen(name) - 2, ":h"));

	return (attr->exclude_user ? 0 : PE_USER) |
	       (attr->exclude_kernel ? 0 : PE_KERNEL) |
	       (asked && !attr->exclude_hv ? PE_HYPERVISOR : 0);
}

/* One encoding, with level @plm where the name does not say. */
static int encode_at(const char *name, int plm, struct perf_event_attr *attr,
		     pfm_perf_encode_arg_t *arg)
{
	/* libpfm compares names by strcasecmp(): see base/ascii.h */
	locale_t plain = newlocale(LC_CTYPE_MASK, "C", (locale_t)0);
	locale_t old = plain ? uselocale(plain) : (locale_t)0;
	int pfm;

	*attr = (struct perf_event_attr){ .size = sizeof(*attr) };
	*arg = (pfm_perf_encode_arg_t){ .size = sizeof(*arg), .attr = attr };
	pfm = lib.pfm_get_os_event_encoding(name, plm, PFM_OS_PERF_EVENT_EXT,
					    arg);
	if (plain) {
		uselocale(old);
		freelocale(plain);
	}
	return pfm;
}

/* By default libpfm4 excludes guests; ":mg=1" and ":mh=1" say otherwise. */
static unsigned sides_of(const struct perf_event_attr *attr)
{
	unsigned sides = (attr->exclude_host ? 0 : PE_HOST) |
			 (attr->exclude_guest ? 0 : PE_GUEST);

	return sides == PE_HOST ? PE_SIDES_DEFAULT : sides;
}

/*
 * libpfm4 does not tell whether a level was asked for or defaulted, so it is
 * asked with two defaults: where both give the same, the name decided. A name
 * without modifiers (@plain) cannot decide, but a PMU that knows no levels
 * gives all of them whatever the default is; one question shows that. It
 * matters for lists: libpfm4 executes 20,000 instructions per question.
 */
static int encode(const char *name, bool plain, struct pe_event *out)
{
	struct perf_event_attr attr, other;
	pfm_perf_encode_arg_t arg, ignored;
	int err = encode_at(name, PFM_PLM3, &attr, &arg);
	unsigned levels, others = PE_KERNEL;

	if (err != PFM_SUCCESS)
		return err;
	levels = levels_of(&attr, name);
	if (!plain) {
		err = encode_at(name, PFM_PLM0, &other, &ignored);
		others = levels_of(&other, name);
	} else if (levels != PE_USER) {
		others = levels;
	}
	if (err != PFM_SUCCESS)
		return err;
	if (attr.sample_period) /* ":period=", ":freq=": nobody samples here */
		return PFM_ERR_ATTR;

	*out = pe_event_init();
	out->cpu = arg.cpu;
	out->pinned = attr.pinned;
	out->code.sides = sides_of(&attr);
	out->code.type = attr.type;
	out->code.config = attr.config;
	out->code.config1 = attr.config1;
	out->code.config2 = attr.config2;
	out->code.precise = attr.precise_ip;
	if (levels == others)
		out->code.levels = levels;
	out->code.place = place_of(&attr, arg.idx);
	if (out->code.place == PE_UNCORE) {
		out->code.side = PE_SIDE_NONE;
		out->code.levels = PE_LEVELS_BY_DOMAIN;
	}
	out->pfm = arg.idx;
	return PFM_SUCCESS;
}

/* Uncore events count for a package: where sysfs says, or on CPU 0. */
static void set_cpus(struct pe_state *state, struct pe_event *e)
{
	if (e->code.place != PE_UNCORE)
		return;
	e->cpus = "0";
	for (size_t i = 0; i < state->pmus.n; i++) {
		if (state->pmus.items[i].type == e->code.type &&
		    state->pmus.items[i].cpus)
			e->cpus = state->pmus.items[i].cpus;
	}
}

int pe_pfm_encode(struct pe_state *state, const char *name,
		  struct pe_event *out, struct diag *diag)
{
	int pfm;

	if (!is_loaded(state))
		return PAPI_ENOEVNT;
	pfm = encode(name, false, out);
	if (pfm != PFM_SUCCESS)
		return diag_fail(diag, code_of(pfm), "%s: %s", name,
				 lib.pfm_strerror(pfm));
	set_cpus(state, out);
	return 0;
}

/* The first line of libpfm4's text, which may be long. */
static void copy_text(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
	to[strcspn(to, "\n")] = '\0';
}

/* Add @name; one that has no encoding without a mask is listed all the same. */
static int add(struct component *c, const char *name, const char *text, int idx,
	       size_t parent)
{
	struct pe_naming naming = { .name = name, .parent = parent };
	struct pe_event e;
	char line[256];
	size_t i;
	int pfm = encode(name, true, &e);

	if (pfm == PFM_ERR_NOMEM)
		return PAPI_ENOMEM;
	if (pfm != PFM_SUCCESS) {
		e = pe_event_init();
		e.error = code_of(pfm);
		e.why = lib.pfm_strerror(pfm);
	}
	e.pfm = idx;
	set_cpus(pe_state_of(c), &e);
	copy_text(line, sizeof(line), text);
	naming.text = line;
	return pe_event_add(c, &e, &naming, &i);
}

static int list_pmu(struct component *c, const pfm_pmu_info_t *pmu)
{
	int err = 0;

	for (int idx = pmu->first_event; idx != -1 && !err;
	     idx = lib.pfm_get_event_next(idx)) {
		pfm_event_info_t event = { .size = sizeof(event) };
		char name[256];

		if (lib.pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &event) !=
		    PFM_SUCCESS)
			continue;
		snprintf(name, sizeof(name), "%s::%s", pmu->name, event.name);
		err = add(c, name, event.desc, idx, EVENT_NO_PARENT);
	}
	return err;
}

int pe_pfm_list(struct component *c)
{
	int err = 0;

	if (!is_loaded(pe_state_of(c)))
		return 0;
	for (int id = PFM_PMU_NONE + 1; id < PFM_PMU_MAX && !err; id++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (lib.pfm_get_pmu_info((pfm_pmu_t)id, &pmu) == PFM_SUCCESS &&
		    pmu.is_present && pmu.type != PFM_PMU_TYPE_OS_GENERIC)
			err = list_pmu(c, &pmu);
	}
	return err;
}

int pe_pfm_masks(struct component *c, size_t i)
{
	const struct event *event = c->events[i];
	const struct pe_event *e = event->data;
	pfm_event_info_t info = { .size = sizeof(info) };
	int err = 0;

	if (e->pfm < 0 || event->parent != EVENT_NO_PARENT ||
	    !is_loaded(pe_state_of(c)) ||
	    lib.pfm_get_event_info(e->pfm, PFM_OS_PERF_EVENT, &info) !=
		    PFM_SUCCESS)
		return 0;
	for (int a = 0; a < info.nattrs && !err; a++) {
		pfm_event_attr_info_t mask = { .size = sizeof(mask) };
		char name[512];

		if (lib.pfm_get_event_attr_info(e->pfm, a, PFM_OS_PERF_EVENT,
						&mask) != PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s:%s", c->events[i]->name,
			 mask.name);
		err = add(c, name, mask.desc, e->pfm, i);
	}
	return err;
}

const char *pe_pfm_core(struct pe_state *state, unsigned *counters)
{
	if (!is_loaded(state))
		return NULL;
	for (int id = PFM_PMU_NONE + 1; id < PFM_PMU_MAX; id++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (lib.pfm_get_pmu_info((pfm_pmu_t)id, &pmu) != PFM_SUCCESS ||
		    !pmu.is_present || pmu.type != PFM_PMU_TYPE_CORE)
			continue;
		*counters = (unsigned)(pmu.num_cntrs + pmu.num_fixed_cntrs);
		return pmu.name;
	}
	return NULL;
}
