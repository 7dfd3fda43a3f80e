// SPDX-License-Identifier: BSD-3-Clause
// Micro-benchmarks for NVIDIA GPUs whose counts are known beforehand; what a turn
// of each costs stands in table.c.
//
// Bodies are inline PTX and loops are not unrolled, so that one turn is its body
// and three instructions of the loop's own: an addition, a comparison, a branch.
// The assembler drops what has no effect, whatever the PTX calls it: so every
// body works on its own result, and the result is stored under a condition that
// never holds and that only the caller knows not to.
//
// All kernels take the same parameters: how many turns, memory (all zeros, but
// for streams), its length in bytes. A turn of a stream goes once over it all.

#include <cstdint>

#define KERNEL(name) \
	extern "C" __global__ void k_##name(unsigned turns, char *memory, \
					    size_t bytes)

#define TURNS \
	_Pragma("unroll 1") for (unsigned turn = 0; turn < turns; turn++)

// The result is needed, as far as the compiler can tell.
#define KEEP(type, value) \
	do { \
		if (turns == ~0u) \
			*(volatile type *)memory = (value); \
	} while (0)

// One arithmetic instruction a turn.
#define ARITHMETIC(name, type, letter, start, text) \
	KERNEL(name) \
	{ \
		type a = (type)(start), b = (type)(start); \
		TURNS asm volatile(text : "+" letter(a) : letter(b)); \
		KEEP(type, a); \
	}

#define THREAD (3 + threadIdx.x)

ARITHMETIC(fadd, float, "f", THREAD, "add.rn.f32 %0, %0, %1;")
ARITHMETIC(fmul, float, "f", THREAD, "mul.rn.f32 %0, %0, %1;")
ARITHMETIC(ffma, float, "f", THREAD, "fma.rn.f32 %0, %0, %1, %1;")
ARITHMETIC(dadd, double, "d", THREAD, "add.rn.f64 %0, %0, %1;")
ARITHMETIC(dmul, double, "d", THREAD, "mul.rn.f64 %0, %0, %1;")
ARITHMETIC(dfma, double, "d", THREAD, "fma.rn.f64 %0, %0, %1, %1;")
ARITHMETIC(hadd, unsigned, "r", THREAD, "add.rn.f16x2 %0, %0, %1;")
ARITHMETIC(hmul, unsigned, "r", THREAD, "mul.rn.f16x2 %0, %0, %1;")
ARITHMETIC(hfma, unsigned, "r", THREAD, "fma.rn.f16x2 %0, %0, %1, %1;")
ARITHMETIC(iadd, unsigned, "r", THREAD, "add.u32 %0, %0, %1;")
ARITHMETIC(imad, unsigned, "r", THREAD, "mad.lo.u32 %0, %0, %1, %1;")
ARITHMETIC(logic, unsigned, "r", THREAD, "xor.b32 %0, %0, %1;")
ARITHMETIC(shift, unsigned, "r", THREAD, "shf.l.wrap.b32 %0, %0, %1, 7;")
ARITHMETIC(popc, unsigned, "r", THREAD, "popc.b32 %0, %0;")
ARITHMETIC(special, float, "f", THREAD, "rsqrt.approx.ftz.f32 %0, %0;")
ARITHMETIC(convert, float, "f", THREAD, "cvt.rni.f32.f32 %0, %0;")
ARITHMETIC(shuffle, unsigned, "r", THREAD,
	   "shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;")

__device__ static char *own(char *memory, unsigned stride)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;

	return memory + (size_t)thread * stride;
}

// A global load a turn, from an address that is the last one plus what was
// loaded, which is 0: a load that cannot be moved out of the loop. ca: from the
// first-level cache; cg: past it, from the second. A warp's 32 words are 4
// sectors of 32 bytes, or 32 sectors if they are 128 bytes apart.
#define LOAD(name, how, stride) \
	KERNEL(name) \
	{ \
		char *at = own(memory, stride); \
		TURNS \
		{ \
			unsigned a; \
			asm volatile("ld.global." how ".u32 %0, [%1];" \
				     : "=r"(a) \
				     : "l"(at)); \
			at += a; \
		} \
		KEEP(char *, at); \
	}

LOAD(load, "ca", 4)
LOAD(load_strided, "ca", 128)
LOAD(load_l2, "cg", 4)
LOAD(load_l2_strided, "cg", 128)

KERNEL(load_wide)
{
	char *at = own(memory, 16);

	TURNS
	{
		unsigned a, b, c, d;

		asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
			     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
			     : "l"(at));
		at += a | b | c | d;
	}
	KEEP(char *, at);
}

#define STORE(name, stride) \
	KERNEL(name) \
	{ \
		char *at = own(memory, stride); \
		TURNS asm volatile("st.volatile.global.u32 [%0], %1;" \
				   : \
				   : "l"(at), "r"(0) \
				   : "memory"); \
	}

STORE(store, 4)
STORE(store_strided, 128)

// Shared memory has 32 banks of 4 bytes. Words one, two or 32 words apart are
// in all the banks, in every second one, or all in one.
__device__ static unsigned shared_word(unsigned *words, unsigned apart)
{
	words[threadIdx.x] = 0;
	for (unsigned i = threadIdx.x; i < 32 * 32; i += blockDim.x)
		words[i] = 0;
	__syncthreads();
	return (unsigned)__cvta_generic_to_shared(
		&words[threadIdx.x % 32 * apart]);
}

