/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages that translations were made of; see pages.h. */
#include "simpmu/fast/pages.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/fleeting.h"
#include "simpmu/fast/insn.h"
#include "simpmu/fast/keep/image.h"
#include "simpmu/fast/keep/keep.h"
#include "simpmu/fast/layout.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/space.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/host.h"

#define PAGE_BITS  17
#define MAX_PAGES  (1u << PAGE_BITS)
#define MAX_DEPS   (1u << 22)
#define MAX_RANGES 1024
#define SPARE      4096u /* dependencies, more than a few translations have */
#define MANY       2048 /* pages; with more it is quicker to look at all known */

struct page {
	uint64_t number; /* 0: free */
	uint32_t first;  /* dependency */
	uint8_t is_protected;
	uint8_t prot; /* as the guest has it, where is_protected */
};

/* One block depends on a page. */
struct dependency {
	uint32_t block, next;
};

struct ranges {
	struct {
		uint64_t start, end;
	} at[MAX_RANGES];
	unsigned n;
};

static struct {
	struct page *pages;
	uint32_t n_pages;
	struct dependency *deps;
	uint32_t n_deps, free_dep;
	struct ranges writable; /* what the guest may write and execute */
	struct ranges code;     /* what it may execute, as far as is known */
	/* of files that are shared: written here, and executed there */
	struct ranges shared_writable, shared_code;
	bool has_fleeting;           /* the stack may be executed */
	const struct block *current; /* being translated */
} state;

void pages_init(void)
{
	state.pages = sys_memory(sizeof(struct page) * MAX_PAGES);
	state.deps = sys_memory(sizeof(struct dependency) * MAX_DEPS);
	state.n_deps = 1;
}

/* Pages that are write-protected stay so, until they are written. */
void pages_flush(void)
{
	for (uint32_t i = 0; i < MAX_PAGES; i++)
		state.pages[i].first = 0;
	state.n_deps = 1;
	state.free_dep = 0;
}

bool pages_has_room(void)
{
	return state.n_deps < MAX_DEPS - SPARE;
}

void pages_begin(const struct block *block)
{
	state.current = block;
}

/* ---- ranges of addresses ---- */

static bool is_within(const struct ranges *r, uint64_t pc)
{
	for (unsigned i = 0; i < r->n; i++)
		if (pc >= r->at[i].start && pc < r->at[i].end)
			return true;
	return false;
}

/* That code may change must not be forgotten; what is code is found again. */
static void add_range(struct ranges *r, uint64_t start, uint64_t end)
{
	if (r->n == MAX_RANGES && r == &state.writable)
		host_give_up(125,
			     "too many mappings that can be written and "
			     "executed; use --engine valgrind%s",
			     "");
	if (r->n == MAX_RANGES)
		return;
	r->at[r->n].start = start;
	r->at[r->n].end = end;
	r->n++;
}

static void remove_range(struct ranges *r, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < r->n; i++) {
		uint64_t from = r->at[i].start, to = r->at[i].end;

		if (end <= from || start >= to)
			continue;
		r->at[i--] = r->at[--r->n];
		if (from < start)
			add_range(r, from, start);
		if (end < to)
			add_range(r, end, to);
	}
}

static void join_range(struct ranges *r, uint64_t start, uint64_t end)
{
	remove_range(r, start, end);
	for (unsigned i = 0; i < r->n; i++) {
		if (r->at[i].end == start) {
			r->at[i].end = end;
			return;
		}
		if (r->at[i].start == end) {
			r->at[i].start = start;
			return;
		}
	}
	add_range(r, start, end);
}

bool pages_may_change(uint64_t pc)
{
	return is_within(&state.writable, pc);
}

/* A range of a shared file, or none of it any more. */
static void note_shared(uint64_t start, uint64_t end, int prot)
{
	remove_range(&state.shared_writable, start, end);
	remove_range(&state.shared_code, start, end);
	if (prot & PROT_W)
		join_range(&state.shared_writable, start, end);
	if (prot & PROT_X)
		join_range(&state.shared_code, start, end);
}

static bool overlaps(const struct ranges *r, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < r->n; i++)
		if (start < r->at[i].end && end > r->at[i].start)
			return true;
	return false;
}

/* The program's first stack, as far as it may grow. */
static bool is_on_stack(uint64_t address)
{
	return address >= MAP_LAST && address < STACK_LAST;
}

bool pages_is_fleeting(uint64_t pc)
{
	return state.has_fleeting && is_on_stack(pc);
}

static void note_prot(uint64_t start, uint64_t end, int prot)
{
	bool may_change = (prot & (PROT_W | PROT_X)) == (PROT_W | PROT_X);

	if (may_change && is_on_stack(start)) {
		fleeting_init();
		state.has_fleeting = true;
	} else if (may_change) {
		join_range(&state.writable, start, end);
	} else {
		remove_range(&state.writable, start, end);
	}
	if (prot & PROT_X)
		join_range(&state.code, start, end);
	else
		remove_range(&state.code, start, end);
}

