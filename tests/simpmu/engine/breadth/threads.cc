// SPDX-License-Identifier: BSD-3-Clause
// C++: exceptions through many frames and out of threads, std::thread, async,
// condition variables, containers, regular expressions.
#include <condition_variable>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int descend(int n)
{
	struct guard {
		int &count;
		~guard() { count++; }
	};
	static thread_local int unwound;
	guard g{ unwound };

	if (n == 0)
		throw std::runtime_error(std::to_string(unwound));
	return descend(n - 1) + 1;
}

static int throw_often()
{
	int caught = 0;

	for (int i = 0; i < 300; i++)
		try {
			descend(i % 30);
		} catch (const std::exception &e) {
			caught += !std::string(e.what()).empty();
		}
	return caught;
}

static int hand_over()
{
	std::mutex lock; // of value and full
	std::condition_variable changed;
	bool full = false;
	int value = 0, sum = 0;
	std::thread taker([&] {
		for (int i = 0; i < 500; i++) {
			std::unique_lock<std::mutex> held(lock);
			changed.wait(held, [&] { return full; });
			sum += value;
			full = false;
			changed.notify_all();
		}
	});

	for (int i = 0; i < 500; i++) {
		std::unique_lock<std::mutex> held(lock);
		changed.wait(held, [&] { return !full; });
		value = i;
		full = true;
		changed.notify_all();
	}
	taker.join();
	return sum;
}

int main()
{
	std::vector<std::future<int>> results;
	std::map<std::string, int> words;
	int caught = 0;

	for (int i = 0; i < 4; i++)
		results.push_back(std::async(std::launch::async, throw_often));
	for (auto &result : results)
		caught += result.get();
	for (int i = 0; i < 200; i++)
		words[std::regex_replace("word" + std::to_string(i % 50),
					 std::regex("[02468]"), "-")]++;
	std::cout << caught << ' ' << hand_over() << ' ' << words.size() << '\n';
	try {
		std::async(std::launch::async, descend, 5).get();
	} catch (const std::runtime_error &e) {
		std::cout << "from a thread\n";
	}
	return 0;
}
