/* SPDX-License-Identifier: BSD-3-Clause */
/* A section in a plug-in: its label and file name go when it is closed. */
#include <hpm.h>

void run(int id, void (*work)(unsigned n), unsigned n)
	__attribute__((visibility("default")));

void run(int id, void (*work)(unsigned n), unsigned n)
{
	hpmTstart(id, "of the plug-in");
	work(n);
	hpmTstop(id);
}
