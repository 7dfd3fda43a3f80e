/* SPDX-License-Identifier: BSD-3-Clause */
/* Translations that outlive the process: what they are valid for, and when
 * they are used and written; see keep.h. */
#include "simpmu/fast/keep/keep.h"

#include <elf.h>

#include "simpmu/fast/block.h"
#include "simpmu/fast/count.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/exclude.h"
#include "simpmu/fast/keep/image.h"
#include "simpmu/fast/keep/place.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/model/script.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

#define MAGIC      0x3174736166796173u /* "sayfast1" */
#define MODULES    40
#define LEAST_NEW  (128u << 10) /* bytes of code that are worth a file */
#define SHARE_NEW  16           /* and at least this part of what there was */
#define ID_WORDS   8
#define NOTE_OWNER 4 /* bytes of "GNU" */

/* Code of a file, where it is mapped. */
struct module {
	uint64_t start, end, offset;
	struct place_file file;
	uint64_t build_id; /* a sum of it; 0: none was found */
};

/* The first page of a file. */
struct header {
	uint64_t magic, engine, bytes, sum, entry;
	uint64_t n;
	struct module modules[MODULES];
};

_Static_assert(sizeof(struct header) <= PAGE, "the header is one page");
_Static_assert(sizeof(struct module) % 8 == 0, "sums are over words");

extern const char __executable_start[];

static struct {
	bool is_off;
	const char *directory; /* as told; NULL: as the environment says */
	uint64_t entry;        /* where the program begins; 0: nothing is kept,
				* or it has begun */
	uint64_t key;          /* of the file; 0: there is none for this run */
	uint64_t loaded;       /* bytes of code that are the file's */
	uint64_t before;       /* there were before the program began */
	struct header head;
} state;

bool keep_option(const char *arg)
{
	const char *value = arg + text_length("--translations=");

	if (!text_begins(arg, "--translations="))
		return false;
	state.is_off = text_equal(value, "no");
	state.directory = value[0] == '/' ? value : NULL;
	return state.is_off || state.directory || text_equal(value, "yes");
}

static bool is_forbidden(char **environment)
{
	for (; *environment; environment++)
		if (text_equal(*environment, "ASSAY_TRANSLATIONS=no"))
			return true;
	return false;
}

void keep_init(uint64_t entry)
{
	if (!state.is_off && !is_forbidden(process.environment) &&
	    place_choose(state.directory, process.environment))
		state.entry = entry;
}

/* ---- modules ---- */

/* A sum of the note of type @want in @n bytes of notes; 0: it is not there. */
static uint64_t find_note(const uint8_t *notes, uint64_t n)
{
	uint64_t at = 0, id[ID_WORDS];
	Elf64_Nhdr note;

	while (at + sizeof(note) + NOTE_OWNER <= n) {
		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		if (note.n_type == NT_GNU_BUILD_ID &&
		    note.n_namesz == NOTE_OWNER &&
		    note.n_descsz <= sizeof(id) &&
		    at + NOTE_OWNER + note.n_descsz <= n) {
			memset(id, 0, sizeof(id));
			memcpy(id, notes + at + NOTE_OWNER, note.n_descsz);
			return image_mix(note.n_descsz, id, sizeof(id));
		}
		if (note.n_namesz > n || note.n_descsz > n)
			return 0;
		at += (note.n_namesz + 3u) & ~3u;
		at += (note.n_descsz + 3u) & ~3u;
	}
	return 0;
}

/* From the first page of the file, where linkers put it. */
static uint64_t build_id(int64_t fd)
{
	_Alignas(8) uint8_t page[PAGE];
	int64_t n =
		sys6(__NR_pread64, (uint64_t)fd, (uint64_t)page, PAGE, 0, 0, 0);
	uint64_t id = 0;
	Elf64_Ehdr head;
	Elf64_Phdr p;

	if (n < (int64_t)sizeof(head))
		return 0;
	memcpy(&head, page, sizeof(head));
	for (uint64_t i = 0; i < head.e_phnum && !id; i++) {
		uint64_t at = head.e_phoff + i * sizeof(p);

		if (at > (uint64_t)n - sizeof(p))
			return 0;
		memcpy(&p, page + at, sizeof(p));
		if (p.p_type == PT_NOTE && p.p_offset < (uint64_t)n &&
		    p.p_filesz <= (uint64_t)n - p.p_offset)
			id = find_note(page + p.p_offset, p.p_filesz);
	}
	return id;
}

