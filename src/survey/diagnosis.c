/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Causes are asked about in an order in which each explains all after it: a
 * kernel without perf events has no permissions to look at, and a refused
 * system call says nothing about the hypervisor.
 */

#include "survey/survey.h"

#include <papi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const char *cause_name(enum cause cause)
{
	static const char *const names[] = {
		[CAUSE_NONE] = NULL,
		[CAUSE_NO_PERF] = "no-perf-events",
		[CAUSE_SECCOMP] = "seccomp",
		[CAUSE_PARANOID] = "paranoid",
		[CAUSE_LOCKDOWN] = "lockdown",
		[CAUSE_HYPERVISOR] = "hypervisor",
		[CAUSE_FIRMWARE] = "firmware",
		[CAUSE_OTHER] = "other",
	};

	return names[cause];
}

const char *paranoid_meaning(const struct host_permission *p)
{
	if (p->cap_perfmon || p->cap_sys_admin)
		return "no limit for this user (has the capability)";
	switch (p->paranoid) {
	case PERMISSION_UNKNOWN:
		return "cannot be read";
	case -1:
		return "everything may be counted";
	case 0:
		return "own processes and whole CPUs, user and kernel";
	case 1:
		return "own processes, user and kernel";
	case 2:
		return "own processes, user space only";
	default:
		return p->paranoid < -1 ? "everything may be counted"
					: "nothing without a capability";
	}
}

static bool may_count(const struct host_permission *p)
{
	return p->cap_perfmon || p->cap_sys_admin || p->paranoid <= 2;
}

/* Whether trials failed because this user may not. */
static bool refused(const struct facts *f)
{
	for (size_t i = 0; i < f->n_trials; i++)
		if (f->trials[i].code == PAPI_EPERM)
			return true;
	return false;
}

static enum cause find_cause(const struct facts *f)
{
	const struct host_permission *p = &f->permission;
	bool software = facts_any_works(f, false);

	if (f->pmu.kind == ASSAY_PMU_HARDWARE || facts_any_works(f, true))
		return CAUSE_NONE;
	if (!software && p->paranoid == PERMISSION_UNKNOWN)
		return CAUSE_NO_PERF;
	if (refused(f) || !software) {
		if (!may_count(p))
			return CAUSE_PARANOID;
		if (strcmp(p->lockdown, "confidentiality") == 0)
			return CAUSE_LOCKDOWN;
		if (p->seccomp == 2)
			return CAUSE_SECCOMP;
	}
	if (!*f->kernel_pmu && f->host.virt.present)
		return CAUSE_HYPERVISOR;
	if (!*f->kernel_pmu)
		return CAUSE_FIRMWARE;
	return CAUSE_OTHER;
}

static const char *hypervisor_name(const struct host_virt *virt)
{
	if (*virt->hypervisor)
		return virt->hypervisor;
	return *virt->product ? virt->product : "unknown hypervisor";
}

static int say_cause(const struct facts *f, char **out)
{
	const struct host_permission *p = &f->permission;
	const struct host_virt *virt = &f->host.virt;
	const char *more = *f->cpu_says ? f->cpu_says : "no core PMU in sysfs";
	int n = 0;

	switch (find_cause(f)) {
	case CAUSE_NONE:
		n = asprintf(out, "hardware events can be counted");
		break;
	case CAUSE_NO_PERF:
		n = asprintf(out, "the kernel has no perf events: it was built "
				  "without them, or a sandbox hides them");
		break;
	case CAUSE_SECCOMP:
		n = asprintf(out,
			     "a seccomp filter%s%s refuses "
			     "perf_event_open",
			     *virt->container ? " of " : "", virt->container);
		break;
	case CAUSE_PARANOID:
		n = asprintf(out, "kernel.perf_event_paranoid is %d: %s",
			     p->paranoid, paranoid_meaning(p));
		break;
	case CAUSE_LOCKDOWN:
		n = asprintf(out, "the kernel is locked down (%s)",
			     p->lockdown);
		break;
	case CAUSE_HYPERVISOR:
		n = asprintf(out,
			     "none: the hypervisor (%s%s%s) exposes no "
			     "PMU to this virtual machine (%s)",
			     hypervisor_name(virt),
			     *virt->product && *virt->hypervisor ? ", " : "",
			     *virt->hypervisor ? virt->product : "", more);
		break;
	case CAUSE_FIRMWARE:
		n = asprintf(out, "none: the kernel found no usable PMU (%s)",
			     more);
		break;
	case CAUSE_OTHER:
		n = asprintf(out, "%s",
			     f->pmu.reason ? f->pmu.reason : "not known");
		break;
	}
	return n < 0 ? PAPI_ENOMEM : 0;
}

