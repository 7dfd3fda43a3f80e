/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A component with no events. PAPI has one of this name behind its device
 * calls (PAPI_enum_dev_type() and others), and tools look for it before they
 * use them. Here those calls need no component.
 */
#include "components/components.h"

static int sysdetect_probe(struct component *c, const struct fs *fs)
{
	(void)c;
	(void)fs;
	return 0;
}

static int refuse_open(struct slice *s)
{
	return slice_fail(s, PAPI_ENOEVNT, "sysdetect has no events");
}

/* What follows a slice that was opened is never asked for. */
const struct component_ops sysdetect_component = {
	.name = "sysdetect",
	.summary = "hardware description; see PAPI_enum_dev_type()",
	.scope = SCOPE_SYSTEM,
	.probe = sysdetect_probe,
	.open = refuse_open,
};
