/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decoder against Zydis, on random bytes: whatever Zydis takes for an
 * instruction of a user's program has the same length here, no flag is missed
 * that it reads, none is said to be written that may stay, and it accesses
 * memory if and only if Zydis says so.
 *
 * Usage: decode-zydis [cases]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "simpmu/x86/decode.h"

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL >> 8;
}

static size_t put_prefixes(uint8_t *code)
{
	static const uint8_t prefixes[] = { 0x66, 0xf2, 0xf3, 0x66, 0x64 };
	size_t n = 0;

	while (n < 2 && draw() % 4 == 0)
		code[n++] = prefixes[draw() % sizeof(prefixes)];
	return n;
}

/* Half of the cases have an escape, VEX or EVEX prefix: else they are rare. */
static void make_case(uint8_t *code)
{
	size_t n;

	for (size_t i = 0; i < 24; i++)
		code[i] = (uint8_t)draw();
	switch (draw() % 8) {
	case 0:
		code[0] = 0xc5;
		return;
	case 1:
		code[0] = 0xc4;
		code[1] = (uint8_t)((code[1] & 0xe0) | (1 + draw() % 3));
		return;
	case 2:
		code[0] = 0x62;
		code[1] &= 0xf7;
		code[2] |= 4;
		return;
	default:
		n = put_prefixes(code);
	}
	if (draw() % 3 == 0)
		code[n++] = (uint8_t)(0x40 | draw() % 16);
	if (draw() % 2)
		return;
	code[n++] = 0x0f;
	if (draw() % 3 == 0)
		code[n++] = draw() % 2 ? 0x38 : 0x3a;
}

/* AMD's abandoned extensions, MPX, virtualisation, privileged instructions,
 * and what only other processors have. */
static bool is_left_out(const ZydisDecodedInstruction *z)
{
	switch (z->meta.isa_ext) {
	case ZYDIS_ISA_EXT_AMD3DNOW:
	case ZYDIS_ISA_EXT_XOP:
	case ZYDIS_ISA_EXT_FMA4:
	case ZYDIS_ISA_EXT_TBM:
	case ZYDIS_ISA_EXT_SVM:
	case ZYDIS_ISA_EXT_VTX:
	case ZYDIS_ISA_EXT_KNC:
	case ZYDIS_ISA_EXT_KNCE:
	case ZYDIS_ISA_EXT_KNCV:
	case ZYDIS_ISA_EXT_MPX:
	case ZYDIS_ISA_EXT_SMX:
	case ZYDIS_ISA_EXT_PADLOCK:
	case ZYDIS_ISA_EXT_SSE4A:
	case ZYDIS_ISA_EXT_CET:
		return true;
	default:
		break;
	}
	return z->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED ||
	       z->encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW ||
	       z->encoding == ZYDIS_INSTRUCTION_ENCODING_XOP ||
	       z->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX ||
	       z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ||
	       z->meta.category == ZYDIS_CATEGORY_SYSTEM ||
	       z->mnemonic == ZYDIS_MNEMONIC_RSM;
}

static unsigned our_flags(uint32_t flags)
{
	return (flags & ZYDIS_CPUFLAG_CF ? X86_CF : 0) |
	       (flags & ZYDIS_CPUFLAG_PF ? X86_PF : 0) |
	       (flags & ZYDIS_CPUFLAG_AF ? X86_AF : 0) |
	       (flags & ZYDIS_CPUFLAG_ZF ? X86_ZF : 0) |
	       (flags & ZYDIS_CPUFLAG_SF ? X86_SF : 0) |
	       (flags & ZYDIS_CPUFLAG_OF ? X86_OF : 0);
}

/* Of these Zydis 4.0 does not know that they clear OF, SF, AF and PF. */
static bool clears_flags(const ZydisDecodedInstruction *z)
{
	return z->mnemonic == ZYDIS_MNEMONIC_VPTEST ||
	       z->mnemonic == ZYDIS_MNEMONIC_VTESTPS ||
	       z->mnemonic == ZYDIS_MNEMONIC_VTESTPD;
}

static const char *flags_fault(const ZydisDecodedInstruction *z,
			       const struct x86 *x)
{
	const ZydisAccessedFlags *f = z->cpu_flags;
	unsigned read = f ? our_flags(f->tested) : 0;
	unsigned written =
		f ? our_flags(f->modified | f->set_0 | f->set_1 | f->undefined)
		  : 0;

	if (read & ~x->flags_read)
		return "reads a flag unseen";
	if (x->flags_written & ~written && !clears_flags(z))
		return "writes fewer flags";
	return NULL;
}

static bool accesses_memory(const ZydisDecodedInstruction *z,
			    const ZydisDecodedOperand *operands)
{
	for (int i = 0; i < z->operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operands[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
		    operands[i].mem.type != ZYDIS_MEMOP_TYPE_MIB)
			return true;
	return false;
}

static bool is_hint(const struct x86 *x)
{
	return x->kind == X86_NOP || x->flags & X86_FLUSH ||
	       (x->kind >= X86_PREFETCH_T0 && x->kind <= X86_PREFETCH_W) ||
	       x->kind == X86_SERIAL;
}

static const char *fault_of(const uint8_t *code,
			    const ZydisDecodedInstruction *z,
			    const ZydisDecodedOperand *operands)
{
	struct x86 x;
	bool memory = accesses_memory(z, operands);

	if (!x86_decode(code, 15, &x))
		return "not decoded";
	if (x.length != z->length)
		return "length";
	if ((x.loads || x.stores) != memory && !is_hint(&x))
		return "memory operand";
	return flags_fault(z, &x);
}

static void complain(const uint8_t *code, const ZydisDecodedInstruction *z,
		     const char *why)
{
	for (unsigned i = 0; i < z->length; i++)
		printf("%02x", code[i]);
	printf(": %s: %s\n", ZydisMnemonicGetString(z->mnemonic), why);
}

int main(int argc, char **argv)
{
	long cases = argc > 1 ? atol(argv[1]) : 1000000, checked = 0, wrong = 0;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	for (long i = 0; i < cases; i++) {
		ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
		ZydisDecodedInstruction z;
		uint8_t code[24];
		const char *why;

		make_case(code);
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, 15, &z,
							 operands)) ||
		    is_left_out(&z))
			continue;
		checked++;
		why = fault_of(code, &z, operands);
		if (why && wrong++ < 40)
			complain(code, &z, why);
	}
	printf("%ld instructions of %ld cases, %ld wrong\n", checked, cases,
	       wrong);
	return wrong > 0 || checked < cases / 4;
}
