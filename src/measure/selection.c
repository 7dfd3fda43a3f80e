/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of event names. */

#include "measure/metrics.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/file.h"

/*
 * In the order in which they matter: a PMU that cannot count them all at once
 * counts the first ones. They are what the metrics of the 2001 paper's Table 1
 * are made of.
 */
static const char *const usual_hardware[] = {
	"PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_BR_INS", "PAPI_BR_MSP",
	"PAPI_LD_INS",  "PAPI_SR_INS",  "PAPI_L1_DCM", "PAPI_L2_DCM",
	"PAPI_L3_TCM",  "PAPI_TLB_DM",  "PAPI_L1_ICM", "PAPI_FP_OPS",
	"PAPI_FP_INS",  "PAPI_FMA_INS", "PAPI_L1_LDM", "PAPI_L1_STM",
	"PAPI_L2_LDM",  "PAPI_L2_STM",  "PAPI_BR_CN",  "PAPI_INT_INS",
};

/* As many of these are in every report, with the reason if there is no PMU. */
#define EXPECTED 2

static const char *const usual_software[] = {
	"task-clock",
	"context-switches",
	"cpu-migrations",
	"page-faults",
};

static int add_name(struct selection *s, const char *name, size_t len)
{
	char *copy;

	for (size_t i = 0; i < s->n; i++)
		if (strlen(s->names[i]) == len &&
		    memcmp(s->names[i], name, len) == 0)
			return 0;
	if (array_grow(&s->names, s->n, sizeof(*s->names)))
		return PAPI_ENOMEM;
	copy = strndup(name, len);
	if (!copy)
		return PAPI_ENOMEM;
	s->names[s->n++] = copy;
	return 0;
}

int selection_add(struct selection *s, const char *name)
{
	return add_name(s, name, strlen(name));
}

static const char *blanks = " \t\r\n";

int selection_add_list(struct selection *s, const char *list)
{
	for (;;) {
		size_t skip = strspn(list, blanks);
		size_t n = ascii_list_name(list);
		size_t len = n;
		int err;

		while (len > skip && strchr(blanks, list[len - 1]))
			len--;
		if (len <= skip)
			return PAPI_EINVAL;
		err = add_name(s, list + skip, len - skip);
		if (err)
			return err;
		if (list[n] == '\0')
			return 0;
		list += n + 1;
	}
}

int selection_add_file(struct selection *s, const char *path, struct diag *diag)
{
	size_t before = s->n, len;
	char *text, *rest, *line;
	int err = file_read(path, &text, &len, diag);

	if (err)
		return err;
	rest = text;
	while (!err && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, "#")] = '\0';
		if (line[strspn(line, blanks)] != '\0')
			err = selection_add_list(s, line);
		if (err == PAPI_EINVAL)
			diag_fail(diag, err, "an event name is missing in '%s'",
				  line);
		else if (err)
			diag_fail(diag, err, "out of memory");
	}
	free(text);
	if (!err && s->n == before)
		err = diag_fail(diag, PAPI_EINVAL, "%s names no event", path);
	return err;
}

int selection_add_usual(struct selection *s, enum usual usual)
{
	size_t hardware =
		usual == USUAL_SOFTWARE ? EXPECTED : ARRAY_SIZE(usual_hardware);
	size_t software =
		usual == USUAL_HARDWARE ? 0 : ARRAY_SIZE(usual_software);
	int err = 0;

	for (size_t i = 0; !err && i < hardware; i++)
		err = selection_add(s, usual_hardware[i]);
	for (size_t i = 0; !err && i < software; i++)
		err = selection_add(s, usual_software[i]);
	return err;
}

void selection_fini(struct selection *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->names[i]);
	free(s->names);
	memset(s, 0, sizeof(*s));
}