bool pages_is_code(uint64_t pc)
{
	uint64_t start, end;

	if (is_within(&state.code, pc))
		return true;
	if (!space_find_code(pc, &start, &end))
		return false;
	join_range(&state.code, start, end);
	return true;
}

/* ---- pages and who depends on them ---- */

static struct page *slot_of(uint64_t number)
{
	uint64_t i = number * 0x9e3779b97f4a7c15u >> (64 - PAGE_BITS);

	while (state.pages[i].number && state.pages[i].number != number)
		i = (i + 1) % MAX_PAGES;
	return &state.pages[i];
}

static struct page *find_page(uint64_t number)
{
	struct page *page = slot_of(number);

	return page->number ? page : NULL;
}

static struct page *make_page(uint64_t number)
{
	struct page *page = slot_of(number);

	if (!page->number) {
		if (++state.n_pages > MAX_PAGES / 2)
			host_give_up(125,
				     "the program has too much code for "
				     "the fast engine%s",
				     "");
		page->number = number;
	}
	return page;
}

static void protect(struct page *page)
{
	page->is_protected = true;
	page->prot = PROT_R | PROT_W | PROT_X;
	SYS(__NR_mprotect, page->number * PAGE, PAGE, PROT_R | PROT_X);
}

void pages_depend(uint64_t pc)
{
	struct page *page = make_page(pc / PAGE);
	uint32_t block = block_number(state.current), d = state.free_dep;

	if (!page->first || state.deps[page->first].block != block) {
		if (d)
			state.free_dep = state.deps[d].next;
		else if (state.n_deps < MAX_DEPS)
			d = state.n_deps++;
		else
			host_give_up(125,
				     "the program has too much code for "
				     "the fast engine%s",
				     "");
		state.deps[d].block = block;
		state.deps[d].next = page->first;
		page->first = d;
	}
	if (state.writable.n && !page->is_protected && pages_may_change(pc))
		protect(page);
}

bool pages_note_read(uint64_t pc)
{
	if (pages_is_fleeting(pc))
		return true;
	if (!state.writable.n || !pages_may_change(pc))
		return false;
	if (state.current) {
		pages_depend(pc);
		pages_depend(pc + X86_MAX_LENGTH);
	}
	return true;
}

static void kill_translations(struct page *page)
{
	uint32_t next;

	for (uint32_t d = page->first; d; d = next) {
		next = state.deps[d].next;
		block_kill(block_numbered(state.deps[d].block));
		state.deps[d].next = state.free_dep;
		state.free_dep = d;
	}
	page->first = 0;
}

/* ---- translations that are kept ---- */

void pages_kill_others(bool (*is_kept)(uint64_t number))
{
	for (uint32_t i = 0; i < MAX_PAGES; i++)
		if (state.pages[i].first && !is_kept(state.pages[i].number))
			kill_translations(&state.pages[i]);
}

/* Pages are few, and their places in the table are found again. */
void pages_keep(struct image *image)
{
	uint32_t n = 0, number, first;

	image_number(image, &state.n_deps, MAX_DEPS);
	image_number(image, &state.free_dep, MAX_DEPS);
	for (uint32_t i = 0; i < MAX_PAGES; i++)
		n += state.pages[i].first != 0;
	image_number(image, &n, MAX_PAGES / 2);
	for (uint32_t i = 0; n && !image->has_failed; i++) {
		if (!image->is_loading && !state.pages[i].first)
			continue;
		number = (uint32_t)state.pages[i % MAX_PAGES].number;
		first = state.pages[i % MAX_PAGES].first;
		image_number(image, &number, LOW_LAST / PAGE);
		image_number(image, &first, MAX_DEPS);
		make_page(number)->first = first;
		n--;
	}
	image_memory(image, state.deps,
		     sizeof(struct dependency) * state.n_deps);
}

/* ---- changes ---- */

static void page_gone(struct page *page)
{
	kill_translations(page);
	page->is_protected = false;
	insn_forget_page(page->number);
}

/* What was translated stays, and each write to it is to be seen. */
static void page_writable(struct page *page, int prot)
{
	if (!page->first) {
		page_gone(page);
		return;
	}
	page->is_protected = true;
	page->prot = (uint8_t)prot;
}

/* @prot: 0 for pages that are gone. */
static void change_page(struct page *page, int prot)
{
	if (prot & PROT_W)
		page_writable(page, prot);
	else
		page_gone(page);
}

/* @prot as above, for all pages of the range that are known. */
static void change(uint64_t start, uint64_t end, int prot)
{
	uint64_t first = start / PAGE, last = page_up(end) / PAGE;

	if (last - first > MANY) {
		for (uint32_t i = 0; i < MAX_PAGES; i++)
			if (state.pages[i].number >= first &&
			    state.pages[i].number < last)
				change_page(&state.pages[i], prot);
		insn_forget_pages(first, last);
		return;
	}
	for (uint64_t n = first; n < last; n++) {
		struct page *page = find_page(n);

		if (page)
			change_page(page, prot);
		else
			insn_forget_page(n);
	}
}

