/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpm/hold.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpm/emit.h"
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

bool hold_keep(struct hpm_state *state)
{
	struct hpm_held *held = holding ? calloc(1, sizeof(*held)) : NULL;

	if (!held)
		return false;
	held->text = file_text(state, &held->size);
	if (!held->text) {
		free(held);
		return false;
	}
	file_name(state, held->path, sizeof(held->path));
	memcpy(held->program, state->program, sizeof(held->program));
	pthread_mutex_lock(&lock);
	held->next = kept;
	kept = held;
	pthread_mutex_unlock(&lock);
	return true;
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

void hpm_write_held(const struct hpm_held *held)
{
	struct emit *e = malloc(sizeof(*e));
	int error = 0;

	if (e && emit_open(e, held->path) == 0) {
		emit_text(e, held->text);
		if (emit_close(e))
			error = e->error;
	} else {
		error = e ? e->error : ENOMEM;
	}
	if (error) {
		state_fail("cannot write %s: %s", held->path, strerror(error));
		file_complain(state_error());
	}
	free(e);
}

void hold_abandon(void)
{
	pthread_mutex_init(&lock, NULL);
	kept = NULL;
}
