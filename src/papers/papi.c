/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "A Portable Programming Interface for Performance Evaluation on Modern
 * Processors" (Browne, Dongarra, Garner, Ho, Mucci 2000): its list of events,
 * its ratios, and what sections 3.3 to 3.6 promise of sets, multiplexing,
 * callbacks and profiles, by the library on simulated machines.
 */
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "console/console.h"
#include "lab/process.h"
#include "measure/pmu.h"
#include "papers/kernel_runs.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

/* The appendix, without "PAPI_". */
static const char *const appendix[] = {
	"L1_DCM",  "L1_ICM",  "L2_DCM",  "L2_ICM",  "L3_DCM",  "L3_ICM",
	"L1_TCM",  "L2_TCM",  "L3_TCM",  "TLB_DM",  "TLB_IM",  "TLB_TL",
	"L1_LDM",  "L1_STM",  "L2_LDM",  "L2_STM",  "CA_SNP",  "CA_SHR",
	"CA_CLN",  "CA_INV",  "CA_ITV",  "TLB_SD",  "TOT_CYC", "TOT_IIS",
	"TOT_INS", "INT_INS", "FP_INS",  "LD_INS",  "SR_INS",  "LST_INS",
	"FMA_INS", "VEC_INS", "BR_UCN",  "BR_CN",   "BR_TKN",  "BR_NTK",
	"BR_MSP",  "BR_PRC",  "BR_INS",  "CSR_FAL", "CSR_SUC", "CSR_TOT",
	"SYC_INS", "FLOPS",   "IPS",     "BRU_IDL", "FXU_IDL", "FPU_IDL",
	"LSU_IDL", "MEM_SCY", "MEM_RCY", "MEM_WCY", "STL_CYC", "FUL_ICY",
	"STL_CCY", "FUL_CCY",
};

static int make_appendix(struct papers *papers)
{
	STRBUF(lacking);
	size_t known = 0;
	int status = session_open(papers->console);

	if (status)
		return status;
	for (size_t i = 0; i < ARRAY_SIZE(appendix); i++) {
		char name[64];
		int code;

		snprintf(name, sizeof(name), "PAPI_%s", appendix[i]);
		if (PAPI_event_name_to_code(name, &code) == PAPI_OK)
			known++;
		else
			strbuf_addf(&lacking, " %s", name);
	}
	PAPI_shutdown();
	papers_add(
		papers, "Appendix", known == ARRAY_SIZE(appendix),
		"%zu of the %zu standard events of 2000 are known by name%s%s",
		known, ARRAY_SIZE(appendix), lacking.len ? ", but for" : "",
		strbuf_text(&lacking));
	return 0;
}

/* ---- Table 1, section 2, Figures 2 and 3: phases of a program ---- */

static const struct papers_work phases[] = {
	{ "additions", "fp/d1/add", 4000, 0, 0, 0 },
	{ "data in L1", "cache/read", 20000, 16 * KIB, 64, 0 },
	{ "multiply-adds", "fp/d1/fma", 4000, 0, 0, 0 },
	{ "data in L2", "cache/read", 20000, 128 * KIB, 256, 0 },
	{ "random branches", "count/mispredict", 4000, 0, 0, 0 },
	{ "data in L3", "cache/read", 40000, 8 * MIB, 256, 0 },
	{ "data in memory", "cache/read", 60000, 64 * MIB, 1024, 0 },
	{ "pages", "tlb/read", 20000, 2560 * 4 * KIB, 4096, 0 },
};
#define PHASES ARRAY_SIZE(phases)

enum {
	ADDITIONS,
	IN_L1,
	MULTIPLY_ADDS,
	IN_L2,
	RANDOM,
	IN_L3,
	IN_MEMORY,
	PAGES,
};

static double count(const struct papers_lab *lab, size_t i, const char *event)
{
	return papers_lab_count(lab, i, event);
}