static int add_remedy(struct diagnosis *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int add_remedy(struct diagnosis *d, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	if (array_grow(&d->remedies, d->n_remedies, sizeof(*d->remedies)))
		return PAPI_ENOMEM;
	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return PAPI_ENOMEM;
	d->remedies[d->n_remedies++] = text;
	return 0;
}

/* What to ask of whoever runs the hypervisor, most specific first. */
static const struct {
	const char *product; /* part of it; NULL: any */
	const char *hypervisor;
	const char *remedy;
} hypervisor_remedies[] = {
	{ "Firecracker", NULL,
	  "Firecracker does not give its guests a PMU: run this on the host, "
	  "on bare "
	  "metal, or in a QEMU guest with -cpu host,pmu=on" },
	{ "Amazon EC2", NULL,
	  "AWS: a *.metal instance has the whole PMU; so do sizes that fill "
	  "a socket" },
	{ "Google", NULL,
	  "Google Cloud: gcloud compute instances create ... "
	  "--performance-monitoring-unit=standard (C4 and newer), or a "
	  "*-metal machine type" },
	{ "Virtual Machine", "Hyper-V",
	  "Hyper-V: with the machine off, Set-VMProcessor NAME -Perfmon "
	  "@(\"pmu\"); Azure: a size on bare metal" },
	{ NULL, "KVM",
	  "QEMU: start the guest with -cpu host,pmu=on; libvirt: <cpu "
	  "mode='host-passthrough'/> and <features><pmu "
	  "state='on'/></features>" },
	{ NULL, "KVM",
	  "on the host: /sys/module/kvm/parameters/enable_pmu must be Y" },
	{ NULL, "VMware",
	  "VMware: vpmc.enable = \"TRUE\" in the .vmx file (\"Virtualize CPU "
	  "performance counters\")" },
	{ NULL, "Hyper-V",
	  "Hyper-V: with the machine off, Set-VMProcessor NAME -Perfmon "
	  "@(\"pmu\")" },
	{ NULL, "Xen", "Xen: boot the hypervisor with vpmu=on" },
	{ NULL, "QEMU",
	  "QEMU without KVM emulates a PMU for Arm guests only: -cpu "
	  "neoverse-n1 -icount shift=1" },
	{ NULL, "VirtualBox", "VirtualBox has no PMU for its guests" },
};

static bool remedy_fits(size_t i, const struct host_virt *virt)
{
	const char *product = hypervisor_remedies[i].product;
	const char *hypervisor = hypervisor_remedies[i].hypervisor;

	if (product && !strstr(virt->product, product))
		return false;
	return !hypervisor || strcmp(virt->hypervisor, hypervisor) == 0;
}

static int hypervisor_remedy(const struct facts *f, struct diagnosis *d)
{
	size_t before = d->n_remedies;
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(hypervisor_remedies); i++) {
		if (!remedy_fits(i, &f->host.virt))
			continue;
		err = add_remedy(d, "%s", hypervisor_remedies[i].remedy);
		if (hypervisor_remedies[i].product)
			break; /* the general advice does not hold there */
	}
	if (!err && d->n_remedies == before)
		err = add_remedy(d, "ask the operator of this virtual machine "
				    "for a virtual PMU, or use bare metal");
	return err;
}

