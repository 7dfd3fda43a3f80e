/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loader; see load.h. What can be placed freely goes to the low 2 GB. The
 * guest has a stack of its own, with copies of its arguments and environment:
 * where they lie depends on nothing else.
 */
#include "simpmu/fast/load.h"

#include <elf.h>

#include "simpmu/fast/call/memory.h"
#include "simpmu/fast/call/watch.h"
#include "simpmu/fast/keep/keep.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/sys.h"
#include "simpmu/pmu/host.h"

#define HEADERS        64
#define SCRIPT_DEPTH   4
#define NOT_FOUND      127
#define CANNOT_RUN     126

#define STACK_BYTES    0x21000u /* at first */
#define RANDOM_BYTES   16
#define PLATFORM_BYTES 16

#define SET_MEMORY     35 /* PR_SET_MM */
#define WHOLE_MAP      14 /* PR_SET_MM_MAP */

struct image {
	const char *path;
	int64_t fd;
	Elf64_Ehdr head;
	Elf64_Phdr ph[HEADERS];
	uint64_t bias;
	uint64_t headers;
	int stack_prot;
	char interpreter[256];
};

static void open_image(struct image *image, const char *path)
{
	int64_t n;

	image->path = path;
	image->interpreter[0] = '\0';
	image->fd = SYS(__NR_open, path, 0, 0);
	if (is_error(image->fd))
		host_give_up(image->fd == -2 ? NOT_FOUND : CANNOT_RUN,
			     "cannot open %s", path);
	n = SYS(__NR_read, image->fd, &image->head, sizeof(image->head));
	if (n < (int64_t)sizeof(image->head) ||
	    memcmp(image->head.e_ident, ELFMAG, SELFMAG) ||
	    image->head.e_machine != EM_X86_64 || image->head.e_phnum > HEADERS)
		host_give_up(CANNOT_RUN, "%s is not an x86-64 program", path);
	sys6(__NR_pread64, (uint64_t)image->fd, (uint64_t)image->ph,
	     image->head.e_phnum * sizeof(Elf64_Phdr), image->head.e_phoff, 0,
	     0);
}

/* What it takes up: from the lowest page on. */
static void measure(const struct image *image, uint64_t *low, uint64_t *high)
{
	*low = ~UINT64_C(0);
	*high = 0;
	for (unsigned i = 0; i < image->head.e_phnum; i++) {
		const Elf64_Phdr *p = &image->ph[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_vaddr < *low)
			*low = p->p_vaddr & ~(uint64_t)(PAGE - 1);
		if (p->p_vaddr + p->p_memsz > *high)
			*high = p->p_vaddr + p->p_memsz;
	}
}

/* Reserve where it goes: anywhere low, if it can, or where it has to be. */
static void place_image(struct image *image)
{
	uint64_t flags = MAP_IS_OWN | MAP_NO_FILE | MAP_NO_COMMIT, low, high;
	int64_t at;

	measure(image, &low, &high);
	image->bias = 0;
	if (image->head.e_type != ET_DYN) {
		at = sys6(__NR_mmap, low, high - low, 0, flags | MAP_IF_FREE,
			  (uint64_t)-1, 0);
		if (is_error(at))
			process_cannot_load("its addresses are not free in "
					    "the fast engine");
		return;
	}
	at = memory_map_low(high - low, 0, flags, (uint64_t)-1, 0);
	if (is_error(at))
		process_cannot_load("it is too large for the low 2 GB, where "
				    "the fast engine puts programs");
	image->bias = (uint64_t)at - low;
}

/* Over the reservation. */
static void map_at(const struct image *image, uint64_t at, uint64_t bytes,
		   int prot, bool from_file, uint64_t offset)
{
	uint64_t flags = MAP_IS_OWN | MAP_AT | (from_file ? 0 : MAP_NO_FILE);

	if (is_error(sys6(__NR_mmap, at, bytes, (uint64_t)prot, flags,
			  from_file ? (uint64_t)image->fd : (uint64_t)-1,
			  offset)))
		host_give_up(CANNOT_RUN, "cannot map %s", image->path);
}

static void map_segment(const struct image *image, const Elf64_Phdr *p)
{
	int prot = (p->p_flags & PF_R ? PROT_R : 0) |
		   (p->p_flags & PF_W ? PROT_W : 0) |
		   (p->p_flags & PF_X ? PROT_X : 0);
	uint64_t start = image->bias + p->p_vaddr;
	uint64_t from = start & ~(uint64_t)(PAGE - 1);
	uint64_t file_end = start + p->p_filesz, end = start + p->p_memsz;
	uint64_t zeroes = p->p_filesz ? page_up(file_end) : from;

	if (p->p_filesz)
		map_at(image, from, file_end - from, prot, true,
		       p->p_offset & ~(uint64_t)(PAGE - 1));
	if (end > zeroes)
		map_at(image, zeroes, end - zeroes, prot, false, 0);
	if (p->p_flags & PF_W && p->p_filesz && end > file_end)
		memset((void *)file_end, 0, zeroes - file_end);
	pages_mapped(from, end - from, prot, false);
	pages_added(prot);
	if (p->p_flags & PF_X && !(p->p_flags & PF_W))
		keep_mapped(from, file_end - from, image->fd,
			    p->p_offset & ~(uint64_t)(PAGE - 1));
}

