/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the programs that random-programs.py makes up, one after the other, each
 * with a performance file of its own: random PLUGIN PROGRAMS. A program is one
 * line:
 *
 *   W n           n units of work: floating-point additions, or page faults
 *   T|P|R id label { }  a section of the thread, the process, an hpm::Section
 *   L id label n  a section with n units of work and nothing else
 *   F id label depth n  a section that enters itself: n units on each level
 *   * n { }       n times
 *   C n { }       n threads at a time
 *   S { }         a thread, and waiting for it
 *   X { }         catches what is thrown inside
 *   !             throws
 *   D id n        a section in a plug-in, which is closed again
 *
 * A label is a letter for where it lies (static, buffer, heap, std::string,
 * none) and its text in hexadecimal digits.
 */
#include <dlfcn.h>
#include <hpm.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace
{
typedef std::vector<std::string> Words;

struct Thrown {
};

struct Block {
	const Words *words;
	size_t at;
};

const char *plugin;
bool touches_pages; /* where no PMU counts additions */

const char *const static_labels[] = { "static", "also static", "third" };

/* Additions, three instructions a unit and one before. */
inline __attribute__((always_inline)) void add(unsigned n)
{
	__asm__ volatile("mov %0, %%ecx\n"
			 "1: addsd %%xmm0, %%xmm0\n"
			 "dec %%ecx\n"
			 "jnz 1b"
			 :
			 : "r"(n)
			 : "ecx", "xmm0", "cc");
}

/* A page fault a unit, in memory that was given back. */
void touch(unsigned n)
{
	static __thread char *pages;
	const size_t size = 4096;

	if (!pages)
		pages = static_cast<char *>(
			mmap(nullptr, 64 * size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	madvise(pages, 64 * size, MADV_NOHUGEPAGE);
	madvise(pages, 64 * size, MADV_DONTNEED);
	for (unsigned i = 0; i < n; i++)
		static_cast<volatile char *>(pages)[i % 64 * size] = 1;
}

void work(unsigned n)
{
	if (touches_pages)
		touch(n);
	else if (n)
		add(n);
}

/* A label of any kind; what it lies in is spoilt when the section began. */
class Label
{
      public:
	explicit Label(const std::string &word) : kind_(word[0])
	{
		for (size_t i = 1; i + 1 < word.size(); i += 2)
			text_ += static_cast<char>(std::stoi(
				word.substr(i, 2), nullptr, 16));
		if (kind_ == 'h')
			heap_ = strdup(text_.c_str());
		else if (kind_ == 'b')
			snprintf(buffer, sizeof(buffer), "%s", text_.c_str());
	}
	~Label()
	{
		if (heap_)
			memset(heap_, '#', strlen(heap_));
		free(heap_);
		memset(buffer, '#', sizeof(buffer) - 1);
	}
	const char *get() const
	{
		switch (kind_) {
		case 's':
			return static_labels[text_[0] - '0'];
		case 'n':
			return nullptr;
		case 'h':
			return heap_;
		case 'b':
			return buffer;
		default:
			return text_.c_str();
		}
	}

      private:
	Label(const Label &);
	Label &operator=(const Label &);
	static __thread char buffer[6000];
	char kind_;
	std::string text_;
	char *heap_ = nullptr;
};

__thread char Label::buffer[6000];

/* Nothing but work between the calls. */
__attribute__((noinline)) void leaf(int id, const char *label, unsigned n)
{
	hpmTstart(id, label);
	add(n);
	hpmTstop(id);
}

void recurse(int id, const std::string &word, unsigned depth, unsigned n)
{
	{
		Label label(word);
		hpmTstart(id, label.get());
	}
	work(n);
	if (depth > 1)
		recurse(id, word, depth - 1, n);
	hpmTstop(id);
}

void run_plugin(int id, unsigned n)
{
	void *object = dlopen(plugin, RTLD_NOW);
	void (*run)(int, void (*)(unsigned), unsigned);

	if (!object)
		abort();
	*reinterpret_cast<void **>(&run) = dlsym(object, "run");
	run(id, work, n);
	dlclose(object);
}

size_t run(const Words &words, size_t at);

void *in_thread(void *block)
{
	run(*static_cast<Block *>(block)->words,
	    static_cast<Block *>(block)->at);
	return nullptr;
}

void run_threads(const Words &words, size_t at, unsigned n)
{
	Block block = { &words, at };
	std::vector<pthread_t> threads(n);

	for (auto &thread : threads)
		if (pthread_create(&thread, nullptr, in_thread, &block))
			abort();
	for (auto &thread : threads)
		pthread_join(thread, nullptr);
}

/* Where the block that begins at @at ends: behind its brace. */
size_t skip(const Words &words, size_t at)
{
	for (int depth = 1; depth > 0; at++)
		depth += (words[at] == "{") - (words[at] == "}");
	return at;
}

void run_section(const Words &words, size_t at)
{
	int id = std::stoi(words[at + 1]);
	Label *label = new Label(words[at + 2]);

	if (words[at] == "R") {
		hpm::Section here(id, label->get());

		delete label;
		run(words, at + 4);
		return;
	}
	if (words[at] == "T")
		hpmTstart(id, label->get());
	else
		hpmStart(id, label->get());
	delete label;
	run(words, at + 4);
	if (words[at] == "T")
		hpmTstop(id);
	else
		hpmStop(id);
}

void run_catching(const Words &words, size_t at)
{
	try {
		run(words, at);
	} catch (const Thrown &) {
	}
}

unsigned number(const Words &words, size_t at)
{
	return static_cast<unsigned>(std::stoul(words[at]));
}

/* One word and what belongs to it; where the next one is. */
size_t step(const Words &words, size_t at)
{
	switch (words[at][0]) {
	case 'W':
		work(number(words, at + 1));
		return at + 2;
	case 'L': {
		Label label(words[at + 2]);

		if (touches_pages) {
			hpmTstart(std::stoi(words[at + 1]), label.get());
			touch(number(words, at + 3));
			hpmTstop(std::stoi(words[at + 1]));
		} else {
			leaf(std::stoi(words[at + 1]), label.get(),
			     number(words, at + 3));
		}
		return at + 4;
	}
	case 'F':
		recurse(std::stoi(words[at + 1]), words[at + 2],
			number(words, at + 3), number(words, at + 4));
		return at + 5;
	case 'D':
		run_plugin(std::stoi(words[at + 1]), number(words, at + 2));
		return at + 3;
	case '*':
		for (unsigned i = number(words, at + 1); i > 0; i--)
			run(words, at + 3);
		return skip(words, at + 3);
	case 'C':
		run_threads(words, at + 3, number(words, at + 1));
		return skip(words, at + 3);
	case 'S':
		run_threads(words, at + 2, 1);
		return skip(words, at + 2);
	case 'X':
		run_catching(words, at + 2);
		return skip(words, at + 2);
	case '!':
		throw Thrown();
	default:
		run_section(words, at);
		return skip(words, at + 4);
	}
}

size_t run(const Words &words, size_t at)
{
	while (words[at] != "}")
		at = step(words, at);
	return at + 1;
}
} /* namespace */

int main(int argc, char **argv)
{
	std::string line;
	int task = 0;

	if (argc != 3)
		return 2;
	plugin = argv[1];
	touches_pages = getenv("RANDOM_PAGES") != nullptr;
	std::ifstream programs(argv[2]);
	while (std::getline(programs, line)) {
		std::istringstream in(line);
		Words words;
		std::string word;

		while (in >> word)
			words.push_back(word);
		hpmInit(task, "random");
		run(words, 0);
		hpmTerminate(task);
		task++;
	}
	return 0;
}
