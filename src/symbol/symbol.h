/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From addresses to functions and source lines, by elfutils' libdw. An object
 * is an ELF file or the kernel's vdso; addresses are the object's own, as its
 * file has them. There is always an answer: without debug information the
 * symbol table's, without symbols where the function begins, by the tables
 * that exceptions are unwound with.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct symbol_object;

/* What its functions are known from. */
enum symbol_source {
	SYMBOL_DEBUG,
	SYMBOL_SYMTAB,
	SYMBOL_DYNSYM,
	SYMBOL_NONE,
};

/* A function at an address, and the line there. */
struct symbol_frame {
	const char *function;   /* never NULL or empty */
	bool inlined;           /* into the next frame */
	uint64_t address;       /* where it begins, unless inlined */
	uint64_t bytes;         /* 0: not known */
	const char *defined_in; /* file, or NULL */
	long defined_at;        /* line; 0: not known */
	const char *file;       /* of this address, or NULL */
	long line;              /* 0: not known */
};

#define SYMBOL_FRAMES 64

/* Innermost inlined function first; strings live as long as the object. */
struct symbol_place {
	struct symbol_frame frames[SYMBOL_FRAMES];
	size_t n; /* at least 1 */
};

/*
 * Open the ELF file @path, or "[vdso]". PAPI_ESYS if it cannot be read,
 * PAPI_EINVAL if it is not ELF, with the sentence in @diag.
 */
int symbol_open(const char *path, struct symbol_object **out,
		struct diag *diag);
void symbol_close(struct symbol_object *object); /* NULL is allowed */

enum symbol_source symbol_source(const struct symbol_object *object);

/* In hexadecimal; NULL: it has none. */
const char *symbol_build_id(const struct symbol_object *object);

/*
 * The object's own address of what lies @offset bytes from the start of its
 * file, by its program headers; @offset itself if none has it.
 */
uint64_t symbol_address(const struct symbol_object *object, uint64_t offset);

void symbol_find(struct symbol_object *object, uint64_t address,
		 struct symbol_place *out);

/* The variable that @address lies in, with *@offset from its beginning; NULL if
 * the symbol table has none there. The name lives as long as the object. */
const char *symbol_find_variable(const struct symbol_object *object,
				 uint64_t address, uint64_t *offset);

/* The file's name without its folders. */
const char *symbol_base_name(const char *path);
