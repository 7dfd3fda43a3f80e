/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the text and the name of such files until libhpm_mpi asks for them.
 * Writing them is left to file.c, removing them to libhpm_mpi.
 */
#include "hpm/hold.h"

#include <stdlib.h>
#include <string.h>

#include "hpm/file.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hpm_held *kept; /* guarded by lock, as is the next */
static bool holding;

void hpm_hold(void)
{
	pthread_mutex_lock(&lock);
	holding = true;
	pthread_mutex_unlock(&lock);
}

bool hold_is_on(void)
{
	return holding;
}

void hold_keep(struct hpm_state *state)
{
	struct hpm_held *held = holding ? calloc(1, sizeof(*held)) : NULL;

	if (!held)
		return;
	held->text = file_text(state, &held->size);
	if (!held->text) {
		free(held);
		return;
	}
	file_name(state, held->path, sizeof(held->path));
	memcpy(held->program, state->program, sizeof(held->program));
	pthread_mutex_lock(&lock);
	held->next = kept;
	kept = held;
	pthread_mutex_unlock(&lock);
}

struct hpm_held *hold_first(void)
{
	struct hpm_held *first;

	pthread_mutex_lock(&lock);
	first = kept;
	if (first)
		kept = first->next;
	pthread_mutex_unlock(&lock);
	return first;
}

void hpm_release(struct hpm_held *held)
{
	if (held)
		free(held->text);
	free(held);
}

void hold_abandon(void)
{
	pthread_mutex_init(&lock, NULL);
	kept = NULL;
}