static void map_image(struct image *image)
{
	image->headers = 0;
	image->stack_prot = PROT_R | PROT_W;
	for (unsigned i = 0; i < image->head.e_phnum; i++) {
		const Elf64_Phdr *p = &image->ph[i];

		if (p->p_type == PT_INTERP &&
		    p->p_filesz < sizeof(image->interpreter))
			sys6(__NR_pread64, (uint64_t)image->fd,
			     (uint64_t)image->interpreter, p->p_filesz,
			     p->p_offset, 0, 0);
		if (p->p_type == PT_GNU_STACK && p->p_flags & PF_X)
			image->stack_prot |= PROT_X;
		if (p->p_type == PT_PHDR)
			image->headers = image->bias + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		map_segment(image, p);
		if (!image->headers && p->p_offset == 0)
			image->headers =
				image->bias + p->p_vaddr + image->head.e_phoff;
	}
	SYS(__NR_close, image->fd, 0, 0);
}

/* ---- scripts ---- */

/* The first line of a script, with a 0 behind; NULL if it is none. */
static char *script_line(const char *path)
{
	char *line = sys_memory(PAGE);
	int64_t fd = SYS(__NR_open, path, 0, 0), n;

	if (is_error(fd))
		return NULL;
	n = SYS(__NR_read, fd, line, 255);
	SYS(__NR_close, fd, 0, 0);
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return NULL;
	for (int64_t i = 0; i < n; i++)
		if (line[i] == '\n')
			line[i] = '\0';
	return line + 2;
}

static char *skip_blanks(char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

/* "#!interpreter word": one word at most, as the kernel has it. */
static bool resolve_script(struct program *program)
{
	char *line = script_line(program->path), *word;
	const char **argv;
	unsigned n = 0;

	if (!line)
		return false;
	line = skip_blanks(line);
	for (word = line; *word && *word != ' ' && *word != '\t'; word++)
		;
	if (*word)
		*word++ = '\0';
	word = skip_blanks(word);
	argv = sys_memory((program->argc + 4) * sizeof(char *));
	argv[n++] = line;
	if (*word)
		argv[n++] = word;
	argv[n++] = program->path;
	for (unsigned i = 1; i < program->argc; i++)
		argv[n++] = program->argv[i];
	program->path = line;
	program->argv = argv;
	program->argc = n;
	return true;
}

void load_program(struct program *program)
{
	static struct image image, interpreter;

	for (int i = 0; i < SCRIPT_DEPTH && resolve_script(program); i++)
		;
	open_image(&image, program->path);
	place_image(&image);
	keep_init(image.bias + image.head.e_entry);
	map_image(&image);
	program->entry = program->start = image.bias + image.head.e_entry;
	program->headers = image.headers;
	program->n_headers = image.head.e_phnum;
	program->stack_prot = image.stack_prot;
	program->base = 0;
	if (!image.interpreter[0])
		return;
	open_image(&interpreter, image.interpreter);
	place_image(&interpreter);
	map_image(&interpreter);
	program->base = interpreter.bias;
	program->start = interpreter.bias + interpreter.head.e_entry;
}

/* ---- the stack ---- */

/* As the kernel made it. */
struct initial {
	char **environment;
	const Elf64_auxv_t *aux;
	unsigned n_env, n_aux;
};

static void find_initial(uint64_t *stack, struct initial *out)
{
	out->environment = (char **)(stack + 1 + stack[0] + 1);
	out->n_env = out->n_aux = 0;
	while (out->environment[out->n_env])
		out->n_env++;
	out->aux = (const Elf64_auxv_t *)(out->environment + out->n_env + 1);
	while (out->aux[out->n_aux++].a_type != AT_NULL)
		;
}

/* The auxiliary vector says what the kernel would have said of the guest, but
 * that there are rseq and a vDSO. */
static void fix_auxiliary(Elf64_auxv_t *a, const struct program *program)
{
	switch (a->a_type) {
	case AT_PHDR:
		a->a_un.a_val = program->headers;
		break;
	case AT_PHNUM:
		a->a_un.a_val = program->n_headers;
		break;
	case AT_BASE:
		a->a_un.a_val = program->base;
		break;
	case AT_ENTRY:
		a->a_un.a_val = program->entry;
		break;
	case AT_SYSINFO_EHDR: /* clocks are to be seen: as system calls */
	case 27:              /* AT_RSEQ_FEATURE_SIZE */
	case 28:              /* AT_RSEQ_ALIGN */
		a->a_type = AT_IGNORE;
		a->a_un.a_val = 0;
		break;
	default:
		break;
	}
}

static size_t bytes_of(char *const *texts, unsigned n)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += text_length(texts[i]) + 1;
	return bytes;
}

