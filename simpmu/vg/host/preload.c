/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Valgrind's core preloads an object of this name into every dynamic guest.
 * Its own one costs the guest's linker 23 000 instructions of relocation and
 * offers nothing that this tool uses; an empty one costs next to nothing.
 */
int simpmu_preload_is_empty;
