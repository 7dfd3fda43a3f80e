/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TAGE: tagged tables, each indexed by the address and a longer piece of the
 * global history; the longest that knows the situation predicts.
 *
 * Modelling decisions and known lies: index and tag come from one multiplied
 * hash of the history piece instead of folded registers; the history holds
 * outcomes of conditional branches only (no path); a new entry goes to one
 * longer table, chosen by an LFSR with a fixed seed; usefulness is halved when
 * allocations keep failing. No statistical corrector, no loop predictor.
 */

#include "simpmu/model/predict.h"

#define COUNTER_BITS  3
#define COUNTER_MAX   7
#define USEFUL_SHIFT  COUNTER_BITS
#define USEFUL_MAX    3
#define TAG_SHIFT     5
#define LFSR_SEED     0xace1u
#define AGING_LIMIT   1024
#define ALTERNATE_MAX 8

struct lookup {
	uint32_t index[PARAMS_TAGE_TABLES];
	uint32_t tag[PARAMS_TAGE_TABLES];
	int provider; /* -1: the base table */
	bool provider_taken;
	bool alternate_taken;
	bool newly; /* the provider has not proved itself yet */
	bool taken; /* the prediction */
};

static uint32_t base_index(const struct predictor *p, uint64_t pc)
{
	return (uint32_t)pc & ((1u << p->params->base_bits) - 1);
}

static bool base_taken(const struct predictor *p, uint64_t pc)
{
	return p->base[base_index(p, pc)] >= 2;
}

static bool counter_taken(uint16_t entry)
{
	return (entry & COUNTER_MAX) >= 4;
}

static uint32_t useful(uint16_t entry)
{
	return entry >> USEFUL_SHIFT & USEFUL_MAX;
}

/* Where each table would have the situation; returns a bit for each table that
 * does. Tags are odd: blank entries have tag 0. */
static uint32_t locate(const struct predictor *p, const struct history *history,
		       uint64_t pc, struct lookup *look)
{
	uint32_t shift = 64 - p->params->tage_bits;
	uint32_t tag_mask = (1u << p->params->tage_tag_bits) - 1;
	uint32_t tables = p->params->tage_tables;
	uint64_t sum = pc * UINT64_C(0xff51afd7ed558ccd);
	uint32_t word = 0, match = 0;

	for (uint32_t i = 0; i < tables; i++) {
		const struct tage_table *table = &p->table[i];
		uint64_t x;

		for (; word < table->words; word++) {
			sum = (sum ^ history->word[word]) *
			      UINT64_C(0xc2b2ae3d27d4eb4f);
			sum ^= sum >> 32;
		}
		x = (sum ^ (history->word[word] & table->mask)) *
		    UINT64_C(0x9e3779b97f4a7c15);
		look->index[i] = (uint32_t)(x >> shift);
		look->tag[i] = ((uint32_t)(x >> 32) & tag_mask) | 1;
		match |= (uint32_t)(table->entry[look->index[i]] >> TAG_SHIFT ==
				    look->tag[i])
			 << i;
	}
	return match;
}

static int highest(uint32_t bits)
{
	return 31 - __builtin_clz(bits);
}

static void look_up(const struct predictor *p, const struct history *history,
		    uint64_t pc, struct lookup *look)
{
	uint32_t match = locate(p, history, pc, look);
	uint16_t entry;
	int other;

	look->provider = match ? highest(match) : -1;
	look->newly = false;
	if (!match) {
		look->taken = base_taken(p, pc);
		return;
	}
	entry = p->table[look->provider].entry[look->index[look->provider]];
	match ^= 1u << look->provider;
	if (match) {
		other = highest(match);
		look->alternate_taken = counter_taken(
			p->table[other].entry[look->index[other]]);
	} else {
		look->alternate_taken = base_taken(p, pc);
	}
	look->provider_taken = counter_taken(entry);
	look->newly = !useful(entry) && ((entry & COUNTER_MAX) == 3 ||
					 (entry & COUNTER_MAX) == 4);
	look->taken = look->newly && p->prefer_alternate >= 0
			      ? look->alternate_taken
			      : look->provider_taken;
}

bool tage_predict(const struct predictor *predictor,
		  const struct history *history, uint64_t pc)
{
	struct lookup look;

	look_up(predictor, history, pc, &look);
	return look.taken;
}

/* ---- learning ---- */

