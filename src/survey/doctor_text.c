/* SPDX-License-Identifier: BSD-3-Clause */
/* A checkup on one screen: machine, PMU, permissions, what works, remedies. */

#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "survey/survey.h"
#include "write/style.h"

struct screen {
	const struct facts *f;
	const struct diagnosis *d;
	const struct report_style *style;
	FILE *to;
};

static void put(const struct screen *s, const char *topic, enum ink ink,
		const char *text)
{
	style_topic(s->style, topic, ink, text, s->to);
}

static void put_machine(const struct screen *s)
{
	const struct host *h = &s->f->host;
	STRBUF(text);

	strbuf_addf(&text, "%s (family %u, model %u), %u CPU%s, Linux %s",
		    *h->cpu.name ? h->cpu.name : "unknown CPU", h->cpu.family,
		    h->cpu.model, h->topology.cpus,
		    h->topology.cpus == 1 ? "" : "s", h->kernel);
	put(s, "machine", INK_PLAIN, strbuf_text(&text));
	strbuf_cut(&text, 0);

	if (h->virt.present) {
		strbuf_addf(&text, "virtual machine on %s%s%s%s",
			    *h->virt.hypervisor ? h->virt.hypervisor
						: "an unknown hypervisor",
			    *h->virt.product ? " (" : "", h->virt.product,
			    *h->virt.product ? ")" : "");
		if (*h->virt.container)
			strbuf_addf(&text, ", inside a %s container",
				    h->virt.container);
		put(s, "", INK_PLAIN, strbuf_text(&text));
	} else if (*h->virt.container) {
		strbuf_addf(&text, "inside a %s container", h->virt.container);
		put(s, "", INK_PLAIN, strbuf_text(&text));
	}
}

static void put_pmu(const struct screen *s)
{
	STRBUF(text);

	if (s->d->cause == CAUSE_NONE && s->f->pmu.kind != ASSAY_PMU_NONE)
		strbuf_addf(&text, "%s, %d counters; ", s->f->pmu.name,
			    s->f->pmu.counters);
	strbuf_add(&text, s->d->sentence);
	put(s, "PMU", s->d->cause == CAUSE_NONE ? INK_GOOD : INK_POOR,
	    strbuf_text(&text));
}

static void put_permissions(const struct screen *s)
{
	const struct host_permission *p = &s->f->permission;
	STRBUF(text);

	if (p->paranoid == PERMISSION_UNKNOWN)
		strbuf_add(&text, "perf_event_paranoid cannot be read");
	else
		strbuf_addf(&text, "perf_event_paranoid %d: %s", p->paranoid,
			    paranoid_meaning(p));
	if (p->is_root)
		strbuf_add(&text, "; root");
	if (p->seccomp == 2)
		strbuf_add(&text, "; a seccomp filter is active");
	if (*p->lockdown && strcmp(p->lockdown, "none") != 0)
		strbuf_addf(&text, "; kernel lockdown: %s", p->lockdown);
	put(s, "permissions", INK_PLAIN, strbuf_text(&text));
	if (p->nmi_watchdog == 1)
		put(s, "", INK_FAIR,
		    "the NMI watchdog holds a counter: sudo sysctl "
		    "kernel.nmi_watchdog=0");
}

static void name_trials(const struct screen *s, bool hardware, bool works,
			struct strbuf *text)
{
	const char *between = "";

	for (size_t i = 0; i < s->f->n_trials; i++) {
		const struct trial *t = &s->f->trials[i];

		if (t->hardware != hardware || (t->code == 0) != works)
			continue;
		strbuf_addf(text, "%s%s", between, t->name);
		between = ", ";
	}
}

/* One line for the trials of a kind that went one way, if there are any. */
static bool put_trials(const struct screen *s, const char *topic, bool hardware,
		       bool works)
{
	STRBUF(names);
	STRBUF(text);
	bool any;

	name_trials(s, hardware, works, &names);
	any = names.len > 0;
	if (any) {
		strbuf_addf(&text, "%s events (tried): %s",
			    hardware ? "hardware" : "software",
			    strbuf_text(&names));
		put(s, topic, works ? INK_GOOD : INK_FAIR, strbuf_text(&text));
	}
	return any;
}

static void put_parts(const struct screen *s, bool enabled)
{
	for (size_t i = 0; i < s->f->n_parts; i++) {
		const struct part *part = &s->f->parts[i];
		STRBUF(text);

		if ((part->reason == NULL) != enabled)
			continue;
		if (enabled)
			strbuf_addf(&text, "component %s: %d events",
				    part->name, part->events);
		else
			strbuf_addf(&text, "component %s: %s", part->name,
				    part->reason);
		put(s, "", INK_PLAIN, strbuf_text(&text));
	}
}

static void put_simulator(const struct screen *s)
{
	bool works = s->f->simulator == KNOWN_YES;
	STRBUF(text);

	if (s->f->simulator == KNOWN_NOT)
		return;
	strbuf_addf(&text, "simulated PMU: %s", s->f->simulator_says);
	put(s, "", works ? INK_GOOD : INK_FAIR, strbuf_text(&text));
}

static void put_remedies(const struct screen *s)
{
	for (size_t i = 0; i < s->d->n_remedies; i++)
		put(s, i == 0 ? "how to fix" : "", INK_PLAIN,
		    s->d->remedies[i]);
}

static void put_next(const struct screen *s)
{
	if (s->d->next)
		put(s, "next", INK_PLAIN, s->d->next);
}

static bool any_trial(const struct screen *s, bool works)
{
	for (size_t i = 0; i < s->f->n_trials; i++)
		if ((s->f->trials[i].code == 0) == works)
			return true;
	return false;
}

int doctor_write_text(const void *what, const struct report_style *style,
		      FILE *to)
{
	const struct checkup *c = what;
	struct screen s = { c->facts, c->diagnosis, style, to };
	const char *topic;

	put_machine(&s);
	put_pmu(&s);
	put_permissions(&s);
	topic = put_trials(&s, "works", true, true) ? "" : "works";
	put_trials(&s, topic, false, true);
	if (s.f->simulator == KNOWN_YES)
		put_simulator(&s);
	put_parts(&s, true);
	if (any_trial(&s, false)) {
		topic = put_trials(&s, "does not", true, false) ? ""
								: "does not";
		put_trials(&s, topic, false, false);
	}
	if (s.f->simulator == KNOWN_NO)
		put_simulator(&s);
	if (style->verbose)
		put_parts(&s, false);
	put_remedies(&s);
	put_next(&s);
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}