void keep_mapped(uint64_t start, uint64_t bytes, int64_t fd, uint64_t offset)
{
	struct module *m = &state.head.modules[state.head.n];

	/* what is mapped later is not kept, nor what is one too many */
	if (!state.entry || state.head.n == MODULES)
		return;
	memset(m, 0, sizeof(*m));
	if (!place_stat(fd, &m->file))
		return;
	m->start = start;
	m->end = start + page_up(bytes);
	m->offset = offset;
	m->build_id = build_id(fd);
	state.head.n++;
}

void keep_changed(uint64_t start, uint64_t end)
{
	for (uint64_t i = 0; i < state.head.n; i++)
		if (start < state.head.modules[i].end &&
		    end > state.head.modules[i].start)
			state.head.modules[i].start =
				state.head.modules[i].end = 0;
}

static bool is_kept(uint64_t page)
{
	for (uint64_t i = 0; i < state.head.n; i++)
		if (page * PAGE >= state.head.modules[i].start &&
		    page * PAGE < state.head.modules[i].end)
			return true;
	return false;
}

/* ---- files ---- */

/* The engine as it is: what it would translate, and for which addresses. */
static uint64_t engine_sum(void)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)__executable_start;
	const Elf64_Phdr *p =
		(const Elf64_Phdr *)(__executable_start + head->e_phoff);
	uint64_t sum = sizeof(struct thread);

	for (unsigned i = 0; i < head->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && !(p[i].p_flags & PF_W))
			sum = image_mix(sum, (const void *)p[i].p_vaddr,
					p[i].p_filesz);
	return sum;
}

/* Translations count in one way only, and there is one set of them. */
static bool is_plain(void)
{
	return !script_is_on() && !exclude_any() && !block_has_modes() &&
	       !emit_is_limited();
}

static void keep_tables(struct image *i)
{
	emit_keep(i);
	block_keep(i);
	count_keep(i);
	map_keep(i);
	pages_keep(i);
}

static bool is_valid(const struct header *head, uint64_t bytes)
{
	return head->magic == MAGIC && head->engine == state.head.engine &&
	       head->bytes == bytes && head->entry == state.head.entry &&
	       head->n == state.head.n &&
	       !memcmp(head->modules, state.head.modules,
		       sizeof(head->modules));
}

static void load(int64_t fd, uint64_t bytes)
{
	struct image image;
	const struct header *head;

	if (bytes < 2 * PAGE || bytes % 8 || !image_open(&image, fd, bytes))
		return;
	head = (const struct header *)image.mapped;
	if (is_valid(head, bytes) && image_is_whole(&image, head->sum)) {
		block_flush();
		keep_tables(&image);
		if (image.has_failed || !block_has_room())
			block_flush();
		else
			state.loaded = emit_used();
	}
	image_close(&image);
}

uint64_t keep_loaded(void)
{
	return state.loaded;
}

void keep_enter(struct thread *t)
{
	struct place_file file;
	int64_t fd;

	if (t->pc != state.entry || !state.entry)
		return;
	state.head.entry = state.entry;
	state.entry = 0;
	engine_lock();
	if (is_plain() && threads == t && !t->next && !block_epoch()) {
		state.head.magic = MAGIC;
		state.head.engine = engine_sum();
		state.key = image_mix(1, &state.head, sizeof(state.head));
		fd = place_open(state.key, &file);
		if (!is_error(fd)) {
			load(fd, file.bytes);
			SYS(__NR_close, fd, 0, 0);
		}
		state.before = emit_used();
	}
	engine_unlock();
}

static void save(int64_t fd)
{
	struct image image;
	bool is_done;

	image_begin(&image, fd);
	keep_tables(&image);
	state.head.bytes = image.at;
	state.head.sum = image_sum(&image);
	is_done = !image.has_failed &&
		  sys6(__NR_pwrite64, (uint64_t)fd, (uint64_t)&state.head,
		       sizeof(state.head), 0, 0, 0) == sizeof(state.head);
	place_finish(fd, state.key, is_done);
}

/* Whether enough is new, and the cache is not about to be emptied. */
static bool is_worth_it(void)
{
	uint64_t used = emit_used(), added = used - state.before;

	return used > state.before && added >= LEAST_NEW &&
	       added >= state.loaded / SHARE_NEW &&
	       used < (CACHE_END - CACHE_BASE) / 2;
}

void keep_leave(const struct thread *t)
{
	int64_t fd;

	if (!state.key || t->is_vfork || !is_plain() || !is_worth_it())
		return;
	engine_lock();
	fd = place_create(state.key);
	if (!is_error(fd)) {
		pages_kill_others(is_kept);
		save(fd);
	}
	engine_unlock();
}
