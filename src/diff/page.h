/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as a page: the largest differences first. */
#ifndef DIFF_PAGE_H
#define DIFF_PAGE_H

#include <stdio.h>

#include "diff/write.h"

/* 0, or a code as html_write() gives it. */
int compare_write_page(const struct compare_view *view, FILE *to);

#endif /* DIFF_PAGE_H */
