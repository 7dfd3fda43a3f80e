/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiplexing in software: a slice's events are split into parts that can be
 * counted together, and the parts take turns at a timer's ticks.
 */
#pragma once

#include "core/component.h"

struct rotor;

/*
 * Split the events of @s, which stays closed, and open each part. The
 * sentence of a failure is in s->diag.
 */
int rotor_open(struct slice *s, struct rotor **out);
void rotor_close(struct rotor *rotor); /* NULL is allowed */

/* How many events it counts. */
size_t rotor_size(const struct rotor *rotor);

/* As slice_start() and so on; counts in the order of the slice's events. */
int rotor_start(struct rotor *rotor, struct count *counts);
int rotor_read(struct rotor *rotor, struct count *counts);
int rotor_stop(struct rotor *rotor, struct count *counts);
