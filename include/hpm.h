/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting the sections of a program.
 *
 *     hpmInit(rank, "myprogram");
 *     hpmStart(1, "outer loop");
 *     ...
 *     hpmStop(1);
 *     hpmTerminate(rank);
 *
 * A section is named by a number; its label, file and lines are taken from the
 * call. Sections nest to any depth, may be entered many times and recursively.
 * hpmStart() and hpmStop() count the process with all threads it starts later;
 * hpmTstart() and hpmTstop() count the calling thread alone, and are the ones
 * to use inside a parallel region. When the program ends, one performance file
 * for the task is written: see hpm(3) for its name and for the environment
 * variables that choose events and file.
 *
 * Nothing here exits or fails visibly: what went wrong (an unknown event, a
 * stop without a start) is told in the performance file. Only if that cannot be
 * written in the end, or has sections without counts, one line on standard
 * error says so.
 *
 * Compile with -DHPM_DISABLE and every call vanishes.
 *
 * The counters run all the time; a start or stop only reads them. What the
 * calls themselves cost is measured and subtracted, along the nesting; the file
 * has the raw numbers too.
 */
#ifndef HPM_H
#define HPM_H

#include <assay/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a call stands in the source. The name is copied. */
struct hpm_place {
	const char *file;
	int line;
};

#ifndef HPM_DISABLE

ASSAY_API void hpm_init_at(int task, const char *program);
ASSAY_API void hpm_terminate_at(int task);
/* The sentence for what failed last, such as writing the file; or "". */
ASSAY_API const char *hpm_error(void);

ASSAY_API void hpm_start_at(int id, const char *label,
			    const struct hpm_place *place);
ASSAY_API void hpm_stop_at(int id, const struct hpm_place *place);
ASSAY_API void hpm_tstart_at(int id, const char *label,
			     const struct hpm_place *place);
ASSAY_API void hpm_tstop_at(int id, const struct hpm_place *place);

/* Section numbers that measure what a pair of calls costs. */
#define HPM_COST_OUTER  (-2147483647)
#define HPM_COST_INNER  (-2147483646)
#define HPM_COST_ROUNDS 20

#define HPM_PLACE_                                                             \
	(__extension__({                                                       \
		static const struct hpm_place hpm_here_ = { __FILE__,          \
							    __LINE__ };        \
		&hpm_here_;                                                    \
	}))

#define hpmStart(id, label)  hpm_start_at((id), (label), HPM_PLACE_)
#define hpmStop(id)          hpm_stop_at((id), HPM_PLACE_)
#define hpmTstart(id, label) hpm_tstart_at((id), (label), HPM_PLACE_)
#define hpmTstop(id)         hpm_tstop_at((id), HPM_PLACE_)

/*
 * What a pair of calls costs depends on the code around it, so it is measured
 * here, in the user's own code, compiled as the user's own calls are.
 */
static inline void hpm_measure_cost(void)
{
	for (int i = 0; i < HPM_COST_ROUNDS; i++) {
		hpmStart(HPM_COST_OUTER, "");
		hpmStart(HPM_COST_INNER, "");
		hpmStop(HPM_COST_INNER);
		hpmStop(HPM_COST_OUTER);
		hpmTstart(HPM_COST_OUTER, "");
		hpmTstart(HPM_COST_INNER, "");
		hpmTstop(HPM_COST_INNER);
		hpmTstop(HPM_COST_OUTER);
	}
}

#define hpmInit(task, program)                                                 \
	(hpm_init_at((task), (program)), hpm_measure_cost())
#define hpmTerminate(task) (hpm_measure_cost(), hpm_terminate_at(task))

#else /* HPM_DISABLE */

static inline const char *hpm_error(void)
{
	return "";
}

#define hpmInit(task, program) ((void)(task), (void)(program))
#define hpmTerminate(task)     ((void)(task))
#define hpmStart(id, label)    ((void)(id), (void)(label))
#define hpmStop(id)            ((void)(id))
#define hpmTstart(id, label)   ((void)(id), (void)(label))
#define hpmTstop(id)           ((void)(id))

#endif /* HPM_DISABLE */

#ifdef __cplusplus
}

/* A section of the thread as long as a block: hpm::Section here(3, "sum"); */
namespace hpm
{
class Section
{
      public:
#ifndef HPM_DISABLE
	Section(int id, const char *label, const char *file = __builtin_FILE(),
		int line = __builtin_LINE())
	    : id_(id), place_()
	{
		place_.file = file;
		place_.line = line;
		hpm_tstart_at(id_, label, &place_);
	}
	~Section()
	{
		hpm_tstop_at(id_, &place_);
	}
#else
	Section(int, const char *)
	{
	}
	~Section()
	{
	}
#endif

      private:
	Section(const Section &);
	Section &operator=(const Section &);
#ifndef HPM_DISABLE
	int id_;
	struct hpm_place place_;
#endif
};
} /* namespace hpm */
#endif

#endif /* HPM_H */