static int paranoid_remedy(const struct facts *f, struct diagnosis *d)
{
	const char *container = f->host.virt.container;
	int err = add_remedy(d, "sudo sysctl kernel.perf_event_paranoid=2%s",
			     *container ? " (on the host)" : "");

	if (!err)
		err = add_remedy(d, "to keep it: echo "
				    "kernel.perf_event_paranoid=2 | sudo tee "
				    "/etc/sysctl.d/90-perf.conf");
	if (!err && !*container)
		err = add_remedy(d, "for one program only: sudo setcap "
				    "cap_perfmon+ep /path/to/assay");
	return err;
}

static int seccomp_remedy(const struct facts *f, struct diagnosis *d)
{
	const char *container = f->host.virt.container;
	const char *tool = *container ? container : "docker";
	int err;

	if (strcmp(tool, "docker") != 0 && strcmp(tool, "podman") != 0)
		tool = "docker";
	err = add_remedy(d, "%s run --cap-add PERFMON ...", tool);
	if (!err)
		err = add_remedy(d,
				 "%s run --security-opt "
				 "seccomp=unconfined ...",
				 tool);
	if (!err)
		err = add_remedy(d,
				 "Kubernetes: securityContext: "
				 "{capabilities: {add: [PERFMON]}}; "
				 "systemd: SystemCallFilter=perf_event_open");
	return err;
}

static int firmware_remedy(const struct facts *f, struct diagnosis *d)
{
	int err = add_remedy(d, "see the kernel's messages: dmesg | grep -i "
				"-e pmu -e perfctr");

	(void)f;
	if (!err)
		err = add_remedy(d, "check the firmware settings for "
				    "performance monitoring");
	return err;
}

static int lockdown_remedy(const struct facts *f, struct diagnosis *d)
{
	(void)f;
	return add_remedy(d, "boot without lockdown=confidentiality; "
			     "integrity is enough for secure boot");
}

static int no_perf_remedy(const struct facts *f, struct diagnosis *d)
{
	(void)f;
	return add_remedy(d, "use a kernel with CONFIG_PERF_EVENTS=y, outside "
			     "of a sandbox such as gVisor");
}

static int add_remedies(const struct facts *f, struct diagnosis *d)
{
	static int (*const by_cause[])(const struct facts *,
				       struct diagnosis *) = {
		[CAUSE_NO_PERF] = no_perf_remedy,
		[CAUSE_SECCOMP] = seccomp_remedy,
		[CAUSE_PARANOID] = paranoid_remedy,
		[CAUSE_LOCKDOWN] = lockdown_remedy,
		[CAUSE_HYPERVISOR] = hypervisor_remedy,
		[CAUSE_FIRMWARE] = firmware_remedy,
		[CAUSE_OTHER] = NULL,
	};
	int err = 0;

	if (d->cause == CAUSE_NONE)
		return 0;
	if (f->simulator == KNOWN_YES)
		err = add_remedy(d, "now, without any change: assay count "
				    "--pmu sim ./program counts on a "
				    "simulated PMU");
	if (!err && by_cause[d->cause])
		err = by_cause[d->cause](f, d);
	return err;
}

int diagnose(const struct facts *f, struct diagnosis *d)
{
	int err;

	memset(d, 0, sizeof(*d));
	d->cause = find_cause(f);
	if (d->cause == CAUSE_NONE)
		d->next =
			"assay validate --quick: check which counts are right "
			"here, in at most ten minutes, with a file to send";
	err = say_cause(f, &d->sentence);
	if (!err)
		err = add_remedies(f, d);
	if (err)
		diagnosis_fini(d);
	return err;
}

void diagnosis_fini(struct diagnosis *d)
{
	for (size_t i = 0; i < d->n_remedies; i++)
		free(d->remedies[i]);
	free(d->remedies);
	free(d->sentence);
	memset(d, 0, sizeof(*d));
}
