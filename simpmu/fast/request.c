/* SPDX-License-Identifier: BSD-3-Clause */
/* Client requests; see request.h. */
#include "simpmu/fast/request.h"

#include "simpmu/fast/hook.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

/* Four rotations of rdi that add up to 128, and xchg rbx, rbx. */
static const uint8_t sequence[REQUEST_BYTES] = {
	0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1,
	0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb,
};

bool request_is_at(uint64_t pc)
{
	const uint8_t *code = (const uint8_t *)pc;
	uint8_t bytes[REQUEST_BYTES];

	if (code[0] != sequence[0] || code[2] != sequence[2] ||
	    code[3] != sequence[3])
		return false;
	return !guest_copy(bytes, code, sizeof(bytes)) &&
	       !memcmp(bytes, sequence, sizeof(sequence));
}

/* rax: six words, the request first; rdx: the answer if nobody knows it. */
void request_answer(struct thread *t)
{
	uint64_t args[6], answer;

	if (guest_copy(args, (const void *)t->reg[RAX], sizeof(args)))
		return;
	if (hook_request(t, args, &answer))
		t->reg[RDX] = answer;
}
