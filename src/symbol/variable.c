/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables by address, from an object's symbol table. */

#include "symbol/object.h"

const char *symbol_find_variable(const struct symbol_object *object,
				 uint64_t address, uint64_t *offset)
{
	int n = dwfl_module_getsymtab(object->module);

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr start;
		const char *name = dwfl_module_getsym_info(
			object->module, i, &symbol, &start, NULL, NULL, NULL);

		if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
		    address < start || address - start >= symbol.st_size)
			continue;
		*offset = address - start;
		return name;
	}
	return NULL;
}
