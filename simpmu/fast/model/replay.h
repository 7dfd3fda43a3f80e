/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows the model what records of the log mean. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct core;
struct filter_entry;
struct item;
struct log_exit;
struct modelled;

/* Records in [@from, @end) of the thread that has @m. */
void replay_memory(struct modelled *m, const uint64_t *from,
		   const uint64_t *end);
void replay_branches(struct modelled *m, const uint64_t *from,
		     const uint64_t *end);

/* Items in [@i, @last) of a record, in order. */
void replay_items(struct modelled *m, const struct item *i,
		  const struct item *last, const uint64_t *record);
/* A load or store, of which the filter does not have the page, or not the line
 * (@line: NULL). */
void replay_missed(struct core *core, const struct item *i, uint64_t ea,
		   struct filter_entry *line);
void replay_item(struct modelled *m, const struct item *i,
		 const uint64_t *record);

/* For the scoreboard, of an item and its record: its address; how often a rep
 * string went round, and where to in round @n; words of a record that was cut.
 */
uint64_t replay_address(const struct modelled *m, const struct item *item,
			const uint64_t *record);
uint64_t replay_rep_times(const struct item *item, const uint64_t *record);
void replay_rep_addresses(const struct item *item, const uint64_t *record,
			  uint64_t n, uint64_t addrs[2]);
unsigned replay_cut_words(uint64_t header);

/* Whether strings make the record much longer than its instructions are many:
 * it is no part of the sample, but always seen in detail. */
bool replay_is_long(const struct log_exit *e, const uint64_t *record);
