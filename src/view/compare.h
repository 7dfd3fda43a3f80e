/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of a view side by side, by the statistics of `assay diff`. */
#ifndef VIEW_COMPARE_H
#define VIEW_COMPARE_H

#include "view/view.h"
#include "write/json.h"

/*
 * After the last file: name sections alike in every run, by label and file;
 * lines move when a program is changed. 0 or PAPI_ENOMEM.
 */
int view_match_sections(struct view *v);

/*
 * The member "compare": each run after the first against the first. Nothing
 * if there is one run. 0 or PAPI_ENOMEM.
 */
int view_compare_json(const struct view *v, struct json *j);

#endif /* VIEW_COMPARE_H */