/* Cycles of a load, without what its translation took. */
static double latency(const struct papers_lab *lab, size_t i)
{
	double walks = count(lab, i, "PAPI_TLB_DM");
	double second = constants_get(&lab->constants, "TLB_data_lat");
	double first = 7; /* that the second TLB takes to answer */
	double hits = count(lab, i, "sim::DTLB_MISSES:STLB_HIT");

	return (count(lab, i, "PAPI_TOT_CYC") - first * hits -
		second * (walks - hits)) /
	       (double)phases[i].times;
}

/*
 * Whether latencies of L1, L2, L3 and memory are to each other as in the
 * paper: L1 2 or 3 cycles, L2 8 to 10, memory 75 to 250.
 */
static bool has_shape(const double took[4])
{
	double second = took[1] / took[0], memory = took[3] / took[1];

	return second >= 8. / 3 && second <= 10. / 2 && memory >= 75. / 10 &&
	       memory <= 250. / 8 && took[2] > took[1] && took[3] > took[2];
}

static void make_table_1(struct papers *papers, const struct papers_lab *lab)
{
	static const struct {
		const char *name, *constant;
		size_t phase;
	} rows[] = {
		{ "L1 cache hit", "L1_lat", IN_L1 },
		{ "L2 cache hit", "L2_lat", IN_L2 },
		{ "L3 cache hit", "L3_lat", IN_L3 },
		{ "main memory", "Mem_lat", IN_MEMORY },
	};
	double took[ARRAY_SIZE(rows)];
	size_t good = 0;

	papers_print(papers,
		     "Table 1: latencies (icx, in cycles)\n%-16s %9s "
		     "%9s\n",
		     "level", "measured", "model");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double known = constants_get(&lab->constants, rows[i].constant);
		double got = latency(lab, rows[i].phase);

		papers_print(papers, "%-16s %9.1f %9.0f\n", rows[i].name, got,
			     known);
		good += fabs(got - known) <= fmax(1, 0.05 * known);
		took[i] = got;
	}
	papers_print(papers, "\n");
	papers_add(
		papers, "Table 1", good == ARRAY_SIZE(rows) && has_shape(took),
		"%zu of %zu memory levels have the latency of the model within "
		"5 %%, by PAPI_TOT_CYC of a pointer chase; L2 takes %.1f "
		"times as long as L1, memory %.1f times as long as L2 (the "
		"paper's R10000: 2.7 to 5, and 7.5 to 31)",
		good, ARRAY_SIZE(rows), took[1] / took[0], took[3] / took[1]);
}

static double l1_rate(const struct papers_lab *lab, size_t i)
{
	return 1 -
	       count(lab, i, "PAPI_L1_DCM") / (count(lab, i, "PAPI_LD_INS") +
					       count(lab, i, "PAPI_SR_INS"));
}

static double l2_rate(const struct papers_lab *lab, size_t i)
{
	return 1 - count(lab, i, "PAPI_L2_DCM") / count(lab, i, "PAPI_L1_DCM");
}

static void make_rates(struct papers *papers, const struct papers_lab *lab)
{
	bool good = l1_rate(lab, IN_L1) > 0.99 && l1_rate(lab, IN_L2) < 0.01 &&
		    l2_rate(lab, IN_L2) > 0.99 && l1_rate(lab, IN_L3) < 0.01 &&
		    l2_rate(lab, IN_L3) < 0.01;
	double straight = count(lab, ADDITIONS, "PAPI_TOT_IIS") /
			  count(lab, ADDITIONS, "PAPI_TOT_INS");
	double random = count(lab, RANDOM, "PAPI_TOT_IIS") /
			count(lab, RANDOM, "PAPI_TOT_INS");
	double here = count(lab, IN_L1, "PAPI_TLB_DM");
	double there = count(lab, PAGES, "PAPI_TLB_DM");

	papers_add(papers, "Section 2, hit rates", good,
		   "L1 %.3f with data in L1; L1 %.3f, L2 %.3f with data in L2; "
		   "%.3f and %.3f with data beyond both",
		   l1_rate(lab, IN_L1), l1_rate(lab, IN_L2),
		   l2_rate(lab, IN_L2), l1_rate(lab, IN_L3),
		   l2_rate(lab, IN_L3));
	papers_add(papers, "Section 2, issued and completed",
		   straight < 1.02 && random > 1.1,
		   "%.3f instructions issued per completed one without "
		   "mispredictions, %.3f with many",
		   straight, random);
	papers_add(papers, "Section 2, TLB thrashing",
		   there > 0.99 * (double)phases[PAGES].times && here < 100,
		   "%.0f misses of %lu loads from too many pages, %.0f of %lu "
		   "from few",
		   there, (unsigned long)phases[PAGES].times, here,
		   (unsigned long)phases[IN_L1].times);
}

