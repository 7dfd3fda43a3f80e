/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine code of functions that a profile has samples in, as text. The
 * disassembler is Zydis, loaded when it is there; x86-64 only. Code is read
 * from the file that the profile names, if that is still the same.
 */
#ifndef VIEW_ASSEMBLY_H
#define VIEW_ASSEMBLY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "view/view.h"

/* The block "assembly-N" of docs/formats/page.md. 0 or a code. */
int view_write_assembly(const struct view *v, size_t i, FILE *to);

/*
 * Text of the instruction at @code, of at most @n bytes, which is at @address:
 * its length, or 0 if it is none. NULL without a disassembler.
 */
typedef size_t (*assembly_fn)(uint64_t address, const unsigned char *code,
			      size_t n, char *text, size_t room);
assembly_fn assembly_load(void);

#endif /* VIEW_ASSEMBLY_H */