#define SHARED_LOAD(name, apart) \
	KERNEL(name) \
	{ \
		__shared__ unsigned words[32 * 32]; \
		unsigned at = shared_word(words, apart); \
		TURNS \
		{ \
			unsigned a; \
			asm volatile("ld.volatile.shared.u32 %0, [%1];" \
				     : "=r"(a) \
				     : "r"(at)); \
			at += a; \
		} \
		KEEP(unsigned, at); \
	}

SHARED_LOAD(shared_load, 1)
SHARED_LOAD(shared_load_2, 2)
SHARED_LOAD(shared_load_32, 32)

#define SHARED_STORE(name, apart) \
	KERNEL(name) \
	{ \
		__shared__ unsigned words[32 * 32]; \
		unsigned at = shared_word(words, apart); \
		TURNS asm volatile("st.volatile.shared.u32 [%0], %1;" \
				   : \
				   : "r"(at), "r"(0) \
				   : "memory"); \
	}

SHARED_STORE(shared_store, 1)
SHARED_STORE(shared_store_32, 32)

// Atomics: with the old value returned, without, and in shared memory.
KERNEL(atomic)
{
	char *at = own(memory, 4);

	TURNS
	{
		unsigned a;

		asm volatile("atom.global.add.u32 %0, [%1], 0;"
			     : "=r"(a)
			     : "l"(at)
			     : "memory");
		at += a;
	}
	KEEP(char *, at);
}

KERNEL(reduction)
{
	char *at = own(memory, 4);

	TURNS asm volatile("red.global.add.u32 [%0], 0;" : : "l"(at) : "memory");
}

KERNEL(atomic_shared)
{
	__shared__ unsigned words[32 * 32];
	unsigned at = shared_word(words, 1);

	TURNS
	{
		unsigned a;

		asm volatile("atom.shared.add.u32 %0, [%1], 0;"
			     : "=r"(a)
			     : "r"(at)
			     : "memory");
		at += a;
	}
	KEEP(unsigned, at);
}

// An inner loop of two turns: for all threads, or for every second one only, so
// that its branch splits each warp once in a turn of the outer.
__device__ static float inner_turns(unsigned n, float a)
{
	_Pragma("unroll 1") for (unsigned i = 0; i < n; i++)
		asm volatile("add.rn.f32 %0, %0, %0;" : "+f"(a));
	return a;
}

KERNEL(branch_uniform)
{
	unsigned n = 2 + (turns >> 31);
	float a = threadIdx.x;

	TURNS a = inner_turns(n, a);
	KEEP(float, a);
}

KERNEL(branch_divergent)
{
	unsigned n = 1 + (threadIdx.x & 1);
	float a = threadIdx.x;

	TURNS a = inner_turns(n, a);
	KEEP(float, a);
}

KERNEL(barrier)
{
	TURNS asm volatile("bar.sync 0;" : : : "memory");
}

// Once over the memory in each turn, 16 bytes a thread at a time.
#define STREAM(end_bytes, body) \
	size_t step = (size_t)gridDim.x * blockDim.x * 16; \
	TURNS \
	{ \
		char *at = own(memory, 16); \
		_Pragma("unroll 1") for (char *end = memory + (end_bytes); \
					 at < end; at += step) \
		{ \
			body \
		} \
	}

#define READ_16(at) \
	asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];" \
		     : "=r"(a), "=r"(b), "=r"(c), "=r"(d) \
		     : "l"(at))

#define WRITE_16(at) \
	asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" \
		     : \
		     : "l"(at), "r"(a), "r"(b), "r"(c), "r"(d) \
		     : "memory")

KERNEL(stream_read)
{
	unsigned a, b, c, d;

	STREAM(bytes, READ_16(at);)
}

KERNEL(stream_write)
{
	unsigned a = 0, b = 0, c = 0, d = 0;

	STREAM(bytes, WRITE_16(at);)
}

KERNEL(stream_copy)
{
	unsigned a, b, c, d;
	size_t half = bytes / 2;

	STREAM(half, READ_16(at); WRITE_16(at + half);)
}

// For power: memory and arithmetic at once.
KERNEL(stream_ffma)
{
	unsigned a, b, c, d;
	float f = threadIdx.x;

	STREAM(
		bytes, READ_16(at);
		_Pragma("unroll") for (int i = 0; i < 32; i++) asm volatile(
			"fma.rn.f32 %0, %0, %1, %1;"
			: "+f"(f)
			: "f"(1.25f));)
	KEEP(float, f);
}

// Eight chains of one instruction each, to keep a pipe busy.
#define BUSY(name, type, letter, text) \
	KERNEL(name) \
	{ \
		type a[8]; \
		_Pragma("unroll") for (int i = 0; i < 8; i++) a[i] = \
			(type)(THREAD + i); \
		TURNS \
		{ \
			_Pragma("unroll") for (int k = 0; k < 64; k++) \
				asm volatile(text \
					     : "+" letter(a[k % 8]) \
					     : letter(a[k % 8])); \
		} \
		type sum = 0; \
		_Pragma("unroll") for (int i = 0; i < 8; i++) sum += a[i]; \
		KEEP(type, sum); \
	}

BUSY(busy_ffma, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
BUSY(busy_dfma, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
BUSY(busy_hfma, unsigned, "r", "fma.rn.f16x2 %0, %0, %1, %1;")
BUSY(busy_imad, unsigned, "r", "mad.lo.u32 %0, %0, %1, %1;")
BUSY(busy_logic, unsigned, "r", "lop3.b32 %0, %0, %1, 0x5a5a, 0x96;")
BUSY(busy_special, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")
