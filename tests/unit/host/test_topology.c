/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs, cores, sockets and nodes of the captured machines. */
#include "host/topology.h"

#include "base/array.h"
#include "tests/unit/host/machine.h"

TEST(test_counts_of_each_machine)
{
	static const struct {
		int line;
		const char *machine;
		unsigned cpus, threads, cores, sockets, nodes;
	} rows[] = {
		{ __LINE__, "epyc-genoa-firecracker", 2, 1, 2, 1, 1 },
		{ __LINE__, "zen3-2s-8n", 128, 2, 32, 2, 8 },
		{ __LINE__, "icelake-sp", 2, 2, 1, 1, 1 },
		{ __LINE__, "neoverse-n1", 4, 1, 4, 1, 1 },
		{ __LINE__, "power9-2s", 64, 4, 8, 2, 2 },
		{ __LINE__, "container", 4, 2, 2, 1, 1 },
		{ __LINE__, "big-little", 2, 1, 2, 1, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_topology t;
		struct machine m;

		machine_open(&m, rows[i].machine);
		CHECK_AT(rows[i].line, topology_read(&m.fs, &t) == 0);
		CHECK_AT(rows[i].line, t.cpus == rows[i].cpus);
		CHECK_AT(rows[i].line, t.threads == rows[i].threads);
		CHECK_AT(rows[i].line, t.cores == rows[i].cores);
		CHECK_AT(rows[i].line, t.sockets == rows[i].sockets);
		CHECK_AT(rows[i].line, t.n_nodes == rows[i].nodes);
		topology_fini(&t);
		machine_close(&m);
	}
}

TEST(test_nodes_have_their_memory_and_cpus)
{
	struct host_topology t;
	struct machine m;

	machine_open(&m, "zen3-2s-8n");
	assert_int_equal(topology_read(&m.fs, &t), 0);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(t.nodes[i].id, i);
		assert_int_equal(t.nodes[i].memory_kb, 131893172 + i * 1024);
		assert_int_equal(t.nodes[i].cpus, 16);
	}
	assert_int_equal(t.cpu_node[7], 0);
	assert_int_equal(t.cpu_node[8], 1);
	assert_int_equal(t.cpu_node[63], 7);
	assert_int_equal(t.cpu_node[64], 0);
	assert_int_equal(t.memory_kb, 1056374852);
	topology_fini(&t);
	machine_close(&m);
}

/* POWER numbers its nodes 0 and 8; the CPU's node is a position, not an id. */
TEST(test_node_numbers_may_have_gaps)
{
	struct host_topology t;
	struct machine m;

	machine_open(&m, "power9-2s");
	assert_int_equal(topology_read(&m.fs, &t), 0);
	assert_int_equal(t.nodes[1].id, 8);
	assert_int_equal(t.nodes[1].memory_kb, 133947104);
	assert_int_equal(t.cpu_node[31], 0);
	assert_int_equal(t.cpu_node[32], 1);
	topology_fini(&t);
	machine_close(&m);
}

TEST(test_without_numa_one_node_has_everything)
{
	struct host_topology t;
	struct machine m;

	machine_open(&m, "container");
	assert_int_equal(topology_read(&m.fs, &t), 0);
	assert_int_equal(t.nodes[0].memory_kb, 15939436);
	assert_int_equal(t.nodes[0].cpus, 4);
	topology_fini(&t);
	machine_close(&m);
}

TEST(test_only_online_cpus_count)
{
	struct host_topology t;
	struct machine m;

	machine_open(&m, "zen3-2s-8n");
	machine_put(&m, "sys/devices/system/cpu/online", "0-31,96\n");
	assert_int_equal(topology_read(&m.fs, &t), 0);
	assert_int_equal(t.cpus, 33);
	assert_int_equal(t.sockets, 2);
	assert_int_equal(t.cores, 32);
	assert_int_equal(t.threads, 1);
	assert_int_equal(t.cpu_ids[32], 96);
	assert_int_equal(t.cpu_node[32], 4);
	topology_fini(&t);
	machine_close(&m);
}

TEST(test_a_machine_that_tells_nothing_has_one_cpu)
{
	static const char *const lists[] = { "", "-", "3-1", "x", "99999999" };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct host_topology t;
		struct machine m;

		machine_init(&m);
		machine_put(&m, "sys/devices/system/cpu/online", lists[i]);
		assert_int_equal(topology_read(&m.fs, &t), 0);
		assert_int_equal(t.cpus, 1);
		assert_int_equal(t.cores, 1);
		assert_int_equal(t.sockets, 1);
		assert_int_equal(t.n_nodes, 1);
		topology_fini(&t);
		machine_close(&m);
	}
}

RUN_ALL_TESTS
