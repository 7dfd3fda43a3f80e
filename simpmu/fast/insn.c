/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions, remembered; see insn.h. */
#include "simpmu/fast/insn.h"

#include "simpmu/fast/pages.h"
#include "simpmu/fast/sys.h"

#define REMEMBERED  4096u
#define ANSWERS     8192u
#define LOOK_AHEAD  20 /* instructions; farther, flags are taken to be live */
#define PAGES_KNOWN 4096u

/* 0 is no address that is remembered: code that is not linked calls there. */
static struct {
	uint64_t pc[REMEMBERED];
	struct x86 insn[REMEMBERED];
	uint64_t live[ANSWERS];         /* pc << 1 | answer */
	uint64_t readable[PAGES_KNOWN]; /* pages that were read */
} memory;

static unsigned place_of(uint64_t pc)
{
	return (unsigned)(pc ^ pc >> 11) % REMEMBERED;
}

static bool is_readable(uint64_t pc)
{
	uint64_t page = pc / PAGE;
	uint8_t byte;

	if (page && memory.readable[page % PAGES_KNOWN] == page)
		return true;
	if (guest_copy(&byte, (const void *)pc, 1))
		return false;
	/* what is not noted there any more must not be remembered */
	if (memory.readable[page % PAGES_KNOWN])
		insn_forget_page(memory.readable[page % PAGES_KNOWN]);
	memory.readable[page % PAGES_KNOWN] = page;
	return true;
}

/* How many bytes can be read at @pc, up to an instruction. */
static size_t readable_bytes(uint64_t pc)
{
	if (!is_readable(pc))
		return 0;
	if (pc % PAGE <= PAGE - X86_MAX_LENGTH ||
	    is_readable(pc + X86_MAX_LENGTH))
		return X86_MAX_LENGTH;
	return PAGE - pc % PAGE;
}

bool insn_read(uint64_t pc, struct x86 *out)
{
	uint8_t code[X86_MAX_LENGTH];
	size_t n = X86_MAX_LENGTH;

	if (guest_copy(code, (const void *)pc, n)) {
		n = PAGE - pc % PAGE;
		if (n >= X86_MAX_LENGTH ||
		    guest_copy(code, (const void *)pc, n))
			return false;
	}
	return x86_decode(code, n, out);
}

const struct x86 *insn_at(uint64_t pc)
{
	unsigned place = place_of(pc);
	bool may_change = pages_note_read(pc);
	size_t readable;

	if (pc && memory.pc[place] == pc && !may_change)
		return &memory.insn[place];
	memory.pc[place] = 0;
	readable = readable_bytes(pc);
	if (!readable ||
	    !x86_decode((const uint8_t *)pc, readable, &memory.insn[place]))
		return NULL;
	memory.pc[place] = pc;
	return &memory.insn[place];
}

/* Walks on until every flag was written, or one that was not is read. */
static bool are_flags_live(uint64_t pc)
{
	unsigned open = X86_ALL_FLAGS;

	for (int i = 0; i < LOOK_AHEAD; i++) {
		const struct x86 *x = insn_at(pc);

		if (!x || x->flags_read & open)
			return true;
		open &= ~(unsigned)x->flags_written;
		if (!open)
			return false;
		pc += x->length;
		if (x->branch == BRANCH_JUMP || x->branch == BRANCH_CALL)
			pc += (uint64_t)(int64_t)x->relative;
		else if (x->branch)
			return true;
	}
	return true;
}

bool insn_flags_live(uint64_t pc)
{
	uint64_t *answer = &memory.live[(pc ^ pc >> 13) % ANSWERS];
	bool live;

	if (pages_is_fleeting(pc))
		return true;
	if (pc && *answer >> 1 == pc && !pages_may_change(pc))
		return *answer & 1;
	live = are_flags_live(pc);
	*answer = pc << 1 | live;
	return live;
}

void insn_forget_page(uint64_t page)
{
	if (memory.readable[page % PAGES_KNOWN] != page)
		return; /* nothing of it was read lately */
	memory.readable[page % PAGES_KNOWN] = 0;
	for (uint64_t pc = page * PAGE - X86_MAX_LENGTH; pc < (page + 1) * PAGE;
	     pc++)
		if (memory.pc[place_of(pc)] == pc)
			memory.pc[place_of(pc)] = 0;
	memset(memory.live, 0, sizeof(memory.live));
}

void insn_forget_pages(uint64_t first, uint64_t last)
{
	for (unsigned i = 0; i < PAGES_KNOWN; i++)
		if (memory.readable[i] >= first && memory.readable[i] < last)
			insn_forget_page(memory.readable[i]);
}
