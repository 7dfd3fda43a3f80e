/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines made up of facts, and what the doctor must say of them. */
#include "tests/unit/testing.h"

#include <papi.h>
#include <stdio.h>
#include <string.h>

#include "survey/survey.h"

static char no_pmu[] = "no PMU";
static char not_allowed[] = "not allowed";

/* A healthy machine; tests break one thing each. */
static struct facts healthy(struct trial *trials)
{
	struct facts f = {
		.permission = { .paranoid = 2,
				.seccomp = 0,
				.nmi_watchdog = 0 },
		.cpu_has_pmu = KNOWN_YES,
		.kernel_pmu = "cpu",
		.pmu = { .kind = ASSAY_PMU_HARDWARE,
			 .name = "icx",
			 .counters = 8 },
		.trials = trials,
		.n_trials = 2,
	};

	trials[0] = (struct trial){ .name = "task-clock" };
	trials[1] = (struct trial){ .name = "PAPI_TOT_CYC", .hardware = true };
	return f;
}

/* The same without a PMU: hardware trials fail, the kernel has none. */
static struct facts without_pmu(struct trial *trials)
{
	struct facts f = healthy(trials);

	trials[1].code = PAPI_ENOEVNT;
	trials[1].reason = no_pmu;
	f.pmu = (struct assay_pmu){ .name = "", .reason = no_pmu };
	f.kernel_pmu[0] = '\0';
	f.cpu_has_pmu = KNOWN_NO;
	strcpy(f.cpu_says, "CPUID leaf 0xA: no performance monitoring");
	return f;
}

static bool has_remedy(const struct diagnosis *d, const char *part)
{
	for (size_t i = 0; i < d->n_remedies; i++)
		if (strstr(d->remedies[i], part))
			return true;
	return false;
}

TEST(test_a_healthy_machine_needs_no_remedy)
{
	struct trial trials[2];
	struct facts f = healthy(trials);
	struct diagnosis d;

	assert_int_equal(diagnose(&f, &d), 0);
	assert_int_equal(d.cause, CAUSE_NONE);
	assert_int_equal(d.n_remedies, 0);
	assert_non_null(strstr(d.next, "assay validate --quick"));
	assert_null(cause_name(d.cause));
	diagnosis_fini(&d);
}

TEST(test_hypervisors_are_named_with_their_remedy)
{
	static const struct {
		int line;
		const char *hypervisor, *product, *remedy, *not_this;
	} rows[] = {
		{ __LINE__, "KVM", "", "-cpu host,pmu=on", "vpmc" },
		{ __LINE__, "KVM", "Firecracker", "Firecracker", "libvirt" },
		{ __LINE__, "KVM", "Amazon EC2 m5.large", ".metal", "libvirt" },
		{ __LINE__, "KVM", "Google Compute Engine",
		  "--performance-monitoring-unit", "libvirt" },
		{ __LINE__, "VMware", "", "vpmc.enable", "libvirt" },
		{ __LINE__, "Hyper-V", "Virtual Machine", "-Perfmon", "vpmc" },
		{ __LINE__, "Xen", "", "vpmu=on", "libvirt" },
		{ __LINE__, "", "", "virtual PMU", "libvirt" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct trial trials[2];
		struct facts f = without_pmu(trials);
		struct diagnosis d;

		f.host.virt.present = true;
		strcpy(f.host.virt.hypervisor, rows[i].hypervisor);
		strcpy(f.host.virt.product, rows[i].product);
		CHECK_AT(rows[i].line, diagnose(&f, &d) == 0);
		CHECK_AT(rows[i].line, d.cause == CAUSE_HYPERVISOR);
		CHECK_AT(rows[i].line, strstr(d.sentence, "exposes no PMU"));
		CHECK_AT(rows[i].line, strstr(d.sentence, rows[i].hypervisor));
		CHECK_AT(rows[i].line, has_remedy(&d, rows[i].remedy));
		CHECK_AT(rows[i].line, !has_remedy(&d, rows[i].not_this));
		CHECK_AT(rows[i].line, !d.next);
		diagnosis_fini(&d);
	}
}

static void refuse_all(struct facts *f)
{
	for (size_t i = 0; i < f->n_trials; i++) {
		f->trials[i].code = PAPI_EPERM;
		f->trials[i].reason = not_allowed;
	}
	f->pmu = (struct assay_pmu){ .name = "", .reason = not_allowed };
}

TEST(test_paranoid_setting_is_the_cause)
{
	struct trial trials[2];
	struct facts f = healthy(trials);
	struct diagnosis d;

	f.permission.paranoid = 3;
	refuse_all(&f);
	assert_int_equal(diagnose(&f, &d), 0);
	assert_int_equal(d.cause, CAUSE_PARANOID);
	assert_true(has_remedy(&d, "sysctl kernel.perf_event_paranoid=2"));
	diagnosis_fini(&d);
}

TEST(test_capability_rules_the_setting_out)
{
	struct trial trials[2];
	struct facts f = healthy(trials);
	struct diagnosis d;

	f.permission.paranoid = 3;
	f.permission.cap_perfmon = true;
	f.permission.seccomp = 2;
	strcpy(f.host.virt.container, "podman");
	refuse_all(&f);
	assert_int_equal(diagnose(&f, &d), 0);
	assert_int_equal(d.cause, CAUSE_SECCOMP);
	assert_true(has_remedy(&d, "podman run --cap-add PERFMON"));
	diagnosis_fini(&d);
}

TEST(test_refused_in_a_virtual_machine_is_not_its_fault)
{
	struct trial trials[2];
	struct facts f = healthy(trials);
	struct diagnosis d;

	f.host.virt.present = true;
	strcpy(f.permission.lockdown, "confidentiality");
	refuse_all(&f);
	assert_int_equal(diagnose(&f, &d), 0);
	assert_int_equal(d.cause, CAUSE_LOCKDOWN);
	diagnosis_fini(&d);
}

TEST(test_kernel_without_perf_events)
{
	struct trial trials[2];
	struct facts f = without_pmu(trials);
	struct diagnosis d;

	trials[0].code = PAPI_ECMP_DISABLED;
	f.permission.paranoid = PERMISSION_UNKNOWN;
	assert_int_equal(diagnose(&f, &d), 0);
	assert_int_equal(d.cause, CAUSE_NO_PERF);
	assert_true(has_remedy(&d, "CONFIG_PERF_EVENTS"));
	diagnosis_fini(&d);
}

TEST(test_bare_metal_without_pmu)
{
	struct trial trials[2];
	struct facts f = without_pmu(trials);
	struct diagnosis d;

	assert_int_equal(diagnose(&f, &d), 0);
	assert_int_equal(d.cause, CAUSE_FIRMWARE);
	assert_true(has_remedy(&d, "dmesg"));
	diagnosis_fini(&d);
}

TEST(test_simulator_is_the_first_remedy)
{
	struct trial trials[2];
	struct facts f = without_pmu(trials);
	struct diagnosis d;

	f.host.virt.present = true;
	f.simulator = KNOWN_YES;
	assert_int_equal(diagnose(&f, &d), 0);
	assert_non_null(strstr(d.remedies[0], "--pmu sim"));
	diagnosis_fini(&d);
}

RUN_ALL_TESTS
