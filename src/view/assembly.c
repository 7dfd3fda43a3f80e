/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine code of functions with samples, by zydis.c; shown only if the file is
 * the same.
 */
#include "view/view.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "write/json.h"

enum {
	MOST_BYTES = 16384,   /* of a function */
	MOST_IN_ALL = 131072, /* of a profile: what a page may hold */
	HOT = 500             /* 1 in so many samples */
};

/* An object's file, while its functions are written. */
struct code_file {
	char *text;
	size_t n;
};

static bool is_elf64(const struct code_file *f)
{
	const Elf64_Ehdr *head = (const void *)f->text;

	return f->n >= sizeof(*head) &&
	       memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
	       head->e_ident[EI_CLASS] == ELFCLASS64 &&
	       head->e_machine == EM_X86_64 &&
	       head->e_phentsize == sizeof(Elf64_Phdr) &&
	       head->e_phoff % sizeof(uint64_t) == 0 && head->e_phoff <= f->n &&
	       head->e_phnum <= (f->n - head->e_phoff) / sizeof(Elf64_Phdr);
}

/* Whether the note at @note, with @n bytes behind it, is the build's id. */
static bool has_id(const char *note, size_t n, const char *id)
{
	Elf64_Nhdr head;
	char text[3];

	if (n < sizeof(head))
		return false;
	memcpy(&head, note, sizeof(head));
	if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 ||
	    head.n_descsz > n - sizeof(head) - 4 ||
	    strlen(id) != 2 * (size_t)head.n_descsz)
		return false;
	for (size_t i = 0; i < head.n_descsz; i++) {
		snprintf(text, sizeof(text), "%02x",
			 (unsigned char)note[sizeof(head) + 4 + i]);
		if (strncmp(text, id + 2 * i, 2) != 0)
			return false;
	}
	return true;
}

/* The notes of a segment, each as long as its parts, rounded up to 4. */
static bool notes_have_id(const char *notes, size_t n, const char *id)
{
	Elf64_Nhdr head;

	while (n >= sizeof(head)) {
		size_t length;

		if (has_id(notes, n, id))
			return true;
		memcpy(&head, notes, sizeof(head));
		length = sizeof(head) + (((size_t)head.n_namesz + 3) & ~3ul) +
			 (((size_t)head.n_descsz + 3) & ~3ul);
		if (length > n)
			return false;
		notes += length;
		n -= length;
	}
	return false;
}

static const Elf64_Phdr *segments(const struct code_file *f, size_t *n)
{
	const Elf64_Ehdr *head = (const void *)f->text;

	*n = head->e_phnum;
	return (const void *)(f->text + head->e_phoff);
}

static bool within(const struct code_file *f, const Elf64_Phdr *s)
{
	return s->p_offset <= f->n && s->p_filesz <= f->n - s->p_offset;
}

/* A file without an id cannot be told from another: it is not used. */
static bool is_same(const struct code_file *f, const char *id)
{
	size_t n;
	const Elf64_Phdr *s = segments(f, &n);

	for (size_t i = 0; id && i < n; i++)
		if (s[i].p_type == PT_NOTE && within(f, &s[i]) &&
		    notes_have_id(f->text + s[i].p_offset, s[i].p_filesz, id))
			return true;
	return false;
}

/* The bytes at @address, of which there are *@most at least in the file. */
static const unsigned char *code_at(const struct code_file *f, uint64_t address,
				    size_t *most)
{
	size_t n;
	const Elf64_Phdr *s = segments(f, &n);

	for (size_t i = 0; i < n; i++) {
		if (s[i].p_type != PT_LOAD || !(s[i].p_flags & PF_X) ||
		    !within(f, &s[i]) || address < s[i].p_vaddr ||
		    address - s[i].p_vaddr >= s[i].p_filesz)
			continue;
		*most = s[i].p_filesz - (address - s[i].p_vaddr);
		return (const unsigned char *)f->text + s[i].p_offset +
		       (address - s[i].p_vaddr);
	}
	return NULL;
}

