/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads and what their cores do for each other. They take turns, told
 * by bytes through pipes: between their turns they share no memory but what
 * the kernel is about, and they wait without spinning, which would take for
 * ever where only one thread runs at a time.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/tables.h"

#define LINE 64

/*
 * Lines that are used once each, one after the other: that a prefetcher may
 * fetch some of them early makes no difference, for they come once all the
 * same. Those behind the last are there for it.
 */
#define PLACES (256 + 32)

enum deed {
	PING_PONG,     /* both store to the same place */
	FALSE_SHARING, /* to two places in one line */
	APART,         /* to two lines */
	READ_SHARED,   /* both load the same place */
	PRODUCE,       /* we store, the partner loads */
	CONSUME,       /* the partner stores, we load */
	/* these with another line each time, which nobody comes back to */
	GIVE, /* the partner loads what we have stored */
	TAKE, /* we load what the partner has stored */
	LOSE, /* the partner stores to what we have loaded */
	BUSY, /* apart; and the partner does much that is its own business */
};

struct partner {
	pthread_t thread;
	int to[2];   /* a byte: your turn */
	int from[2]; /* a byte: my turn is over */
	volatile char *place;
	size_t step;   /* from one place to the next; 0: it is the same */
	size_t places; /* of a turn */
	bool stores;
	char *own; /* memory that it works on; NULL: it does not */
};

/* Work of many kinds, each so often in a turn. */
#define WORK 64
#define OWN  (WORK * 4096)

/*
 * Arithmetic, loads and stores, branches taken and not, and a page each time:
 * what an event must not count if it is about this thread alone. Volatile, lest
 * the compiler do it once for all times.
 */
static void work(char *own)
{
	volatile double d = 1.5;
	volatile float f = 1.25F;
	volatile uint64_t n = 12345, seed = 99;

	for (size_t i = 0; i < WORK; i++) {
		volatile uint32_t *words = (void *)(own + i * 4096);
		volatile uint16_t *half = (void *)(own + i * 4096 + 8);

		d = d * 1.0000001 + 0.25;
		d = d / 1.5;
		f = f * 1.01F + 0.5F;
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		n = n / 3 + seed;
		n ^= n >> 7;
		words[0] = words[1] + (uint32_t)n;
		*half = (uint16_t)(*half + 1);
		if (seed >> 63)
			own[i * 4096 + 16]++;
	}
}

/* @partner is the thread's own, lest it share what it is told with us. */
static void use_places(struct partner *partner)
{
	for (size_t i = 0; i < partner->places; i++) {
		if (partner->stores)
			*partner->place = 1;
		else
			(void)*partner->place;
		partner->place += partner->step;
	}
}

static void *take_turns(void *context)
{
	struct partner partner = *(const struct partner *)context;
	char byte;

	while (read(partner.to[0], &byte, 1) == 1 && byte) {
		use_places(&partner);
		if (partner.own)
			work(partner.own);
		if (write(partner.from[1], &byte, 1) != 1)
			break;
	}
	return NULL;
}

static void give_turn(struct partner *partner, char byte)
{
	if (write(partner->to[1], &byte, 1) == 1 && byte &&
	    read(partner->from[0], &byte, 1) == 1)
		return;
}

static size_t memory_of(const struct kernel_point *p)
{
	(void)p;
	return 4096;
}

static size_t memory_of_work(const struct kernel_point *p)
{
	(void)p;
	return 4096 + OWN;
}

static size_t memory_of_places(const struct kernel_point *p)
{
	(void)p;
	return (PLACES * LINE + 4095) / 4096 * 4096;
}

