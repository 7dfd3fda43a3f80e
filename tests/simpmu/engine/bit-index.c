/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bit test whose address takes three registers: base, index and the number
 * of the bit. The fast engine's log has no room for the third.
 */
int main(void)
{
	static unsigned long bits[64];
	unsigned long index = 3, bit = 77;

	__asm__ volatile("btsq %[bit], (%[bits], %[index], 8)"
			 :
			 : [bits] "r"(bits), [index] "r"(index), [bit] "r"(bit)
			 : "memory", "cc");
	return bits[4] != 1ul << (bit - 64);
}
