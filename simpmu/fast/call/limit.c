/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits on a process's memory; see limit.h. */
#include "simpmu/fast/call/limit.h"

#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/host.h"

#define DATA        2 /* RLIMIT_DATA */
#define ADDRESSES   9 /* RLIMIT_AS */
#define ERROR_FAULT (-14)

struct limit {
	uint64_t soft, hard;
};

/* What the guest has set; the kernel's are higher. */
static struct {
	struct limit limit;
	bool is_set;
} known[ADDRESSES + 1];

static const char option[] = "--limits=";

const char *limit_pass(void)
{
	static char text[160];

	if (!known[DATA].is_set && !known[ADDRESSES].is_set)
		return NULL;
	text_format(text, sizeof(text), "%s%d,%d,%d,%d,%d,%d", option,
		    (uint64_t)known[DATA].is_set, known[DATA].limit.soft,
		    known[DATA].limit.hard, (uint64_t)known[ADDRESSES].is_set,
		    known[ADDRESSES].limit.soft, known[ADDRESSES].limit.hard);
	return text;
}

static uint64_t next_number(const char **text)
{
	uint64_t value = host_number(*text, text);

	if (**text)
		(*text)++;
	return value;
}

bool limit_option(const char *arg)
{
	static const unsigned kinds[] = { DATA, ADDRESSES };

	if (!text_begins(arg, option))
		return false;
	arg += sizeof(option) - 1;
	for (unsigned i = 0; i < 2; i++) {
		known[kinds[i]].is_set = next_number(&arg) != 0;
		known[kinds[i]].limit.soft = next_number(&arg);
		known[kinds[i]].limit.hard = next_number(&arg);
	}
	return true;
}

static bool is_ours(uint64_t which)
{
	return which == DATA || which == ADDRESSES;
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
static int64_t change(uint64_t which, uint64_t new, uint64_t old)
{
	struct limit wanted = { 0, 0 }, before, more;
	int64_t result =
		sys6(__NR_prlimit64, 0, which, 0, (uint64_t)&before, 0, 0);

	if (is_error(result))
		return result;
	if (new &&guest_copy(&wanted, (const void *)new, sizeof(wanted)))
		return ERROR_FAULT;
	if (old &&
	    guest_copy((void *)old,
		       known[which].is_set ? &known[which].limit : &before,
		       sizeof(before)))
		return ERROR_FAULT;
	if (!new)
		return 0;
	more.soft = raised(wanted.soft, before.hard);
	more.hard = raised(wanted.hard, before.hard);
	result = sys6(__NR_prlimit64, 0, which, (uint64_t)&more, 0, 0, 0);
	if (is_error(result))
		return result;
	known[which].limit = wanted;
	known[which].is_set = true;
	return 0;
}

bool limit_call(const uint64_t *reg, int64_t *result)
{
	switch (reg[RAX]) {
	case __NR_setrlimit:
		if (is_ours(reg[RDI]))
			*result = change(reg[RDI], reg[RSI], 0);
		return is_ours(reg[RDI]);
	case __NR_getrlimit:
		if (is_ours(reg[RDI]))
			*result = change(reg[RDI], 0, reg[RSI]);
		return is_ours(reg[RDI]);
	case __NR_prlimit64: /* others' limits are theirs */
		if (reg[RDI] || !is_ours(reg[RSI]))
			return false;
		*result = change(reg[RSI], reg[RDX], reg[R10]);
		return true;
	default:
		return false;
	}
}
