// SPDX-License-Identifier: BSD-3-Clause
// TBB: a loop divided among its threads, and a sum.
#include <cstdio>
#include <functional>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

int main()
{
	using range = tbb::blocked_range<int>;
	std::vector<long> squares(200000);

	tbb::parallel_for(range(0, 200000), [&](const range &r) {
		for (int i = r.begin(); i < r.end(); i++)
			squares[i] = long(i) * i % 1000;
	});
	std::printf("%ld\n", tbb::parallel_reduce(
				     range(0, 200000), 0L,
				     [&](const range &r, long sum) {
					     for (int i = r.begin(); i < r.end(); i++)
						     sum += squares[i];
					     return sum;
				     },
				     std::plus<long>()));
	return 0;
}
