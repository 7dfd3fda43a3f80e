/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening ELF files for attribution. */

#include "symbol/object.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

/* Of an object that is not linked yet; libdw calls it without looking. */
static int place_section(Dwfl_Module *module, void **user, const char *name,
			 Dwarf_Addr base, const char *section, GElf_Word index,
			 const GElf_Shdr *head, Dwarf_Addr *address)
{
	(void)module;
	(void)user;
	(void)name;
	(void)section;
	(void)index;
	*address = base + head->sh_addr;
	return DWARF_CB_OK;
}

static Dwfl_Callbacks callbacks;

static void fill_callbacks(void)
{
	callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = place_section,
	};
}

Dwfl *object_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (!libdw_load())
		return NULL;
	pthread_once(&once, fill_callbacks);
	return dwfl_begin(&callbacks);
}

const char *symbol_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *object_keep(struct symbol_object *object, char *text)
{
	if (!text || array_add(object->strings, object->n_strings, text)) {
		free(text);
		return "?";
	}
	return text;
}

/* The vdso is in every process of this kernel: this one's, as a file. */
static int copy_vdso(void)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const Elf64_Ehdr *head = (const void *)vdso;
	size_t bytes;
	int fd;

	if (!vdso || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
		return -1;
	bytes = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
	bytes = (bytes + page - 1) / page * page;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, vdso, bytes) != (ssize_t)bytes) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A device or a pipe would be waited for. */
static int check_path(const char *path, struct diag *diag)
{
	struct stat st;

	if (stat(path, &st))
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				 strerror(errno));
	if (!S_ISREG(st.st_mode))
		return diag_fail(diag, PAPI_EINVAL, "%s is not a file", path);
	return 0;
}

static int open_module(struct symbol_object *object, const char *path,
		       struct diag *diag)
{
	GElf_Addr bias;

	if (!libdw_load())
		return diag_fail(
			diag, PAPI_ESYS,
			"libdw is not installed, which knows functions "
			"and lines");
	object->dwfl = object_begin();
	if (!object->dwfl)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	dwfl_report_begin(object->dwfl);
	/* at 0, so that addresses are the file's */
	object->module =
		dwfl_report_elf(object->dwfl, object->path, path, -1, 0, true);
	dwfl_report_end(object->dwfl, NULL, NULL);
	if (object->module)
		object->elf = dwfl_module_getelf(object->module, &bias);
	if (!object->elf)
		return diag_fail(diag, PAPI_EINVAL,
				 "%s is not an ELF file that can be read: %s",
				 object->path, dwfl_errmsg(-1));
	return 0;
}

static bool has_section(Elf *elf, unsigned type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == type &&
		    head.sh_size > sizeof(Elf64_Sym))
			return true;
	return false;
}

/* Imports of a stripped program are symbols, but name nothing in it. */
static bool has_functions(struct symbol_object *object)
{
	int n = dwfl_module_getsymtab(object->module);

	for (int i = 1; i < n; i++) {
		GElf_Addr address;
		GElf_Sym symbol;

		if (dwfl_module_getsym_info(object->module, i, &symbol,
					    &address, NULL, NULL, NULL) &&
		    symbol.st_shndx != SHN_UNDEF &&
		    (GELF_ST_TYPE(symbol.st_info) == STT_FUNC ||
		     GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC))
			return true;
	}
	return false;
}

static enum symbol_source find_source(struct symbol_object *object)
{
	Dwarf_Addr bias;

	if (dwfl_module_getdwarf(object->module, &bias))
		return SYMBOL_DEBUG;
	if (!has_functions(object))
		return SYMBOL_NONE;
	/* a separate file of symbols counts as well */
	if (has_section(object->elf, SHT_SYMTAB) ||
	    !has_section(object->elf, SHT_DYNSYM))
		return SYMBOL_SYMTAB;
	return SYMBOL_DYNSYM;
}

static char *read_build_id(struct symbol_object *object)
{
	const unsigned char *bits;
	GElf_Addr address;
	int n = dwfl_module_build_id(object->module, &bits, &address);
	char *text = n > 0 ? malloc((size_t)n * 2 + 1) : NULL;

	for (int i = 0; text && i < n; i++)
		sprintf(text + 2 * i, "%02x", bits[i]);
	return text;
}

static int read_segments(struct symbol_object *object)
{
	size_t n = 0;

	elf_getphdrnum(object->elf, &n);
	for (size_t i = 0; i < n; i++) {
		struct symbol_segment segment;
		GElf_Phdr head;

		if (!gelf_getphdr(object->elf, (int)i, &head) ||
		    head.p_type != PT_LOAD)
			continue;
		if (array_grow(&object->segments, object->n_segments,
			       sizeof(segment)))
			return PAPI_ENOMEM;
		segment.offset = head.p_offset;
		segment.bytes = head.p_filesz;
		segment.address = head.p_vaddr;
		object->segments[object->n_segments++] = segment;
	}
	return 0;
}

int symbol_open(const char *path, struct symbol_object **out, struct diag *diag)
{
	struct symbol_object *object = calloc(1, sizeof(*object));
	char name[40];
	int err = 0;

	if (!object)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	object->fd = -1;
	object->path = strdup(path);
	if (strcmp(path, "[vdso]") == 0) {
		object->fd = copy_vdso();
		snprintf(name, sizeof(name), "/proc/self/fd/%d", object->fd);
		path = name;
	}
	err = object->path ? check_path(path, diag) : PAPI_ENOMEM;
	if (!err)
		err = open_module(object, path, diag);
	if (!err)
		err = read_segments(object);
	if (err) {
		symbol_close(object);
		return err;
	}
	object->source = find_source(object);
	object->build_id = read_build_id(object);
	object_read_starts(object);
	*out = object;
	return 0;
}

void symbol_close(struct symbol_object *object)
{
	if (!object)
		return;
	if (object->dwfl)
		dwfl_end(object->dwfl);
	if (object->fd >= 0)
		close(object->fd);
	for (size_t i = 0; i < object->n_strings; i++)
		free(object->strings[i]);
	free(object->strings);
	free(object->starts);
	free(object->functions);
	pairs_fini(&object->units);
	free(object->segments);
	free(object->build_id);
	free(object->path);
	free(object);
}

enum symbol_source symbol_source(const struct symbol_object *object)
{
	return object->source;
}

const char *symbol_build_id(const struct symbol_object *object)
{
	return object->build_id;
}

uint64_t symbol_address(const struct symbol_object *object, uint64_t offset)
{
	const struct symbol_segment *near = NULL;

	for (size_t i = 0; i < object->n_segments; i++) {
		const struct symbol_segment *s = &object->segments[i];

		if (offset >= s->offset && offset - s->offset < s->bytes)
			return s->address + (offset - s->offset);
		/* maps begin and end at pages, and so beyond the segment */
		if (offset / 4096 == s->offset / 4096)
			near = s;
	}
	return near ? near->address + (offset - near->offset) : offset;
}
