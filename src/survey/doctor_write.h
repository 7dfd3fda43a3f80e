/* SPDX-License-Identifier: BSD-3-Clause */
/* What `assay doctor` found, for people and for programs. */
#ifndef SURVEY_DOCTOR_WRITE_H
#define SURVEY_DOCTOR_WRITE_H

#include "report/writer.h"
#include "survey/diagnosis.h"

struct checkup {
	const struct facts *facts;
	const struct diagnosis *diagnosis;
};

/* Both are write_fn: @what is a struct checkup. */
int doctor_write_text(const void *what, const struct report_style *style,
		      FILE *to);
int doctor_describe(const void *what, struct json *j);

#endif /* SURVEY_DOCTOR_WRITE_H */
