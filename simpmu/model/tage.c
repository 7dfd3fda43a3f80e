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

/*
 * Numbers 1 and up are tables, 0 is the base table, which always knows. It has
 * an entry like theirs, made for the occasion: which table decides nobody can
 * predict, so there shall be no branches about it.
 */
struct lookup {
	uint64_t hash[PARAMS_TAGE_TABLES + 1];
	uint16_t *at[PARAMS_TAGE_TABLES + 1];
	uint16_t base;
	uint32_t provider;
	uint32_t provider_taken, alternate_taken;
	uint32_t newly; /* the provider has not proved itself yet */
	uint32_t taken; /* the prediction */
};

static uint32_t counter_taken(uint16_t entry)
{
	return entry >> (COUNTER_BITS - 1) & 1;
}

static uint32_t useful(uint16_t entry)
{
	return entry >> USEFUL_SHIFT & USEFUL_MAX;
}

/* Hashes have the index in their top bits and the tag, as it stands in an
 * entry, in the low half of the rest. Tags are odd: blank entries have tag 0.
 */
static uint16_t tag_of(uint64_t hash)
{
	return (uint16_t)(hash >> 16) | 1u << TAG_SHIFT;
}

/* Numbers made of the address and of whole words of history. */
static void hash_words(const struct predictor *p, const struct history *history,
		       uint64_t pc, uint64_t *sum)
{
	uint32_t words = p->table[p->params->tage_tables - 1].words;

	sum[0] = pc * UINT64_C(0xff51afd7ed558ccd);
	for (uint32_t i = 0; i < words; i++) {
		sum[i + 1] = (sum[i] ^ history->word[i]) *
			     UINT64_C(0xc2b2ae3d27d4eb4f);
		sum[i + 1] ^= sum[i + 1] >> 32;
	}
}

/* Where each table would have the situation; returns a bit for each table that
 * does. */
static uint32_t locate(const struct predictor *p, const struct history *history,
		       uint64_t pc, struct lookup *look)
{
	uint32_t shift = 64 - p->params->tage_bits, match = 1;
	uint32_t tables = p->params->tage_tables, tag_mask = p->tag_mask;
	uint64_t sum[HISTORY_WORDS + 1];

	hash_words(p, history, pc, sum);
#pragma GCC unroll 4
	for (uint32_t i = 1; i <= tables; i++) {
		const struct tage_table *table = &p->table[i - 1];
		uint64_t x = (sum[table->words] ^
			      (history->word[table->words] & table->mask)) *
			     UINT64_C(0x9e3779b97f4a7c15);

		look->hash[i] = x;
		look->at[i] = &table->entry[x >> shift];
		match |= (uint32_t) !((*look->at[i] ^ tag_of(x)) & tag_mask)
			 << i;
	}
	return match;
}

static uint32_t highest(uint32_t bits)
{
	return 31u ^ (uint32_t)__builtin_clz(bits);
}

static void look_up(const struct predictor *p, const struct history *history,
		    uint64_t pc, struct lookup *look)
{
	uint32_t match = locate(p, history, pc, look), use_alternate;
	uint16_t entry;

	look->provider = highest(match);
	entry = *look->at[look->provider];
	match = (match ^ 1u << look->provider) | 1;
	look->provider_taken = counter_taken(entry);
	look->alternate_taken = counter_taken(*look->at[highest(match)]);
	/* counters of 3 and 4 and no usefulness; the base has some */
	look->newly = ((entry + 1u) & COUNTER_MAX & ~1u) == 4 && !useful(entry);
	use_alternate = look->newly & (p->prefer_alternate >= 0);
	look->taken =
		use_alternate ? look->alternate_taken : look->provider_taken;
}

/* ---- learning ---- */

static uint16_t trained(uint16_t entry, uint32_t taken)
{
	uint32_t counter = entry & COUNTER_MAX;
	uint32_t up = taken & (counter < COUNTER_MAX);
	uint32_t down = (taken ^ 1) & (counter > 0);

	return (uint16_t)(entry + up - down);
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
	uint16_t *entry = look->at[look->provider];
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
	uint32_t tables = p->params->tage_tables;
	uint32_t i = look->provider + 1;

	/* Skip one table now and then, so that entries spread. */
	if (i < tables && !(next_random(p) & 3))
		i++;
	for (; i <= tables; i++) {
		uint16_t *entry = look->at[i];

		if (useful(*entry))
			continue;
		*entry = (uint16_t)((tag_of(look->hash[i]) & p->tag_mask) |
				    (taken ? 4u : 3u));
		if (p->aging)
			p->aging--;
		return;
	}
	if (++p->aging >= AGING_LIMIT)
		age(p);
}

bool tage_train(struct predictor *p, uint8_t *base, uint64_t pc, bool taken)
{
	struct lookup look;

	/* 0 to 3 become 0, 2, 5, 7: never new, and useful for ever */
	look.base = (uint16_t)(USEFUL_MAX << USEFUL_SHIFT | *base * 5u / 2);
	look.at[0] = &look.base;
	look_up(p, &p->history, pc, &look);
	if (p->kind == PREDICT_TAGE)
		*latest_of(p, pc) = (uint8_t)look.taken;
	train_provider(p, &look, taken);
	if (!look.provider)
		*base = counter_trained(*base, taken);
	if (look.taken != taken && look.provider < p->params->tage_tables)
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
	predictor->latest = memory_get(memory, 1u << LATEST_BITS);
	if (!predictor->latest)
		return false;
	predictor->tag_mask = ((1u << params->tage_tag_bits) - 1) << TAG_SHIFT;
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
	for (uint32_t i = 0; i < 1u << LATEST_BITS; i++)
		predictor->latest[i] = 0;
	predictor->lfsr = LFSR_SEED;
	predictor->prefer_alternate = 0;
	predictor->aging = 0;
}