/* A trace: what each phase had, for as long as it took. */
static int draw_trace(struct papers *papers, const struct papers_lab *lab,
		      const char *file, const char *title, const char *label,
		      double (*value)(const struct papers_lab *, size_t))
{
	double clock_hz = constants_get(&lab->constants, "clock_hz");
	double x[2 * PHASES], y[2 * PHASES], now = 0;
	const struct chart_series series = {
		.name = label, .x = x, .y = y, .n = 2 * PHASES
	};

	for (size_t i = 0; i < PHASES; i++) {
		x[2 * i] = now;
		now += count(lab, i, "PAPI_TOT_CYC") / clock_hz * 1e6;
		x[2 * i + 1] = now;
		y[2 * i] = y[2 * i + 1] = value(lab, i);
	}
	return papers_draw(papers, file,
			   &(struct chart){ .title = title,
					    .x_label = "microseconds of the "
						       "simulated machine",
					    .y_label = label,
					    .series = &series,
					    .n = 1 });
}

static double mflops(const struct papers_lab *lab, size_t i)
{
	double clock_hz = constants_get(&lab->constants, "clock_hz");

	return count(lab, i, "PAPI_FP_OPS") / count(lab, i, "PAPI_TOT_CYC") *
	       clock_hz / 1e6;
}

static int make_traces(struct papers *papers, const struct papers_lab *lab)
{
	double add = mflops(lab, ADDITIONS), fma = mflops(lab, MULTIPLY_ADDS);
	double none = mflops(lab, IN_L2);
	int status = draw_trace(papers, lab, "papi-figure-2",
				"Figure 2: Mflop/s of a program in phases",
				"Mflop/s", mflops);

	papers_add(papers, "Figure 2", none == 0 && fabs(fma / add - 2) < 0.05,
		   "%.0f Mflop/s by additions, %.0f by multiply-adds, %.0f by "
		   "loads",
		   add, fma, none);
	if (!status)
		status = draw_trace(papers, lab, "papi-figure-3",
				    "Figure 3: L1 hit rate of the same",
				    "L1 hit rate", l1_rate);
	papers_add(papers, "Figure 3",
		   l1_rate(lab, IN_L1) > 0.95 && l1_rate(lab, IN_L2) < 0.95,
		   "the L1 hit rate falls from %.2f to %.2f when the data no "
		   "longer fit in the cache",
		   l1_rate(lab, IN_L1), l1_rate(lab, IN_L2));
	return status;
}

static int make_phases(struct papers *papers)
{
	static const char *const groups[] = { NULL };
	static const char *const events[] = {
		"PAPI_TOT_CYC", "PAPI_TOT_INS",
		"PAPI_TOT_IIS", "PAPI_LD_INS",
		"PAPI_SR_INS",  "PAPI_L1_DCM",
		"PAPI_L2_DCM",  "PAPI_TLB_DM",
		"PAPI_FP_OPS",  "sim::DTLB_MISSES:STLB_HIT",
		NULL,
	};
	const struct papers_plan plan = {
		.model = "icx",
		.works = phases,
		.n = PHASES,
		.groups = groups,
		.extra = events,
		.repeats = 1,
	};
	struct papers_lab lab;
	int status = papers_lab_open(papers, &plan, &lab);

	if (status)
		return status;
	make_table_1(papers, &lab);
	make_rates(papers, &lab);
	status = make_traces(papers, &lab);
	papers_lab_close(&lab);
	return status;
}

