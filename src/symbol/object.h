/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of an object, for the files of this folder. */
#pragma once

#include "base/pairs.h"
#include "symbol/libdw.h"
#include "symbol/symbol.h"

struct symbol_segment {
	uint64_t offset, bytes; /* in the file */
	uint64_t address;
};

/* A piece of a function, in the addresses of its debug information. */
struct symbol_function {
	uint64_t low, high;
	uint64_t die; /* where it is described */
};

struct symbol_object {
	char *path;
	int fd; /* of the vdso's copy, or -1 */
	Dwfl *dwfl;
	Dwfl_Module *module; /* at its own addresses */
	Elf *elf;
	enum symbol_source source;
	char *build_id;
	struct symbol_segment *segments; /* those that are loaded */
	size_t n_segments;
	uint64_t *starts; /* of functions, ascending, from unwind tables */
	size_t n_starts;
	struct symbol_function *functions; /* of the units asked for so far */
	size_t n_functions;
	bool is_sorted;
	struct pairs units; /* by offset, those that were asked for */
	char **strings;     /* that frames point to */
	size_t n_strings;
};

/* A new session of libdw, for all of this folder; NULL: no libdw, or memory. */
Dwfl *object_begin(void);

/* Keep @text, which is freed with the object; "?" if there is no memory. */
const char *object_keep(struct symbol_object *object, char *text);

/* A name as its source has it: to be freed, or NULL if it is no C++ one. */
char *symbol_demangle(const char *name);

/* Fill in starts; without such tables there are none. */
void object_read_starts(struct symbol_object *object);

/* Where the function at @address begins, and the next; false: not known. */
bool object_find_start(const struct symbol_object *object, uint64_t address,
		       uint64_t *start, uint64_t *next);

/*
 * The function of @unit at @address (of the debug information), then those
 * inlined there, each in the one before, into @scopes; how many. In scopes.c.
 */
size_t object_scopes(struct symbol_object *object, Dwarf_Die *unit,
		     uint64_t address, Dwarf_Die *scopes, size_t capacity);
