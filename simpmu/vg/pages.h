/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages touched for the first time: TALLY_PAGE_TOUCH. */
#pragma once

#include <stdint.h>

#define PAGE_SHIFT 12

/* The filter of inlined code: pages known to be touched, direct mapped. */
#define PAGE_FILTER_SIZE 512
extern uint64_t page_filter[PAGE_FILTER_SIZE];

/* The running thread accesses @size bytes at @ea. */
void pages_touch(uint64_t ea, uint64_t size);

/* Pages that are unmapped will be touched for a first time again. */
void pages_forget(uint64_t start, uint64_t size);
