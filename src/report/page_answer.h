/* SPDX-License-Identifier: BSD-3-Clause */
/* What the page of a report opens on: the verdicts, and where cycles went. */
#pragma once

#include "report/report.h"
#include "write/html.h"

/* What a metric is called by people: its line of text, else its name. */
const char *page_metric_name(const struct report_metric *m);

/* The member "lead": a sentence on what is good and what is poor. */
void page_put_lead(const struct report *r, struct html_report *page);

/* Parts: instructions per cycle and what is poor; cycles by their cause. */
void page_put_cards(const struct report *r, struct html_report *page);
void page_put_cycles(const struct report *r, struct html_report *page);