static void train_base(struct predictor *p, uint64_t pc, bool taken)
{
	uint8_t *counter = &p->base[base_index(p, pc)];

	if (taken && *counter < 3)
		++*counter;
	else if (!taken && *counter > 0)
		--*counter;
}

static uint16_t trained(uint16_t entry, bool taken)
{
	if (taken && (entry & COUNTER_MAX) < COUNTER_MAX)
		return (uint16_t)(entry + 1);
	if (!taken && (entry & COUNTER_MAX) > 0)
		return (uint16_t)(entry - 1);
	return entry;
}

static uint16_t with_useful(uint16_t entry, uint32_t value)
{
	return (uint16_t)((entry & ~(USEFUL_MAX << USEFUL_SHIFT)) |
			  (int)(value << USEFUL_SHIFT));
}

/* The provider differed from what would have been said without it. */
static uint16_t judged(uint16_t entry, bool right)
{
	uint32_t value = useful(entry);

	if (right && value < USEFUL_MAX)
		value++;
	else if (!right && value > 0)
		value--;
	return with_useful(entry, value);
}

static void train_provider(struct predictor *p, const struct lookup *look,
			   bool taken)
{
	uint16_t *entry =
		&p->table[look->provider].entry[look->index[look->provider]];
	bool differs = look->provider_taken != look->alternate_taken;

	if (look->newly && differs) {
		bool better = look->alternate_taken == taken;

		if (better && p->prefer_alternate < ALTERNATE_MAX - 1)
			p->prefer_alternate++;
		else if (!better && p->prefer_alternate > -ALTERNATE_MAX)
			p->prefer_alternate--;
	}
	if (differs)
		*entry = judged(*entry, look->provider_taken == taken);
	*entry = trained(*entry, taken);
}

static uint32_t next_random(struct predictor *p)
{
	uint32_t bit = p->lfsr & 1;

	p->lfsr = p->lfsr >> 1 ^ (bit ? 0xb400u : 0);
	return p->lfsr;
}

static void age(struct predictor *p)
{
	for (uint32_t i = 0; i < p->params->tage_tables; i++)
		for (uint32_t j = 0; j < 1u << p->params->tage_bits; j++) {
			uint16_t *entry = &p->table[i].entry[j];

			*entry = with_useful(*entry, useful(*entry) / 2);
		}
	p->aging = 0;
}

/* After a wrong prediction: a longer history may know better. */
static void allocate(struct predictor *p, const struct lookup *look, bool taken)
{
	int tables = (int)p->params->tage_tables;
	int i = look->provider + 1;

	/* Skip one table now and then, so that entries spread. */
	if (i + 1 < tables && !(next_random(p) & 3))
		i++;
	for (; i < tables; i++) {
		uint16_t *entry = &p->table[i].entry[look->index[i]];

		if (useful(*entry))
			continue;
		*entry = (uint16_t)(look->tag[i] << TAG_SHIFT |
				    (taken ? 4u : 3u));
		if (p->aging)
			p->aging--;
		return;
	}
	if (++p->aging >= AGING_LIMIT)
		age(p);
}

bool tage_train(struct predictor *p, uint64_t pc, bool taken)
{
	struct lookup look;

	look_up(p, &p->history, pc, &look);
	if (look.provider < 0)
		train_base(p, pc, taken);
	else
		train_provider(p, &look, taken);
	if (look.taken != taken &&
	    look.provider < (int)p->params->tage_tables - 1)
		allocate(p, &look, taken);
	return look.taken == taken;
}

bool tage_init(struct predictor *predictor, struct memory *memory)
{
	const struct params *params = predictor->params;

	for (uint32_t i = 0; i < params->tage_tables; i++) {
		struct tage_table *table = &predictor->table[i];

		table->words = (params->tage_history[i] - 1) / 64;
		table->mask =
			UINT64_MAX >> (63 - (params->tage_history[i] - 1) % 64);
		table->entry = memory_get(memory, sizeof(*table->entry)
							  << params->tage_bits);
		if (!table->entry)
			return false;
	}
	tage_flush(predictor);
	return true;
}

void tage_flush(struct predictor *predictor)
{
	const struct params *params = predictor->params;

	for (uint32_t i = 0; i < params->tage_tables; i++)
		for (uint32_t j = 0; j < 1u << params->tage_bits; j++)
			if (predictor->table[i].entry[j])
				predictor->table[i].entry[j] = 0;
	predictor->lfsr = LFSR_SEED;
	predictor->prefer_alternate = 0;
	predictor->aging = 0;
}
