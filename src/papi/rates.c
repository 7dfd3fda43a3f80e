/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates: instructions per cycle, floating-point operations per second. The
 * first call starts, each further one tells what happened since.
 *
 * PAPI_flips() and PAPI_flops() are of the high level of 2000 and tell times
 * and counts since the first call; the others are PAPI 7's and tell them since
 * the last. The rate is always since the last.
 *
 * On a modelled machine time is its cycles by its clock: the time that
 * simulating takes says nothing about the program.
 */
#include <stddef.h>

#include <papi.h>

#include "base/array.h"
#include "papi/error.h"
#include "papi/hl_thread.h"
#include "papi/library.h"

enum {
	RATE_FLIPS_RATE,
	RATE_FLOPS_RATE,
	RATE_IPC,
	RATE_EPC,
	RATE_FLIPS,
	RATE_FLOPS,
};

#define MAX_EVENTS 3

/* What happened since the last call, and in all. */
struct passed {
	double real_s;
	double virt_s;
	double total_real_s;
	double total_virt_s;
	long long counts[MAX_EVENTS];
	long long total; /* of the first event */
};

static void note_time(struct hl_rate *rate, struct passed *out)
{
	long long real = PAPI_get_real_nsec();
	long long virt = PAPI_get_virt_nsec();

	out->real_s = (double)(real - rate->real_ns) * 1e-9;
	out->virt_s = (double)(virt - rate->virt_ns) * 1e-9;
	out->total_real_s = (double)(real - rate->first_real_ns) * 1e-9;
	out->total_virt_s = (double)(virt - rate->first_virt_ns) * 1e-9;
	rate->real_ns = real;
	rate->virt_ns = virt;
}

/* The clock of the machine that this process is modelled on; 0: real time. */
static double modelled_hz(void)
{
	const struct library *lib = library_get();
	const struct component_machine *m =
		lib ? events_machine(lib->events) : NULL;

	return m && m->is_here && m->clock_hz > 0 ? m->clock_hz : 0;
}

/* The second event of a rate is cycles then. */
static void note_cycles(struct hl_rate *rate, double hz, struct passed *out)
{
	out->real_s = out->virt_s = (double)out->counts[1] / hz;
	rate->modelled_s += out->real_s;
	out->total_real_s = out->total_virt_s = rate->modelled_s;
}

static int begin(struct hl_rate *rate, int kind, const int *events, int n)
{
	int err = hl_set_start(&rate->set, events, n);

	if (err)
		return err;
	rate->kind = kind;
	rate->event = events[0];
	rate->total = 0;
	rate->modelled_s = 0;
	rate->real_ns = rate->first_real_ns = PAPI_get_real_nsec();
	rate->virt_ns = rate->first_virt_ns = PAPI_get_virt_nsec();
	return PAPI_OK;
}

/*
 * Start counting @events at the first call: then *@out is all zero. Otherwise
 * what happened since the last. PAPI_EINVAL if another rate is running.
 */
static int go_on(int kind, const int *events, int n, struct passed *out)
{
	struct passed passed = { 0 };
	struct hl_thread *t;
	struct hl_rate *rate;
	int err = hl_thread_get(&t);

	if (err)
		return error_set(err);
	rate = &t->rate;
	if (rate->set.id == PAPI_NULL) {
		err = begin(rate, kind, events, n);
	} else if (rate->kind != kind || rate->event != events[0]) {
		err = error_say(PAPI_EINVAL, "another rate is being measured; "
					     "PAPI_rate_stop() ends it");
	} else {
		err = PAPI_accum(rate->set.id, passed.counts);
		if (!err) {
			double hz = modelled_hz();

			note_time(rate, &passed);
			if (hz > 0)
				note_cycles(rate, hz, &passed);
			rate->total += passed.counts[0];
			passed.total = rate->total;
		}
	}
	if (!err)
		*out = passed;
	return err;
}

static float ratio(double a, double b)
{
	return b > 0 ? (float)(a / b) : 0.0F;
}

static bool is_one_of(int event, const int *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (events[i] == event)
			return true;
	return false;
}

/* Where a call wants its four results. */
struct wanted {
	float *rtime;
	float *ptime;
	long long *count;
	float *rate;
};

static bool is_complete(const struct wanted *w)
{
	return w->rtime && w->ptime && w->count && w->rate;
}

