/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * x86 hypervisors sign in CPUID; on arm64 and POWER the device tree tells;
 * the product is in DMI, or in the maker's field of an ACPI table.
 */
#include "host/virt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "host/cpuid.h"
#include "host/text.h"

static const struct {
	const char *signature;
	const char *name;
} signatures[] = {
	{ "KVMKVMKVM", "KVM" },
	{ "Linux KVM Hv", "KVM" }, /* KVM in Hyper-V's clothes */
	{ "Microsoft Hv", "Hyper-V" },
	{ "VMwareVMware", "VMware" },
	{ "XenVMMXenVMM", "Xen" },
	{ "TCGTCGTCGTCG", "QEMU" },
	{ "VBoxVBoxVBox", "VirtualBox" },
	{ "bhyve bhyve ", "bhyve" },
	{ "ACRNACRNACRN", "ACRN" },
	{ " lrpepyh  vr", "Parallels" },
	{ "prl hyperv  ", "Parallels" },
	{ "QNXQVMBSQG", "QNX" },
	{ "SRESRESRESRE", "Lockheed Martin LMHS" },
};

static void name_hypervisor(struct host_virt *virt, const char *signature)
{
	for (size_t i = 0; i < ARRAY_SIZE(signatures); i++)
		if (strcmp(signature, signatures[i].signature) == 0)
			text_copy(virt->hypervisor, sizeof(virt->hypervisor),
				  signatures[i].name);
}

/* Leaf 1 tells that there is one, leaf 0x40000000 who it is. */
static void ask_cpuid(const struct fs *fs, struct host_virt *virt)
{
	struct cpuid_regs r;
	char signature[13] = "";

	if (!cpuid_get(fs, 1, 0, &r) || !(r.ecx & 1U << 31))
		return;
	virt->present = true;
	if (!cpuid_get(fs, 0x40000000U, 0, &r))
		return;
	memcpy(signature, &r.ebx, 4);
	memcpy(signature + 4, &r.ecx, 4);
	memcpy(signature + 8, &r.edx, 4);
	text_copy(virt->signature, sizeof(virt->signature), signature);
	name_hypervisor(virt, signature);
}

static bool has_flag(const char *cpuinfo)
{
	OWNED char *flags = malloc(8192);
	bool has = false;

	if (flags && text_find_field(cpuinfo, "flags", flags, 8192)) {
		const char *flag = strstr(flags, " hypervisor");

		has = flag && (flag[11] == ' ' || flag[11] == '\0');
	}
	return has;
}

/* x86: the kernel's flag tells, and CPUID who it is or where it does not. */
static void ask_processor(const struct fs *fs, struct host_virt *virt)
{
	OWNED char *cpuinfo = fs_read(fs, "proc/cpuinfo");

	virt->present = cpuinfo && has_flag(cpuinfo);
	if (virt->present || !cpuinfo)
		ask_cpuid(fs, virt);
	/* POWER: "machine : CHRP IBM pSeries (emulated by qemu)" */
	if (cpuinfo && strstr(cpuinfo, "(emulated by qemu)")) {
		virt->present = true;
		strcpy(virt->hypervisor, "KVM");
	}
}

/* Device tree strings end with a NUL; the first of a list is enough. */
static void ask_device_tree(const struct fs *fs, struct host_virt *virt)
{
	char text[64];

	if (text_read(fs, text, sizeof(text),
		      "proc/device-tree/hypervisor/compatible")) {
		virt->present = true;
		if (strcmp(text, "linux,kvm") == 0)
			strcpy(virt->hypervisor, "KVM");
		else if (strncmp(text, "xen,", 4) == 0)
			strcpy(virt->hypervisor, "Xen");
	} else if (text_read(fs, text, sizeof(text),
			     "proc/device-tree/compatible") &&
		   strcmp(text, "linux,dummy-virt") == 0) {
		virt->present = true;
		strcpy(virt->product, "QEMU");
	}
}

static void ask_xen(const struct fs *fs, struct host_virt *virt)
{
	char text[32];

	if (text_read(fs, text, sizeof(text), "sys/hypervisor/type") &&
	    strcmp(text, "xen") == 0 && virt->hypervisor[0] == '\0') {
		virt->present = true;
		strcpy(virt->hypervisor, "Xen");
	}
}

/*
 * Makers of virtual machines by DMI's sys_vendor. On arm64, where nothing
 * signs, this is the only sign of a hypervisor.
 */
static bool is_virtual_vendor(const char *vendor)
{
	static const char *const vendors[] = {
		"QEMU",         "VMware, Inc.", "innotek GmbH",
		"Xen",          "Bochs",        "Parallels Software",
		"BHYVE",        "Amazon EC2",   "Google",
		"OpenStack",    "Hetzner",      "DigitalOcean",
		"Alibaba Cloud"
	};

	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++)
		if (strncmp(vendor, vendors[i], strlen(vendors[i])) == 0)
			return true;
	return false;
}

static void ask_dmi(const struct fs *fs, struct host_virt *virt)
{
	char vendor[64];
	char name[60];

	if (!text_read(fs, vendor, sizeof(vendor),
		       "sys/class/dmi/id/sys_vendor"))
		return;
	text_read(fs, name, sizeof(name), "sys/class/dmi/id/product_name");
	/* Amazon's bare metal machines have the same vendor. */
	if (!virt->present && is_virtual_vendor(vendor) &&
	    !strstr(name, "metal"))
		virt->present = true;
	if (virt->present)
		snprintf(virt->product, sizeof(virt->product), "%s%s%s", vendor,
			 name[0] ? " " : "", name);
}

/*
 * Firecracker has neither DMI nor a signature of its own; the maker's field
 * of its ACPI tables (bytes 10 to 15) says FIRECK. Only root may read it.
 */
static void ask_acpi(const struct fs *fs, struct host_virt *virt)
{
	FILE *file;
	char head[16];

	if (virt->product[0])
		return;
	file = fs_open(fs, "sys/firmware/acpi/tables/FACP");
	if (!file)
		return;
	if (fread(head, 1, sizeof(head), file) == sizeof(head) &&
	    memcmp(head + 10, "FIRECK", 6) == 0)
		strcpy(virt->product, "Firecracker");
	fclose(file);
}

static void ask_container(const struct fs *fs, struct host_virt *virt)
{
	FILE *file = fs_open(fs, ".dockerenv");

	if (file) {
		strcpy(virt->container, "docker");
		fclose(file);
		return;
	}
	file = fs_open(fs, "run/.containerenv");
	if (file) {
		strcpy(virt->container, "podman");
		fclose(file);
		return;
	}
	text_read(fs, virt->container, sizeof(virt->container),
		  "run/systemd/container");
}

void virt_read(const struct fs *fs, struct host_virt *out)
{
	struct host_virt virt = { 0 };

	ask_processor(fs, &virt);
	ask_device_tree(fs, &virt);
	ask_xen(fs, &virt);
	ask_dmi(fs, &virt);
	if (virt.present)
		ask_acpi(fs, &virt);
	ask_container(fs, &virt);
	*out = virt;
}