/* ---- sections 3.3 to 3.6: spoken to the worker itself ---- */

static const char *const many[] = {
	"PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_L1_DCM",  "PAPI_BR_INS",
	"PAPI_BR_CN",   "PAPI_BR_TKN", "PAPI_LST_INS", "PAPI_INT_INS",
};
#define MANY ARRAY_SIZE(many)

/* The first line of the answer. */
static int hear(const struct papers *papers, struct process *process,
		char **line)
{
	*line = process_wait_line(process);
	if (*line && strncmp(*line, "no ", 3) != 0)
		return 0;
	say_error(papers->console, "the program that runs kernels %s%s",
		  *line ? "says: " : "ended", *line ? *line + 3 : "");
	return CMD_FAILED;
}

static int start(const struct papers *papers, const char *model,
		 const char *counters, struct process *process)
{
	struct simulator_options simulator = { .model = machine_for(
						       &papers->machine, model),
					       .counters = counters };
	struct diag diag = { .text = "" };
	char *line;
	int status = process_start(process, NULL, &simulator, &diag);

	if (status) {
		say_error(papers->console, "%s", diag.text);
		return status;
	}
	for (size_t i = 0; i < MANY && !status; i++) {
		process_send(process, "want %s", many[i]);
		status = hear(papers, process, &line);
	}
	if (status)
		process_end(process);
	return status;
}

/* How many sets the events need. */
static int count_sets(const struct papers *papers, struct process *process,
		      size_t *sets)
{
	char *line;
	int status;

	process_send(process, "pack");
	status = hear(papers, process, &line);
	*sets = 0;
	while (!status && line && strcmp(line, "end") != 0) {
		++*sets;
		line = process_wait_line(process);
	}
	return status;
}

static int make_sets(struct papers *papers)
{
	static const char *const models[] = { "p3", "icx" };
	size_t sets[2];

	for (int m = 0; m < 2; m++) {
		struct process process;
		int status = start(papers, models[m], NULL, &process);

		if (!status) {
			status = count_sets(papers, &process, &sets[m]);
			process_end(&process);
		}
		if (status)
			return status;
	}
	papers_add(papers, "Section 3.3", sets[0] > sets[1] && sets[1] == 1,
		   "%zu events are refused in one EventSet on a machine with "
		   "two counters, and fit into %zu EventSets; on icx into %zu",
		   MANY, sets[0], sets[1]);
	return 0;
}

#define LENGTHS 4

static int estimate(const struct papers *papers, const char *counters,
		    double values[LENGTHS][MANY])
{
	struct process process;
	int status = start(papers, "p3", counters, &process);

	if (status)
		return status;
	for (size_t l = 0; l < LENGTHS && !status; l++) {
		char *line, *end;

		process_send(&process,
			     "multiplex cache/read %.0f 131072 256 0 0 0 0 1",
			     1000 * pow(10, (double)l));
		status = hear(papers, &process, &line);
		end = line;
		for (size_t i = 0; i < MANY && !status; i++)
			values[l][i] = strtod(i ? end : line + 2, &end);
	}
	process_end(&process);
	return status;
}

/* Estimates on two counters by counts on as many as it takes. */
static int make_multiplex(struct papers *papers)
{
	double got[LENGTHS][MANY], truth[LENGTHS][MANY];
	double x[LENGTHS], worst[LENGTHS] = { 0 };
	const struct chart_series series = { .name = "worst of eight events",
					     .x = x,
					     .y = worst,
					     .n = LENGTHS };
	int status = estimate(papers, NULL, got);

	if (!status)
		status = estimate(papers, "unlimited", truth);
	if (status)
		return status;
	for (size_t l = 0; l < LENGTHS; l++) {
		x[l] = truth[l][0];
		for (size_t i = 0; i < MANY; i++)
			worst[l] =
				fmax(worst[l],
				     100 * fabs(got[l][i] / truth[l][i] - 1));
	}
	papers_add(papers, "Section 3.4",
		   worst[LENGTHS - 1] < 2 && worst[0] > worst[LENGTHS - 1],
		   "eight events on two counters are at most %.0f, %.0f, %.1f "
		   "and %.2f %% off after %.0f to %.0f instructions: longer "
		   "runs are more accurate",
		   worst[0], worst[1], worst[2], worst[3], x[0],
		   x[LENGTHS - 1]);
	return papers_draw(papers, "papi-multiplexing",
			   &(struct chart){ .title = "Section 3.4: what "
						     "multiplexing costs",
					    .x_label = "instructions",
					    .y_label = "% off",
					    .x_scale = CHART_LOG2,
					    .series = &series,
					    .n = 1 });
}

