/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merging files by several threads.
 *
 * Files are taken in blocks of always as many. Each block is merged by itself,
 * by whichever thread comes to it, and then the blocks one after the other: the
 * result does not depend on how many threads there are, and the first file that
 * cannot be read is the one that is told. How many blocks may be ready and
 * waiting is bounded, so memory does not grow with the files.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "taskfile/taskfile.h"

#define BLOCK_FILES 32
#define THREADS_MAX 8
#define AHEAD       (2 * THREADS_MAX) /* blocks */

struct block {
	struct taskfile_merge *merge;
	bool is_done;
	int err;
	struct diag diag;
};

struct crew {
	const char *const *paths;
	size_t n;
	size_t n_blocks;

	pthread_mutex_t lock; /* guards all below */
	pthread_cond_t changed;
	size_t next;  /* block that nobody has taken */
	size_t added; /* blocks that are in the whole */
	bool stop;
	struct block blocks[AHEAD]; /* by number, modulo */
};

static void merge_block(const struct crew *crew, size_t number,
			struct block *block)
{
	size_t first = number * BLOCK_FILES;
	size_t end = first + BLOCK_FILES;

	*block = (struct block){ 0 };
	block->err = taskfile_merge_new(&block->merge);
	if (block->err)
		diag_fail(&block->diag, block->err, "out of memory");
	for (size_t i = first; i < end && i < crew->n && !block->err; i++)
		block->err = taskfile_merge_add(block->merge, crew->paths[i],
						&block->diag);
}

/* The next block to merge, when there is room for it. False: no more. */
static bool take_block(struct crew *crew, size_t *number)
{
	bool taken;

	pthread_mutex_lock(&crew->lock);
	while (!crew->stop && crew->next < crew->n_blocks &&
	       crew->next >= crew->added + AHEAD)
		pthread_cond_wait(&crew->changed, &crew->lock);
	taken = !crew->stop && crew->next < crew->n_blocks;
	if (taken)
		*number = crew->next++;
	pthread_mutex_unlock(&crew->lock);
	return taken;
}

static void *work(void *data)
{
	struct crew *crew = data;
	size_t number;

	while (take_block(crew, &number)) {
		struct block block;

		merge_block(crew, number, &block);
		block.is_done = true;
		pthread_mutex_lock(&crew->lock);
		crew->blocks[number % AHEAD] = block;
		pthread_cond_broadcast(&crew->changed);
		pthread_mutex_unlock(&crew->lock);
	}
	return NULL;
}

/* Wait for block @number and take it away. */
static struct block fetch(struct crew *crew, size_t number)
{
	struct block *at = &crew->blocks[number % AHEAD];
	struct block block;

	pthread_mutex_lock(&crew->lock);
	while (!at->is_done)
		pthread_cond_wait(&crew->changed, &crew->lock);
	block = *at;
	*at = (struct block){ 0 };
	crew->added++;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	return block;
}

static int add_block(struct taskfile_merge *merge, struct block *block,
		     struct diag *diag)
{
	struct taskfile_sink sink = taskfile_merge_sink(merge);
	int err = block->err;

	if (err && diag)
		*diag = block->diag;
	if (!err) {
		err = taskfile_merge_give(block->merge, &sink);
		if (err)
			diag_fail(diag, err, "out of memory");
	}
	taskfile_merge_free(block->merge);
	return err;
}

/* Add all blocks in their order; without @threads, merge them here. */
static int add_blocks(struct crew *crew, struct taskfile_merge *merge,
		      bool threads, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < crew->n_blocks && !err; i++) {
		struct block block;

		if (threads)
			block = fetch(crew, i);
		else
			merge_block(crew, i, &block);
		err = add_block(merge, &block, diag);
	}
	return err;
}

static size_t threads_wanted(const struct crew *crew)
{
	cpu_set_t set; /* a launcher may have given this rank one CPU */
	size_t wanted = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		wanted = (size_t)CPU_COUNT(&set);
	if (wanted > THREADS_MAX)
		wanted = THREADS_MAX;
	if (wanted > crew->n_blocks)
		wanted = crew->n_blocks;
	return wanted > 1 ? wanted : 0;
}

static void stop_all(struct crew *crew, const pthread_t *threads, size_t n)
{
	pthread_mutex_lock(&crew->lock);
	crew->stop = true;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < AHEAD; i++) /* after an error */
		taskfile_merge_free(crew->blocks[i].merge);
}

int taskfile_merge_many(struct taskfile_merge *merge, const char *const *paths,
			size_t n, struct diag *diag)
{
	struct crew crew = {
		.paths = paths,
		.n = n,
		.n_blocks = (n + BLOCK_FILES - 1) / BLOCK_FILES,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	pthread_t threads[THREADS_MAX];
	size_t wanted = threads_wanted(&crew), running = 0;
	int err;

	while (running < wanted &&
	       pthread_create(&threads[running], NULL, work, &crew) == 0)
		running++;
	err = add_blocks(&crew, merge, running > 0, diag);
	stop_all(&crew, threads, running);
	return err;
}
