/* SPDX-License-Identifier: BSD-3-Clause */
/* A roofline as a page: what it means in a sentence, and the plot. */
#ifndef PERFMODEL_ROOFLINE_PAGE_H
#define PERFMODEL_ROOFLINE_PAGE_H

#include "base/strbuf.h"
#include "perfmodel/perfmodel.h"

void roofline_lead(const struct modelled *m, struct strbuf *text);
void roofline_page(const struct modelled *m, struct html_report *page);

#endif /* PERFMODEL_ROOFLINE_PAGE_H */