/* One sampled run: what was counted, calls, and the histogram. */
struct profile {
	double count, calls, sum, most;
	double hits[64];
};

/* The answer to "sample". */
static int hear_profile(const struct papers *papers, struct process *process,
			struct profile *p)
{
	char *line;
	int status = hear(papers, process, &line);

	*p = (struct profile){ 0 };
	if (status)
		return status;
	sscanf(line, "s %lf %lf", &p->count, &p->calls);
	while ((line = process_wait_line(process)) && strcmp(line, "end")) {
		unsigned bucket;
		double hits;

		if (sscanf(line, "b %u %lf", &bucket, &hits) != 2 ||
		    bucket >= 64)
			continue;
		p->hits[bucket] = hits;
		p->sum += hits;
		p->most = fmax(p->most, hits);
	}
	return 0;
}

static int draw_profile(struct papers *papers, const struct profile *p)
{
	double x[64];
	const struct chart_series series = {
		.name = "L1 data cache misses", .x = x, .y = p->hits, .n = 64
	};

	for (int i = 0; i < 64; i++)
		x[i] = 4 * (i - 32);
	return papers_draw(papers, "papi-figure-4",
			   &(struct chart){ .title = "Figure 4: L1 data cache "
						     "misses by address",
					    .x_label = "bytes of code from the "
						       "load",
					    .y_label = "overflows",
					    .series = &series,
					    .n = 1 });
}

static int make_overflow(struct papers *papers)
{
	static const int thresholds[] = { 100, 1000, 10000 };
	struct process process;
	struct profile p;
	size_t good = 0;
	int status = start(papers, "icx", NULL, &process);

	if (status)
		return status;
	for (size_t i = 0; i < ARRAY_SIZE(thresholds) && !status; i++) {
		process_send(&process,
			     "sample 1 %d count/load 200000 0 0 0 0 0 0 1",
			     thresholds[i]);
		status = hear_profile(papers, &process, &p);
		good += p.calls == floor(p.count / thresholds[i]) &&
			p.sum == p.calls;
	}
	papers_add(papers, "Sections 3.5 and 3.6",
		   good == ARRAY_SIZE(thresholds),
		   "a handler is called exactly once for every 100, 1000 and "
		   "10000 loads, and the histogram of PAPI_profil() has the "
		   "same number: %zu of %zu",
		   good, ARRAY_SIZE(thresholds));
	if (!status) {
		process_send(&process, "sample 2 1000 cache/read 200000 131072 "
				       "256 0 0 0 0 1");
		status = hear_profile(papers, &process, &p);
	}
	process_end(&process);
	if (status)
		return status;
	papers_add(papers, "Figure 4",
		   p.calls > 100 && p.most >= 0.99 * p.calls,
		   "%.0f of %.0f overflows of L1 data cache misses are at the "
		   "one load that misses",
		   p.most, p.calls);
	return draw_profile(papers, &p);
}

static int run_papi(struct papers *papers)
{
	int status = make_appendix(papers);

	if (!status)
		status = make_phases(papers);
	if (!status)
		status = make_sets(papers);
	if (!status)
		status = make_multiplex(papers);
	return status ? status : make_overflow(papers);
}

const struct paper paper_papi = {
	.name = "papi",
	.title = "A Portable Programming Interface for Performance Evaluation "
		 "on Modern Processors (Browne, Dongarra, Garner, Ho, Mucci "
		 "2000)",
	.run = run_papi,
};
