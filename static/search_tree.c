/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the archives of elfutils 0.192 (Debian 13) call and do not contain: its
 * search trees, which are libc's with a lock. An archive that has its own keeps
 * them. The tree's first word is its root; its own lock is not used.
 */
#include <pthread.h>
#include <search.h>
#include <stddef.h>

typedef int compare_fn(const void *, const void *);

void eu_search_tree_init(void **tree);
void eu_search_tree_fini(void **tree, void (*free_node)(void *));
void eu_tdestroy(void **tree, void (*free_node)(void *));
void *eu_tsearch(const void *key, void **tree, compare_fn *compare);
void *eu_tfind(const void *key, void **tree, compare_fn *compare);
void *eu_tdelete(const void *key, void **tree, compare_fn *compare);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((weak)) void eu_search_tree_init(void **tree)
{
	*tree = NULL;
}

__attribute__((weak)) void eu_tdestroy(void **tree, void (*free_node)(void *))
{
	tdestroy(*tree, free_node);
	*tree = NULL;
}

__attribute__((weak)) void eu_search_tree_fini(void **tree,
					       void (*free_node)(void *))
{
	tdestroy(*tree, free_node);
	*tree = NULL;
}

__attribute__((weak)) void *eu_tsearch(const void *key, void **tree,
				       compare_fn *compare)
{
	void *found;

	pthread_mutex_lock(&lock);
	found = tsearch(key, tree, compare);
	pthread_mutex_unlock(&lock);
	return found;
}

__attribute__((weak)) void *eu_tfind(const void *key, void **tree,
				     compare_fn *compare)
{
	void *found;

	pthread_mutex_lock(&lock);
	found = tfind(key, tree, compare);
	pthread_mutex_unlock(&lock);
	return found;
}

__attribute__((weak)) void *eu_tdelete(const void *key, void **tree,
				       compare_fn *compare)
{
	void *found;

	pthread_mutex_lock(&lock);
	found = tdelete(key, tree, compare);
	pthread_mutex_unlock(&lock);
	return found;
}
