/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What PAPI's interface says of the simulated PMU: the machine is the model's,
 * rates are by its clock, and what it cannot do is refused at once.
 */
#include <papi.h>
#include <stdio.h>
#include <unistd.h>

static int faults;

static void check(int condition, const char *text)
{
	printf("%s %s\n", condition ? "ok   " : "FALSE", text);
	faults += !condition;
}

static volatile double real = 1;

static void work(void)
{
	for (int i = 0; i < 20000; i++)
		real = real * 1.0000001 + 0.5;
}

/* Before anything else: the calls open the library themselves. */
static void check_rates(void)
{
	long long ref = 0, core = 0, events = 0, ops = 0;
	float real_s, virt_s, epc = 0, mflops = 0;

	PAPI_epc(0, &real_s, &virt_s, &ref, &core, &events, &epc);
	work();
	check(PAPI_epc(0, &real_s, &virt_s, &ref, &core, &events, &epc) == 0,
	      "PAPI_epc() as the first call");
	check(ref > 0 && ref == core, "it has reference cycles");
	check(epc > 0 && epc <= 5, "no more instructions than the width");
	check(PAPI_rate_stop() == PAPI_OK, "PAPI_rate_stop()");
	for (int i = 0; i < 2; i++) {
		check(PAPI_flops(&real_s, &virt_s, &ops, &mflops) == 0,
		      "PAPI_flops()");
		work();
		check(PAPI_flops(&real_s, &virt_s, &ops, &mflops) == 0,
		      "PAPI_flops() again");
		/* two operations in a chain of about 13 cycles at 2.6 GHz */
		check(mflops > 100 && mflops < 2600,
		      "operations per second of the model's time");
		check(PAPI_stop_counters(NULL, 0) == 0,
		      "PAPI_stop_counters() after it");
	}
}

static void check_machine(void)
{
	const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
	const PAPI_mh_level_t *l1 = &hw->mem_hierarchy.level[0];

	check(hw->cpu_max_mhz == 2600, "the model's clock");
	check(hw->mem_hierarchy.levels == 3, "three levels of cache");
	check(l1->cache[0].size == 48 << 10 && l1->cache[0].associativity == 12,
	      "the model's L1D");
	check(l1->tlb[0].num_entries == 64, "the model's data TLB");
	check(hw->mem_hierarchy.level[1].cache[0].size == 1280 << 10,
	      "the model's L2");
}

static void check_per_second(void)
{
	const char *const names[] = { "PAPI_TOT_INS", "PAPI_TOT_CYC",
				      "PAPI_IPS" };
	long long values[3] = { 0 };
	int set = PAPI_NULL;
	double want;

	PAPI_create_eventset(&set);
	for (int i = 0; i < 3; i++)
		check(PAPI_add_named_event(set, names[i]) == PAPI_OK, names[i]);
	PAPI_start(set);
	work();
	PAPI_stop(set, values);
	want = (double)values[0] / (double)values[1] * 2.6e9;
	check((double)values[2] > 0.999 * want &&
		      (double)values[2] < 1.001 * want,
	      "PAPI_IPS is by the model's clock");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static void check_attach(void)
{
	int index = PAPI_get_component_index("sim");
	PAPI_option_t cpu = { .cpu = { .cpu_num = 0 } };
	int set = PAPI_NULL;

	PAPI_create_eventset(&set);
	PAPI_assign_eventset_component(set, index);
	cpu.cpu.eventset = set;
	check(PAPI_set_opt(PAPI_CPU_ATTACH, &cpu) == PAPI_ECMP,
	      "no CPU can be attached to");
	PAPI_add_named_event(set, "PAPI_TOT_INS");
	check(PAPI_attach(set, (unsigned long)getppid()) == PAPI_ENOSUPP,
	      "nor a process that is not simulated");
	check(PAPI_attach(set, (unsigned long)gettid()) == PAPI_OK,
	      "but a thread of this one");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

int main(void)
{
	check_rates();
	check_machine();
	check_per_second();
	check_attach();
	return faults != 0;
}
