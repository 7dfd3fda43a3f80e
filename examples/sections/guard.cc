// SPDX-License-Identifier: BSD-3-Clause
// A section that ends with its block, also when an exception leaves it.
#include <hpm.h>

#include <cstdio>
#include <stdexcept>

static int half(int n)
{
	hpm::Section here(2, "half");

	if (n % 2)
		throw std::invalid_argument("odd");
	return n / 2;
}

int main()
{
	int odd = 0;

	hpmInit(0, "guard");
	{
		hpm::Section all(1, "all");

		for (int i = 0; i < 10; i++) {
			try {
				half(i);
			} catch (const std::invalid_argument &) {
				odd++;
			}
		}
	}
	hpmTerminate(0);
	std::printf("%d odd numbers\n", odd);
	return 0;
}
