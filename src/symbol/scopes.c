/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which functions are around an address. libdw's own search walks all of a
 * compilation unit for every address; a profile asks for thousands. So each
 * unit's functions are listed once, and only the one that is meant is walked.
 */

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "symbol/object.h"

#define DEEPEST_TYPES 32 /* folders of names within one another */

static int add_range(struct symbol_object *object, uint64_t low, uint64_t high,
		     uint64_t die)
{
	struct symbol_function function = { low, high, die };

	if (high <= low)
		return 0;
	if (array_add(object->functions, object->n_functions, function))
		return PAPI_ENOMEM;
	object->is_sorted = false;
	return 0;
}

/* A function may lie in several pieces. */
static int add_function(struct symbol_object *object, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	int err = 0;

	while (!err && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		err = add_range(object, low, high, dwarf_dieoffset(die));
	return err;
}

/* Whether functions may be defined within such an entry. */
static bool holds_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

static int list_functions(struct symbol_object *object, Dwarf_Die *parent,
			  unsigned depth)
{
	Dwarf_Die die;
	int err = 0;

	if (depth > DEEPEST_TYPES || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			err = add_function(object, &die);
		if (!err && holds_functions(tag))
			err = list_functions(object, &die, depth + 1);
	} while (!err && dwarf_siblingof(&die, &die) == 0);
	return err;
}

/* Inner ones behind those that they begin with, so that they are found. */
static int by_address(const void *a, const void *b)
{
	const struct symbol_function *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->high > y->high ? -1 : x->high < y->high;
}

static const struct symbol_function *function_at(struct symbol_object *object,
						 uint64_t address)
{
	size_t low = 0, high = object->n_functions;

	if (!object->is_sorted && high > 0)
		qsort(object->functions, high, sizeof(*object->functions),
		      by_address);
	object->is_sorted = true;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (object->functions[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || object->functions[low - 1].high <= address)
		return NULL;
	return &object->functions[low - 1];
}

static int need_unit(struct symbol_object *object, Dwarf_Die *unit)
{
	uint64_t offset = dwarf_dieoffset(unit);
	size_t seen;
	int err;

	if (pairs_find(&object->units, offset, 0, &seen))
		return 0;
	err = list_functions(object, unit, 0);
	return err ? err : pairs_set(&object->units, offset, 0, 1);
}

/* The child of *@die that covers @address becomes it; false: none does. */
static bool step_inside(Dwarf_Die *die, uint64_t address)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_inlined_subroutine ||
		     tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		     tag == DW_TAG_catch_block) &&
		    dwarf_haspc(&child, address) == 1) {
			*die = child;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

size_t object_scopes(struct symbol_object *object, Dwarf_Die *unit,
		     uint64_t address, Dwarf_Die *scopes, size_t capacity)
{
	const struct symbol_function *function;
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(object->module, &bias);
	Dwarf_Die die;
	size_t n = 0;

	if (need_unit(object, unit))
		return 0;
	function = function_at(object, address);
	if (!function || !dwarf_offdie(dwarf, function->die, &die))
		return 0;
	scopes[n++] = die;
	while (n < capacity && step_inside(&die, address))
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			scopes[n++] = die;
	return n;
}
