/* SPDX-License-Identifier: BSD-3-Clause */
/* The limit on a process's addresses; see limit.h. */
#include "simpmu/fast/call/limit.h"

#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

#define ADDRESSES   9 /* RLIMIT_AS */
#define ERROR_FAULT (-14)

struct limit {
	uint64_t soft, hard;
};

static struct limit set; /* what the guest has set; the kernel's is higher */
static bool has_set;

static int64_t get(struct limit *out)
{
	return sys6(__NR_prlimit64, 0, ADDRESSES, 0, (uint64_t)out, 0, 0);
}

/* Not above @most, the kernel's hard limit, unless the guest wants that. */
static uint64_t raised(uint64_t limit, uint64_t most)
{
	uint64_t more = limit + sys_reserved();

	if (more < limit)
		return limit;
	return more > most && limit <= most ? most : more;
}

/* prlimit64, with the arguments of the guest; 0 stands for none. */
static int64_t change(uint64_t new, uint64_t old)
{
	struct limit wanted = { 0, 0 }, before, more;
	int64_t result = get(&before);

	if (is_error(result))
		return result;
	if (new &&guest_copy(&wanted, (const void *)new, sizeof(wanted)))
		return ERROR_FAULT;
	if (old &&
	    guest_copy((void *)old, has_set ? &set : &before, sizeof(before)))
		return ERROR_FAULT;
	if (!new)
		return 0;
	more.soft = raised(wanted.soft, before.hard);
	more.hard = raised(wanted.hard, before.hard);
	result = sys6(__NR_prlimit64, 0, ADDRESSES, (uint64_t)&more, 0, 0, 0);
	if (is_error(result))
		return result;
	set = wanted;
	has_set = true;
	return 0;
}

bool limit_call(const uint64_t *reg, int64_t *result)
{
	switch (reg[RAX]) {
	case __NR_setrlimit:
		if (reg[RDI] == ADDRESSES)
			*result = change(reg[RSI], 0);
		return reg[RDI] == ADDRESSES;
	case __NR_getrlimit:
		if (reg[RDI] == ADDRESSES)
			*result = change(0, reg[RSI]);
		return reg[RDI] == ADDRESSES;
	case __NR_prlimit64: /* others' limits are theirs */
		if (reg[RDI] || reg[RSI] != ADDRESSES)
			return false;
		*result = change(reg[RDX], reg[R10]);
		return true;
	default:
		return false;
	}
}