void pages_prepare(uint64_t start, uint64_t bytes)
{
	machine_change_code(start, bytes);
}

/* Code may have been written by way of [@start, @end), and is executed
 * elsewhere. */
static void end_writing(uint64_t start, uint64_t end)
{
	const struct ranges *code = &state.shared_code;

	if (!code->n || !overlaps(&state.shared_writable, start, end))
		return;
	for (unsigned i = 0; i < code->n; i++)
		change(code->at[i].start, code->at[i].end, 0);
}

void pages_gone(uint64_t start, uint64_t bytes)
{
	uint64_t end = start + page_up(bytes);

	end_writing(start, end);
	keep_changed(start, end);
	change(start, end, 0);
	note_prot(start, end, 0);
	note_shared(start, end, 0);
}

void pages_mapped(uint64_t start, uint64_t bytes, int prot, bool is_shared)
{
	note_prot(start, start + page_up(bytes), prot);
	if (is_shared)
		note_shared(start, start + page_up(bytes), prot);
}

void pages_added(int prot)
{
	if (prot & PROT_X)
		machine_add_code();
}

/* What is shared stays so. */
static void protect_shared(uint64_t start, uint64_t end, int prot)
{
	if (!overlaps(&state.shared_writable, start, end) &&
	    !overlaps(&state.shared_code, start, end))
		return;
	if (!(prot & PROT_W))
		end_writing(start, end);
	note_shared(start, end, prot);
}

void pages_before_protect(uint64_t start, uint64_t bytes, int prot)
{
	protect_shared(start, start + page_up(bytes), prot);
	if (prot & PROT_W) {
		keep_changed(start, start + page_up(bytes));
		change(start, start + page_up(bytes), prot);
	}
	note_prot(start, start + page_up(bytes), prot);
}

static bool keeps_protected(uint64_t number)
{
	const struct page *page = find_page(number);

	return page && page->first && page->is_protected;
}

/* Pages with translations stay read-only; runs of them are told at once. */
static void protect_again(uint64_t first, uint64_t last)
{
	uint64_t run = 0;

	for (uint64_t n = first; n <= last; n++) {
		bool on = n < last && keeps_protected(n);

		if (on && !run)
			run = n;
		if (!on && run) {
			SYS(__NR_mprotect, run * PAGE, (n - run) * PAGE,
			    PROT_R | PROT_X);
			run = 0;
		}
	}
}

/* The guest may not write there either, so a fault is its own. */
static void forget_protection(uint64_t first, uint64_t last)
{
	if (last - first > MANY) {
		for (uint32_t i = 0; i < MAX_PAGES; i++)
			if (state.pages[i].number >= first &&
			    state.pages[i].number < last)
				state.pages[i].is_protected = false;
		return;
	}
	for (uint64_t n = first; n < last; n++)
		if (find_page(n))
			find_page(n)->is_protected = false;
}

void pages_after_protect(uint64_t start, uint64_t bytes, int prot)
{
	uint64_t first = start / PAGE, last = first + page_up(bytes) / PAGE;

	if (!bytes || bytes > UINT64_C(1) << 46)
		return;
	if (prot & PROT_W)
		protect_again(first, last);
	else
		forget_protection(first, last);
	/* also where nothing was translated, but looked at */
	if (!(prot & PROT_R))
		insn_forget_pages(first, last);
}

static bool depends(const struct page *page, const struct block *block)
{
	if (!block)
		return false;
	for (uint32_t d = page->first; d; d = state.deps[d].next)
		if (state.deps[d].block == block_number(block))
			return true;
	return false;
}

bool pages_write_fault(uint64_t address, const struct block *running,
		       bool *is_own)
{
	struct page *page;
	bool was_ours;

	engine_lock();
	page = find_page(address / PAGE);
	/* not protected any more: another thread was faster */
	was_ours = page && page->prot & PROT_W &&
		   (page->is_protected || pages_may_change(address));
	*is_own = false;
	if (was_ours && page->is_protected) {
		*is_own = depends(page, running);
		page_gone(page);
		SYS(__NR_mprotect, page->number * PAGE, PAGE, page->prot);
	}
	engine_unlock();
	return was_ours;
}

bool pages_unprotect_all(void)
{
	bool any = false;

	engine_lock();
	for (uint32_t i = 0; i < MAX_PAGES && state.n_pages; i++) {
		struct page *page = &state.pages[i];

		if (!page->is_protected)
			continue;
		any = true;
		page_gone(page);
		SYS(__NR_mprotect, page->number * PAGE, PAGE, page->prot);
	}
	engine_unlock();
	return any;
}
