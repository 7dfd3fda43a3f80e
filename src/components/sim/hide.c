/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeping this library out of what the simulator counts.
 *
 * The simulator is told where the library's code lies. And since a program
 * calls a library's function through a table that ld.so fills in at the first
 * call, the first PAPI_stop() would run ld.so inside the counted region: so
 * those entries of the table are filled in now.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "components/components.h"
#include "components/sim/request.h"
#include "components/sim/sim.h"

/* Where a static library's code lies: the linker defines these if the code
 * was put into a section of that name. */
extern const char __start_assay_text[] __attribute__((weak));
extern const char __stop_assay_text[] __attribute__((weak));

struct range {
	uintptr_t start, end;
};

static bool is_in(const struct range *r, uintptr_t address)
{
	return address >= r->start && address < r->end;
}

/* The executable segment of an object that holds @address. */
struct search {
	uintptr_t address;
	struct range found;
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		struct range r = { info->dlpi_addr + p->p_vaddr,
				   info->dlpi_addr + p->p_vaddr + p->p_memsz };

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    is_in(&r, search->address)) {
			search->found = r;
			return 1;
		}
	}
	return 0;
}

static struct range segment_of(uintptr_t address)
{
	struct search search = { .address = address };

	dl_iterate_phdr(find_segment, &search);
	return search.found;
}

static struct range own_range(void)
{
	if (__start_assay_text)
		return (struct range){ (uintptr_t)__start_assay_text,
				       (uintptr_t)__stop_assay_text };
	return segment_of((uintptr_t)sim_hide_library);
}

/* Linked into the program, without a section of its own, a library cannot be
 * told from the program. */
static bool is_program(const struct range *r)
{
	return is_in(r, getauxval(AT_ENTRY));
}

static void exclude(const struct range *r)
{
	if (r->end > r->start && !is_program(r))
		sim_request(WIRE_EXCLUDE, r->start, r->end);
}

#if defined(__x86_64__)

/* Tables of references. */

/* What an object's dynamic section says of its references by name. */
struct table {
	const ElfW(Rela) * entries;
	size_t n;
	const ElfW(Sym) * symbols;
	const char *names;
};

/* ld.so has relocated these pointers on most machines, but not the vDSO's. */
static uintptr_t relocated(uintptr_t base, uintptr_t pointer)
{
	return pointer < base ? base + pointer : pointer;
}

static struct table read_table(uintptr_t base, const ElfW(Dyn) * dyn)
{
	struct table t = { 0 };

	for (; dyn->d_tag != DT_NULL; dyn++) {
		uintptr_t pointer = relocated(base, dyn->d_un.d_ptr);

		switch (dyn->d_tag) {
		case DT_JMPREL:
			t.entries = (const ElfW(Rela) *)pointer;
			break;
		case DT_PLTRELSZ:
			t.n = dyn->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_SYMTAB:
			t.symbols = (const ElfW(Sym) *)pointer;
			break;
		case DT_STRTAB:
			t.names = (const char *)pointer;
			break;
		default:
			break;
		}
	}
	if (!t.entries || !t.symbols || !t.names)
		t.n = 0;
	return t;
}

static bool is_ours(const char *name)
{
	static const char *const prefixes[] = { "PAPI", "papif", "assay_",
						"hpm", "f_hpm" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* An entry that was not resolved yet points back into its own object. */
static void bind_object(uintptr_t base, const struct table *t,
			const struct range *text)
{
	for (size_t i = 0; i < t->n; i++) {
		const ElfW(Rela) *entry = &t->entries[i];
		const ElfW(Sym) *symbol =
			&t->symbols[ELF64_R_SYM(entry->r_info)];
		const char *name = t->names + symbol->st_name;
		uintptr_t *place = (uintptr_t *)(base + entry->r_offset);
		void *target;

		if (ELF64_R_TYPE(entry->r_info) != R_X86_64_JUMP_SLOT ||
		    !is_ours(name) || !is_in(text, *place))
			continue;
		target = dlsym(RTLD_DEFAULT, name);
		if (target)
			*place = (uintptr_t)target;
	}
}

static int bind_if_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const ElfW(Dyn) *dyn = NULL;
	struct range text = { 0 };
	struct table table;

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_DYNAMIC)
			dyn = (const ElfW(Dyn) *)(info->dlpi_addr + p->p_vaddr);
		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			text.start = info->dlpi_addr + p->p_vaddr;
			text.end = text.start + p->p_memsz;
		}
	}
	if (dyn) {
		table = read_table(info->dlpi_addr, dyn);
		bind_object(info->dlpi_addr, &table, &text);
	}
	return 0;
}

static void bind_references(void)
{
	dl_iterate_phdr(bind_if_object, NULL);
}

#else

static void bind_references(void)
{
}

#endif

static bool is_simulated(void)
{
	struct wire_hello hello = { .version = WIRE_VERSION };

	return sim_request(WIRE_HELLO, (uintptr_t)&hello, 0) == (int)WIRE_MAGIC;
}

void sim_exclude_code(const void *address)
{
	struct range r = segment_of((uintptr_t)address);

	if (!is_simulated())
		return;
	exclude(&r);
	bind_references();
}

void sim_hide_library(void)
{
	struct range own = own_range();

	exclude(&own);
	bind_references();
}