static uint64_t put_text(char **to, const char *text)
{
	size_t n = text_length(text) + 1;
	uint64_t at = (uint64_t)*to;

	memcpy(*to, text, n);
	*to += n;
	return at;
}

static uint64_t *put_texts(uint64_t *to, char **text, char *const *texts,
			   unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		*to++ = put_text(text, texts[i]);
	*to++ = 0;
	return to;
}

/* What the vector points to goes to @at: random bytes, then the platform. */
static void put_auxiliary(uint64_t *to, const struct initial *initial,
			  const struct program *program, char *at,
			  uint64_t name)
{
	for (unsigned i = 0; i < initial->n_aux; i++, to += 2) {
		Elf64_auxv_t a = initial->aux[i];
		char *platform = at + RANDOM_BYTES;

		if (a.a_type == AT_RANDOM) {
			watch_start(at);
			a.a_un.a_val = (uint64_t)at;
		} else if (a.a_type == AT_PLATFORM) {
			a.a_un.a_val =
				put_text(&platform, (const char *)a.a_un.a_val);
		} else if (a.a_type == AT_EXECFN) {
			a.a_un.a_val = name;
		}
		fix_auxiliary(&a, program);
		to[0] = a.a_type;
		to[1] = a.a_un.a_val;
	}
}

/* struct prctl_mm_map */
struct kernel_map {
	uint64_t code, code_end, data, data_end, brk_start, brk, stack;
	uint64_t arguments, arguments_end, environment, environment_end;
	uint64_t aux;
	uint32_t aux_bytes;
	int32_t exe;
};

extern const char __executable_start[], etext[], edata[];

/*
 * Where the kernel finds what /proc/self/cmdline, environ and auxv show, to the
 * guest and to ps: in the guest's stack, where a program may write another
 * title. All else stays as it is. Kernels without checkpoints refuse it.
 */
static void tell_kernel(struct kernel_map *map, const uint64_t *stack)
{
	map->code = (uint64_t)__executable_start;
	map->code_end = (uint64_t)etext;
	map->data = (uint64_t)etext;
	map->data_end = (uint64_t)edata;
	map->brk_start = map->brk = (uint64_t)SYS(__NR_brk, 0, 0, 0);
	map->stack = (uint64_t)stack;
	map->exe = -1;
	sys6(__NR_prctl, SET_MEMORY, WHOLE_MAP, (uint64_t)map, sizeof(*map), 0,
	     0);
}

/* From the end, as the kernel has it: the program's name, environment and
 * arguments as texts; the platform and random bytes; the vectors. */
uint64_t load_stack(uint64_t *stack, const struct program *program)
{
	char *const *argv = (char *const *)program->argv;
	uint64_t end, *to, *top, bytes, words;
	struct kernel_map map;
	struct initial in;
	char *text, *low;

	find_initial(stack, &in);
	bytes = bytes_of(argv, program->argc) +
		bytes_of(in.environment, in.n_env) +
		text_length(program->path) + 1 + sizeof(uint64_t);
	words = program->argc + 2 + in.n_env + 1 + 2 * in.n_aux;
	end = memory_map_stack(page_up(bytes + 8 * words) + STACK_BYTES,
			       program->stack_prot);
	if (!end) /* below the one that the kernel gave */
		end = (uint64_t)stack & ~(uint64_t)(PAGE - 1);
	text = (char *)(end - bytes);
	low = (char *)((uint64_t)text & ~UINT64_C(15)) - PLATFORM_BYTES -
	      RANDOM_BYTES;
	top = to = (uint64_t *)(((uint64_t)low - 8 * words) & ~UINT64_C(15));
	*to++ = program->argc;
	map.arguments = (uint64_t)text;
	to = put_texts(to, &text, argv, program->argc);
	map.arguments_end = map.environment = (uint64_t)text;
	to = put_texts(to, &text, in.environment, in.n_env);
	map.environment_end = (uint64_t)text;
	map.aux = (uint64_t)to;
	map.aux_bytes = in.n_aux * (uint32_t)sizeof(Elf64_auxv_t);
	put_auxiliary(to, &in, program, low, put_text(&text, program->path));
	tell_kernel(&map, stack);
	return (uint64_t)top;
}
