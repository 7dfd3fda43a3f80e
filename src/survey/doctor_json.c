/* SPDX-License-Identifier: BSD-3-Clause */
/* A checkup as one JSON document. */

#include "survey/survey.h"
#include "write/json.h"

static const char *pmu_kind(enum assay_pmu_kind kind)
{
	static const char *const names[] = {
		[ASSAY_PMU_NONE] = "none",
		[ASSAY_PMU_HARDWARE] = "hw",
		[ASSAY_PMU_SIMULATED] = "sim",
	};

	return names[kind];
}

static const char *text_or_null(const char *text)
{
	return *text ? text : NULL;
}

static void put_machine(struct json *j, const struct host *h)
{
	json_object(j, "machine");
	json_string(j, "cpu", text_or_null(h->cpu.name));
	json_string(j, "vendor", text_or_null(h->cpu.vendor_name));
	json_unsigned(j, "family", h->cpu.family);
	json_unsigned(j, "model", h->cpu.model);
	json_string(j, "kernel", h->kernel);
	json_bool(j, "virtual", h->virt.present);
	json_string(j, "hypervisor", text_or_null(h->virt.hypervisor));
	json_string(j, "product", text_or_null(h->virt.product));
	json_string(j, "container", text_or_null(h->virt.container));
	json_unsigned(j, "cpus", h->topology.cpus);
	json_end_object(j);
}

/* Three-valued: true, false, or null where it is not known. */
static void put_known(struct json *j, const char *name, enum known known)
{
	if (known == KNOWN_NOT)
		json_string(j, name, NULL);
	else
		json_bool(j, name, known == KNOWN_YES);
}

static void put_pmu(struct json *j, const struct facts *f,
		    const struct diagnosis *d)
{
	bool ok = d->cause == CAUSE_NONE;

	json_object(j, "pmu");
	json_string(j, "kind", pmu_kind(f->pmu.kind));
	json_string(j, "name", f->pmu.name ? text_or_null(f->pmu.name) : NULL);
	json_number(j, "counters", f->pmu.counters);
	put_known(j, "cpu_has_pmu", f->cpu_has_pmu);
	json_string(j, "cpu_says", text_or_null(f->cpu_says));
	json_string(j, "kernel_pmu", text_or_null(f->kernel_pmu));
	json_string(j, "cause", cause_name(d->cause));
	json_string(j, "reason", ok ? NULL : d->sentence);
	json_end_object(j);
}

static void put_setting(struct json *j, const char *name, int value)
{
	if (value == PERMISSION_UNKNOWN)
		json_string(j, name, NULL);
	else
		json_number(j, name, value);
}

static void put_permissions(struct json *j, const struct host_permission *p)
{
	json_object(j, "permissions");
	put_setting(j, "perf_event_paranoid", p->paranoid);
	json_bool(j, "root", p->is_root);
	json_bool(j, "cap_perfmon", p->cap_perfmon);
	json_bool(j, "cap_sys_admin", p->cap_sys_admin);
	put_setting(j, "seccomp", p->seccomp);
	put_setting(j, "nmi_watchdog", p->nmi_watchdog);
	put_setting(j, "rdpmc", p->rdpmc);
	json_string(j, "lockdown", text_or_null(p->lockdown));
	json_end_object(j);
}

static void put_trials(struct json *j, const struct facts *f)
{
	json_array(j, "tried");
	for (size_t i = 0; i < f->n_trials; i++) {
		const struct trial *t = &f->trials[i];

		json_row_of(j, NULL,
			    "name %s, hardware %d, available %d, reason %s",
			    t->name, t->hardware, t->code == 0, t->reason);
	}
	json_end_array(j);
}

static void put_parts(struct json *j, const struct facts *f)
{
	json_array(j, "components");
	for (size_t i = 0; i < f->n_parts; i++) {
		const struct part *part = &f->parts[i];

		json_row_of(j, NULL,
			    "name %s, available %d, events %i, reason %s",
			    part->name, part->reason == NULL, part->events,
			    part->reason);
	}
	json_end_array(j);
}

int doctor_describe(const void *what, struct json *j)
{
	const struct checkup *c = what;

	put_machine(j, &c->facts->host);
	put_pmu(j, c->facts, c->diagnosis);
	put_permissions(j, &c->facts->permission);
	json_row(j, "simulator");
	put_known(j, "available", c->facts->simulator);
	json_string(j, "detail", text_or_null(c->facts->simulator_says));
	json_end_object(j);
	put_parts(j, c->facts);
	put_trials(j, c->facts);
	json_array(j, "remedies");
	for (size_t i = 0; i < c->diagnosis->n_remedies; i++)
		json_string(j, NULL, c->diagnosis->remedies[i]);
	json_end_array(j);
	json_string(j, "next", c->diagnosis->next);
	return 0;
}