static void close_pipe(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

static const char *start(struct partner *partner)
{
	if (pipe(partner->to))
		return "cannot create a pipe";
	if (pipe(partner->from)) {
		close_pipe(partner->to);
		return "cannot create a pipe";
	}
	if (pthread_create(&partner->thread, NULL, take_turns, partner)) {
		close_pipe(partner->to);
		close_pipe(partner->from);
		return "cannot create a thread";
	}
	return NULL;
}

/* What is ours before the partner comes. Every page is there for both. */
static void own_places(char *memory, enum deed deed)
{
	for (size_t i = 0; i < PLACES; i++) {
		volatile char *place = memory + i * LINE;

		if (deed == GIVE || i % (4096 / LINE) == 0)
			*place = 1;
		else if (deed == LOSE)
			(void)*place;
	}
}

static bool wanders(enum deed deed)
{
	return deed == GIVE || deed == TAKE || deed == LOSE;
}

/* The partner is at work, and both have had a turn. */
static void prepare(struct kernel_run *run)
{
	enum deed deed = run->variant;
	struct partner *partner = calloc(1, sizeof(*partner));
	char *memory = run->memory;

	run->cursor = partner;
	if (!partner) {
		run->failed = "out of memory";
		return;
	}
	if (wanders(deed))
		own_places(memory, deed);
	partner->step = wanders(deed) ? LINE : 0;
	partner->places = deed == TAKE ? PLACES : 1;
	partner->stores =
		deed != READ_SHARED && deed != PRODUCE && deed != GIVE;
	partner->place = memory + (deed == FALSE_SHARING           ? 8
				   : deed == APART || deed == BUSY ? 2 * LINE
								   : 0);
	partner->own = deed == BUSY ? memory + 4096 : NULL;
	run->failed = start(partner);
	if (run->failed) {
		free(partner);
		return;
	}
	give_turn(partner, 1);
}

static void storing(struct kernel_run *run)
{
	volatile char *place = run->memory;

	for (uint64_t n = run->point.times; n > 0; n--) {
		*place = 1;
		give_turn(run->cursor, 1);
	}
}

static void loading(struct kernel_run *run)
{
	volatile char *place = run->memory;

	for (uint64_t n = run->point.times; n > 0; n--) {
		(void)*place;
		give_turn(run->cursor, 1);
	}
}

/* The partner has used the first place in the turn that it had before. */
static void waiting(struct kernel_run *run)
{
	uint64_t times = run->point.times;

	for (uint64_t n = times < PLACES ? times : PLACES - 1; n > 0; n--)
		give_turn(run->cursor, 1);
}

static void taking(struct kernel_run *run)
{
	volatile char *place = run->memory;
	uint64_t times = run->point.times;

	for (uint64_t n = times < PLACES ? times : PLACES - 1; n > 0; n--)
		(void)*(place += LINE);
}

static void release(struct kernel_run *run)
{
	struct partner *partner = run->cursor;

	give_turn(partner, 0);
	pthread_join(partner->thread, NULL);
	close_pipe(partner->to);
	close_pipe(partner->from);
	free(partner);
}

/* Where two places share a line, every second one finds what the one before it
 * left. */
static void predict_places(const struct kernel_point *p,
			   const struct kernel_machine *m,
			   struct kernel_term *terms)
{
	static const enum concept unknown[] = {
		CONCEPT_SNOOP_HIT, CONCEPT_SNOOP_HITM, CONCEPT_INVALIDATE,
		CONCEPT_INTERVENE, CONCEPT_STORE_SHARED
	};

	(void)p;
	for (size_t i = 0;
	     m->line_bytes > LINE && i < sizeof(unknown) / sizeof(unknown[0]);
	     i++)
		terms[i] = (struct kernel_term){ unknown[i], NAN, 0 };
}

/* clang-format off */
/* Each time our store finds the line modified by the partner, who then takes
 * it from us modified: two system calls of ours, and two of his. */
#define SHARED                                                                 \
	{ CONCEPT_SNOOP_HITM, 1, 0 }, { CONCEPT_INVALIDATE, 1, 0 },            \
		{ CONCEPT_INTERVENE, 1, 0 }, { CONCEPT_STORE_SHARED, 1, 0 }

#define TWO_THREADS(deed, bytes)                                               \
	.needs = NEEDS_THREADS, .large = LARGE_DATA | LARGE_CODE,              \
	.memory = bytes, .variant = deed, .prepare = prepare,                  \
	.release = release, .times = { 32, 64, 128, 256 }

static const struct kernel rows[] = {
	{ .name = "share/ping-pong", .text = "two threads store to one address",
	  TWO_THREADS(PING_PONG, memory_of), .run = storing,
	  .none = 1u << FAMILY_FP,
	  .expect = EXPECT(SHARED, { CONCEPT_SYSCALL, 2, 0 }) },
	{ .name = "share/false",
	  .text = "two threads store to two addresses in one line",
	  TWO_THREADS(FALSE_SHARING, memory_of), .run = storing,
	  .none = 1u << FAMILY_FP,
	  .expect = EXPECT(SHARED, { CONCEPT_SYSCALL, 2, 0 }) },
	/* Our line is taken clean by the partner, whose copy our next store
	 * finds and takes away. */
	{ .name = "share/produce",
	  .text = "one thread stores, another loads the value",
	  TWO_THREADS(PRODUCE, memory_of), .run = storing,
	  .none = 1u << FAMILY_FP,
	  .expect = EXPECT({ CONCEPT_SNOOP_HIT, 1, 0 }, { CONCEPT_INTERVENE, 1, 0 },
		      { CONCEPT_STORE_SHARED, 1, 0 },
		      { CONCEPT_SYSCALL, 2, 0 }) },
	/* The other side of it. */
	{ .name = "share/consume",
	  .text = "one thread loads what another stores",
	  TWO_THREADS(CONSUME, memory_of), .run = loading,
	  .none = 1u << FAMILY_FP,
	  .expect = EXPECT({ CONCEPT_SNOOP_HITM, 1, 0 },
		      { CONCEPT_INVALIDATE, 1, 0 },
		      { CONCEPT_SYSCALL, 2, 0 }) },
	/* One thing at a time of what comes together above. */
	{ .name = "share/give",
	  .text = "one thread loads lines that another has stored to",
	  TWO_THREADS(GIVE, memory_of_places), .run = waiting,
	  .predict = predict_places,
	  .none = 1u << FAMILY_FP,
	  .expect = EXPECT({ CONCEPT_INTERVENE, 1, 0 },
		      { CONCEPT_SYSCALL, 2, 0 }) },
	{ .name = "share/take",
	  .text = "loads of lines that another thread has stored to",
	  TWO_THREADS(TAKE, memory_of_places), .run = taking,
	  .predict = predict_places,
	  .none = 1u << FAMILY_FP | 1u << FAMILY_SYSTEM,
	  .expect = EXPECT({ CONCEPT_SNOOP_HITM, 1, 0 }) },
	{ .name = "share/lose",
	  .text = "one thread stores to lines that another has loaded",
	  TWO_THREADS(LOSE, memory_of_places), .run = waiting,
	  .predict = predict_places,
	  .none = 1u << FAMILY_FP,
	  .expect = EXPECT({ CONCEPT_INVALIDATE, 1, 0 },
		      /* to a prefetcher, before the store */
		      { CONCEPT_INTERVENE, NAN, 0 },
		      { CONCEPT_SYSCALL, 2, 0 }) },
	{ .name = "share/apart", .text = "two threads store to two lines",
	  TWO_THREADS(APART, memory_of), .run = storing,
	  .none = 1u << FAMILY_FP | 1u << FAMILY_SHARE,
	  .expect = EXPECT({ CONCEPT_SYSCALL, 2, 0 }) },
	/* For us it is the same: events that differ count the partner. */
	{ .name = "share/busy",
	  .text = "one thread stores, another works on its own data",
	  TWO_THREADS(BUSY, memory_of_work), .run = storing,
	  .none = 1u << FAMILY_FP | 1u << FAMILY_SHARE,
	  .expect = EXPECT({ CONCEPT_SYSCALL, 2, 0 }) },
	{ .name = "share/read", .text = "two threads load one address",
	  TWO_THREADS(READ_SHARED, memory_of), .run = loading,
	  .none = 1u << FAMILY_FP | 1u << FAMILY_SHARE,
	  .expect = EXPECT({ CONCEPT_SYSCALL, 2, 0 }) },
};
/* clang-format on */

KERNEL_TABLE(kernels_share, rows);
