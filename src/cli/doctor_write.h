/* SPDX-License-Identifier: BSD-3-Clause */
/* What `assay doctor` found, for people and for programs. */
#ifndef CLI_DOCTOR_WRITE_H
#define CLI_DOCTOR_WRITE_H

#include "cli/diagnosis.h"
#include "report/writer.h"

struct checkup {
	const struct facts *facts;
	const struct diagnosis *diagnosis;
};

/* Both are output_fn: @what is a struct checkup. */
int doctor_write_text(const void *what, const struct report_style *style,
		      FILE *to);
int doctor_write_json(const void *what, const struct report_style *style,
		      FILE *to);

#endif /* CLI_DOCTOR_WRITE_H */
