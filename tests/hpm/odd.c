/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections with odd names: XML's own characters, bytes that are no UTF-8. */
#include <hpm.h>
#include <stdio.h>

int main(void)
{
	static char labels[40][32];

	hpmInit(3, "odd");
	hpmStart(-5, "<a href=\"x\">&amp;</a>\n\t\001");
	hpmTstart(1, "caf\xc3\xa9 \xff\xfe \xed\xa0\x80");
	hpmTstop(1);
	hpmTstart(2147483647, "");
	for (int i = 0; i < 40; i++) {
		snprintf(labels[i], sizeof(labels[i]), "label %d", i);
		hpmTstart(100 + i, labels[i]);
	}
	for (int i = 39; i >= 0; i--)
		hpmTstop(100 + i);
	hpmTstop(2147483647);
	hpmStop(-5);
	hpmTstop(77);
	hpmTstart(78, 0);
	hpmTerminate(3);
	return 0;
}
