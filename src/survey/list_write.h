/* SPDX-License-Identifier: BSD-3-Clause */
/* A listing, for people and for programs. */
#ifndef SURVEY_LIST_WRITE_H
#define SURVEY_LIST_WRITE_H

#include "report/writer.h"
#include "survey/listing.h"

struct list_view {
	const struct listing *listing;
	bool events;     /* show events */
	bool components; /* show components */
	bool all;        /* also events that cannot be counted, one by one */
};

/* All are write_fn: @what is a struct list_view. */
int list_write_text(const void *what, const struct report_style *style,
		    FILE *to);
int list_describe(const void *what, struct json *j);

#endif /* SURVEY_LIST_WRITE_H */
