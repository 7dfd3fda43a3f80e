// SPDX-License-Identifier: BSD-3-Clause
// One section around a loop, from C++.
#include <hpm.h>

int main()
{
	volatile long sum = 0;

	hpmInit(0, "installed");
	hpmStart(1, "loop");
	for (long i = 0; i < 1000; i++)
		sum = sum + i;
	hpmStop(1);
	hpmTerminate(0);
	return sum != 499500;
}