/* Millions a second of @event since the last call. */
static int millions(int kind, int event, struct wanted w)
{
	bool in_all = kind == RATE_FLIPS || kind == RATE_FLOPS;
	int events[] = { event, PAPI_TOT_CYC };
	struct hl_thread *t;
	struct passed p;
	int err;

	if (!is_complete(&w))
		return error_say(PAPI_EINVAL, "a result is NULL");
	err = hl_thread_get(&t); /* opens the library */
	if (err)
		return error_set(err);
	err = go_on(kind, events, modelled_hz() > 0 ? 2 : 1, &p);
	if (err)
		return err;
	*w.rtime = (float)(in_all ? p.total_real_s : p.real_s);
	*w.ptime = (float)(in_all ? p.total_virt_s : p.virt_s);
	*w.count = in_all ? p.total : p.counts[0];
	*w.rate = ratio((double)p.counts[0] * 1e-6, p.virt_s);
	return PAPI_OK;
}

int PAPI_flips_rate(int event, float *rtime, float *ptime, long long *flpins,
		    float *mflips)
{
	static const int events[] = { PAPI_FP_INS, PAPI_VEC_SP, PAPI_VEC_DP };

	if (!is_one_of(event, events, ARRAY_SIZE(events)))
		return error_say(PAPI_EINVAL, "not PAPI_FP_INS, PAPI_VEC_SP "
					      "or PAPI_VEC_DP");
	return millions(RATE_FLIPS_RATE, event,
			(struct wanted){ rtime, ptime, flpins, mflips });
}

int PAPI_flops_rate(int event, float *rtime, float *ptime, long long *flpops,
		    float *mflops)
{
	static const int events[] = { PAPI_FP_OPS, PAPI_SP_OPS, PAPI_DP_OPS };

	if (!is_one_of(event, events, ARRAY_SIZE(events)))
		return error_say(PAPI_EINVAL, "not PAPI_FP_OPS, PAPI_SP_OPS "
					      "or PAPI_DP_OPS");
	return millions(RATE_FLOPS_RATE, event,
			(struct wanted){ rtime, ptime, flpops, mflops });
}

int PAPI_flips(float *rtime, float *ptime, long long *flpins, float *mflips)
{
	return millions(RATE_FLIPS, PAPI_FP_INS,
			(struct wanted){ rtime, ptime, flpins, mflips });
}

int PAPI_flops(float *rtime, float *ptime, long long *flpops, float *mflops)
{
	return millions(RATE_FLOPS, PAPI_FP_OPS,
			(struct wanted){ rtime, ptime, flpops, mflops });
}

int PAPI_ipc(float *rtime, float *ptime, long long *ins, float *ipc)
{
	static const int events[] = { PAPI_TOT_INS, PAPI_TOT_CYC };
	struct passed p;
	int err;

	if (!rtime || !ptime || !ins || !ipc)
		return error_say(PAPI_EINVAL, "a result is NULL");
	err = go_on(RATE_IPC, events, 2, &p);
	if (err)
		return err;
	*rtime = (float)p.real_s;
	*ptime = (float)p.virt_s;
	*ins = p.counts[0];
	*ipc = ratio((double)p.counts[0], (double)p.counts[1]);
	return PAPI_OK;
}

int PAPI_epc(int event, float *rtime, float *ptime, long long *ref,
	     long long *core, long long *evt, float *epc)
{
	int events[] = { event ? event : (int)PAPI_TOT_INS, PAPI_TOT_CYC,
			 PAPI_REF_CYC };
	struct hl_thread *t;
	struct passed p;
	int n = 2;
	int err;

	if (!rtime || !ptime || !ref || !core || !evt || !epc)
		return error_say(PAPI_EINVAL, "a result is NULL");
	/* Reference cycles where there are some; 0 where not. The library has
	 * to be open to be asked. */
	err = hl_thread_get(&t);
	if (err)
		return error_set(err);
	if (PAPI_query_event(PAPI_REF_CYC) == PAPI_OK)
		n = 3;
	err = go_on(RATE_EPC, events, n, &p);
	if (err)
		return err;
	*rtime = (float)p.real_s;
	*ptime = (float)p.virt_s;
	*evt = p.counts[0];
	*core = p.counts[1];
	*ref = p.counts[2];
	*epc = ratio((double)p.counts[0], (double)p.counts[1]);
	return PAPI_OK;
}

int PAPI_rate_stop(void)
{
	struct hl_thread *t = hl_thread_find();

	if (!t || t->rate.set.id == PAPI_NULL)
		return error_say(PAPI_ENOEVNT, "no rate is being measured");
	return hl_set_stop(&t->rate.set, NULL);
}
