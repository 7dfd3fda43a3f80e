/* SPDX-License-Identifier: BSD-3-Clause */
/* What lies at an address: from the best that the object has. */

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "symbol/object.h"

/* Names that were made up or changed are kept once for each function. */
static const char *keep_once(struct symbol_object *object, char *name)
{
	for (size_t i = 0; name && i < object->n_strings; i++)
		if (strcmp(object->strings[i], name) == 0) {
			free(name);
			return object->strings[i];
		}
	return object_keep(object, name);
}

static const char *readable(struct symbol_object *object, const char *name)
{
	char *plain = symbol_demangle(name);

	return plain ? keep_once(object, plain) : name;
}

/* A relative name is meant from the folder that the compiler ran in. */
static const char *whole_path(struct symbol_object *object, const char *file,
			      const char *folder)
{
	if (!file || file[0] == '/' || !folder || folder[0] != '/')
		return file;
	return keep_once(object, str_format("%s/%s", folder, file));
}

static const char *folder_of(Dwarf_Die *unit)
{
	Dwarf_Attribute value;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &value));
}

/* The linker's name of @die tells of namespaces; its own does not. */
static const char *name_of(struct symbol_object *object, Dwarf_Die *die)
{
	static const unsigned linkage[] = { DW_AT_linkage_name,
					    DW_AT_MIPS_linkage_name };
	const char *name = NULL;
	Dwarf_Attribute value;

	for (size_t i = 0; !name && i < 2; i++)
		name = dwarf_formstring(
			dwarf_attr_integrate(die, linkage[i], &value));
	if (name && *name)
		return readable(object, name);
	name = dwarf_diename(die);
	return name && *name ? name : NULL;
}

static void set_definition(struct symbol_object *object,
			   struct symbol_frame *frame, Dwarf_Die *die,
			   Dwarf_Die *unit)
{
	int line = 0;

	frame->defined_in =
		whole_path(object, dwarf_decl_file(die), folder_of(unit));
	if (dwarf_decl_line(die, &line) == 0)
		frame->defined_at = line;
}

/* Where an inlined function was called from: the line of the outer one. */
static void set_call(struct symbol_object *object, struct symbol_frame *outer,
		     Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Attribute value;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t n;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &value),
			    &number) == 0 &&
	    dwarf_getsrcfiles(unit, &files, &n) == 0 && number < n)
		outer->file = whole_path(
			object, dwarf_filesrc(files, number, NULL, NULL),
			folder_of(unit));
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &value),
			    &number) == 0)
		outer->line = (long)number;
}

/* The unit that covers @address, also where no table of ranges was made. */
static Dwarf_Die *find_unit(struct symbol_object *object, uint64_t address,
			    Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(object->module, address, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(object->module, unit, bias)))
		if (dwarf_haspc(unit, address - *bias) == 1)
			return unit;
	return NULL;
}

/* Of a function in several pieces the first counts: the others are cold. */
static void set_range(struct symbol_frame *frame, Dwarf_Die *die,
		      Dwarf_Addr bias)
{
	Dwarf_Addr base, low, high;

	if (dwarf_ranges(die, 0, &base, &low, &high) <= 0)
		return;
	frame->address = low + bias;
	frame->bytes = high - low;
}

/* One frame for each function around @address; 0 if there is none. */
static size_t find_inlined(struct symbol_object *object, uint64_t address,
			   struct symbol_place *out)
{
	Dwarf_Die scopes[SYMBOL_FRAMES];
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = find_unit(object, address, &bias);
	size_t n = unit ? object_scopes(object, unit, address - bias, scopes,
					SYMBOL_FRAMES)
			: 0;

	out->n = n;
	for (size_t i = 0; i < n; i++) {
		/* scopes go inward, frames outward */
		struct symbol_frame *frame = &out->frames[n - 1 - i];

		frame->function = name_of(object, &scopes[i]);
		frame->inlined = i > 0;
		set_definition(object, frame, &scopes[i], unit);
		if (i == 0)
			set_range(frame, &scopes[i], bias);
		else
			set_call(object, &out->frames[n - i], &scopes[i], unit);
	}
	return n;
}

static void set_line(struct symbol_object *object, uint64_t address,
		     struct symbol_frame *frame)
{
	Dwfl_Line *line = dwfl_module_getsrc(object->module, address);
	int number = 0;

	if (!line)
		return;
	frame->file = whole_path(
		object, dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL),
		dwfl_line_comp_dir(line));
	frame->line = number > 0 ? number : 0;
}

static bool is_in_stubs(struct symbol_object *object, uint64_t address)
{
	Dwarf_Addr at = address, bias;
	Elf_Scn *section =
		dwfl_module_address_section(object->module, &at, &bias);
	GElf_Shdr head;
	const char *name;
	size_t names;

	if (!section || !gelf_getshdr(section, &head) ||
	    elf_getshdrstrndx(object->elf, &names))
		return false;
	name = elf_strptr(object->elf, names, head.sh_name);
	return name && strncmp(name, ".plt", 4) == 0;
}

/* "[libfoo.so+0x1130]", where the function begins if that is known. */
static void make_up(struct symbol_object *object, uint64_t address,
		    struct symbol_frame *frame)
{
	const char *base = symbol_base_name(object->path);
	uint64_t start = address, next = 0;

	if (is_in_stubs(object, address)) {
		frame->function = keep_once(
			object, str_format("[%s: linkage stubs]", base));
		return;
	}
	if (object_find_start(object, address, &start, &next) && next > start)
		frame->bytes = next - start;
	frame->address = start;
	frame->function = keep_once(
		object, str_format("[%s+0x%" PRIx64 "]", base, start));
}

/* Name and place of the function that the code at @address belongs to. */
static void set_symbol(struct symbol_object *object, uint64_t address,
		       struct symbol_frame *frame)
{
	GElf_Off offset = 0;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(
		object->module, address, &offset, &symbol, NULL, NULL, NULL);
	uint64_t start, next;

	/* one without a size, far before: the unwind tables know better */
	if (name && symbol.st_size == 0 &&
	    object_find_start(object, address, &start, &next) &&
	    start > address - offset)
		name = NULL;
	if (!name || !*name) {
		make_up(object, address, frame);
		return;
	}
	frame->function = readable(object, name);
	frame->address = address - offset;
	frame->bytes = symbol.st_size;
}

void symbol_find(struct symbol_object *object, uint64_t address,
		 struct symbol_place *out)
{
	struct symbol_frame *last;

	memset(out, 0, sizeof(*out));
	if (object->source != SYMBOL_DEBUG ||
	    find_inlined(object, address, out) == 0) {
		memset(out, 0, sizeof(*out));
		out->n = 1;
	}
	last = &out->frames[out->n - 1];
	if (!last->function)
		set_symbol(object, address, last);
	for (size_t i = 0; i < out->n; i++)
		if (!out->frames[i].function)
			out->frames[i].function = "[inlined]";
	set_line(object, address, &out->frames[0]);
}