static void put_code(assembly_fn disassemble, const unsigned char *code,
		     size_t n, uint64_t address, struct json *j)
{
	char text[128];

	json_array(j, "code");
	while (n > 0) {
		size_t length =
			disassemble(address, code, n, text, sizeof(text));

		if (length == 0) {
			snprintf(text, sizeof(text), ".byte 0x%02x", *code);
			length = 1;
		}
		json_list(j, NULL);
		json_unsigned(j, NULL, address);
		json_string(j, NULL, text);
		json_end_array(j);
		code += length;
		address += length;
		n -= length;
	}
	json_end_array(j);
}

/* How many bytes of function @f were written. */
static size_t put_function(const struct profile *p, size_t f,
			   const struct code_file *file,
			   assembly_fn disassemble, struct json *j)
{
	const struct profile_function *fn = &p->functions[f];
	size_t n = fn->bytes < MOST_BYTES ? fn->bytes : MOST_BYTES;
	size_t most = 0;
	const unsigned char *code = code_at(file, fn->address, &most);

	if (!code)
		return 0;
	if (n > most)
		n = most;
	json_object(j, NULL);
	json_unsigned(j, "function", f);
	json_bool(j, "cut", n < fn->bytes);
	put_code(disassemble, code, n, fn->address, j);
	json_end_object(j);
	return n;
}

/* Samples of all events at each location; to be freed. */
static uint64_t *weigh(const struct profile *p)
{
	uint64_t *weight = calloc(p->n_locations + 1, sizeof(*weight));

	for (size_t i = 0; weight && i < p->n_samples; i++)
		for (size_t e = 0; e < p->n_events; e++)
			weight[p->stacks[p->samples[i].stack].location] +=
				p->samples[i].counts[e];
	return weight;
}

/* Whether it is among those that are worth looking at. */
static bool is_hot(const struct profile *p, const uint64_t *weight,
		   const struct profile_function *fn)
{
	uint64_t all = 0, own = 0;

	for (size_t e = 0; e < p->n_events; e++)
		all += p->events[e].samples;
	for (size_t i = 0; i < p->n_locations; i++) {
		const struct profile_location *l = &p->locations[i];

		if (l->object == fn->object && l->address >= fn->address &&
		    l->address - fn->address < fn->bytes)
			own += weight[i];
	}
	return own * HOT > all;
}

static void put_object(const struct profile *p, const uint64_t *weight,
		       size_t object, size_t *capacity, struct json *j)
{
	struct code_file file = { 0 };

	if (p->objects[object].kind != PROFILE_FILE ||
	    file_read(p->objects[object].path, &file.text, &file.n, NULL))
		return;
	if (is_elf64(&file) && is_same(&file, p->objects[object].build_id))
		for (size_t f = 0; f < p->n_functions; f++) {
			const struct profile_function *fn = &p->functions[f];

			if (fn->object == object && !fn->inlined && fn->bytes &&
			    fn->bytes <= *capacity && is_hot(p, weight, fn))
				*capacity -= put_function(p, f, &file,
							  assembly_load(), j);
		}
	free(file.text);
}

int view_write_assembly(const struct view *v, size_t i, FILE *to)
{
	const struct profile *p = &v->profiles[i].profile;
	bool there = assembly_load() != NULL;
	OWNED uint64_t *weight = weigh(p);
	size_t capacity = MOST_IN_ALL;
	struct json j;

	if (!weight)
		return PAPI_ENOMEM;

	json_init(&j, to);
	json_object(&j, NULL);
	json_string(&j, "reason",
		    there ? NULL : "the disassembler Zydis is not installed");
	json_array(&j, "functions");
	for (size_t k = 0; there && k < p->n_objects; k++)
		put_object(p, weight, k, &capacity, &j);
	json_end_array(&j);
	json_end_object(&j);
	return json_finish(&j);
}
