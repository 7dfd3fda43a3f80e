/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options: of the library, of a component, of an EventSet. Setting one of an
 * EventSet changes a copy of its options and hands it to the core, which
 * keeps the old ones if it cannot open the events with the new.
 */
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/array.h"
#include "core/ticker.h"
#include "papi/entry.h"

/* Change @set's options; returns what the core says. */
static int apply(struct eventset *set, const struct eventset_options *options)
{
	struct diag diag = { .text = "" };

	return error_from(eventset_set_options(set, options, &diag), &diag);
}

static bool is_domain(int domain)
{
	return domain >= PAPI_DOM_MIN && domain <= PAPI_DOM_MAX;
}

/* One of the granularities that @c can count at. */
static bool has_granularity(const struct component *c, int granularity)
{
	switch (granularity) {
	case PAPI_GRN_THR:
		return true;
	case PAPI_GRN_SYS:
	case PAPI_GRN_SYS_CPU:
		return (c->ops->caps & CAP_CPU_ATTACH) != 0;
	default:
		return false;
	}
}

/* The component that @set is for; the first if none is known yet. */
static struct component *component_of(const struct library *lib,
				      const struct eventset *set)
{
	int cidx = eventset_options(set)->component;

	if (cidx < 0 && eventset_size(set) > 0)
		cidx = (int)eventset_recipe(set, 0)->natives[0].component;
	return lib->registry->components[cidx < 0 ? 0 : cidx];
}

/* Defaults */

static void forget_info(struct library *lib, int cidx)
{
	if (lib->infos[cidx]) {
		lib->infos[cidx]->default_domain =
			(int)lib->defaults[cidx].domain;
		lib->infos[cidx]->default_granularity =
			lib->defaults[cidx].granularity;
	}
}

int PAPI_set_cmp_domain(int domain, int cidx)
{
	struct library *lib = library_need();

	if (!lib)
		return PAPI_ENOINIT;
	if (!is_domain(domain))
		return error_say(PAPI_EINVAL, "%d is not a domain", domain);
	if (!entry_component(lib, cidx))
		return PAPI_ENOCMP;
	pthread_mutex_lock(&lib->lock);
	lib->defaults[cidx].domain = (unsigned)domain;
	forget_info(lib, cidx);
	pthread_mutex_unlock(&lib->lock);
	return PAPI_OK;
}

int PAPI_set_domain(int domain)
{
	return PAPI_set_cmp_domain(domain, 0);
}

int PAPI_set_cmp_granularity(int granularity, int cidx)
{
	struct library *lib = library_need();
	struct component *c;

	if (!lib)
		return PAPI_ENOINIT;
	c = entry_component(lib, cidx);
	if (!c)
		return PAPI_ENOCMP;
	if (!has_granularity(c, granularity))
		return error_say(PAPI_EINVAL,
				 "%s does not support granularity %d",
				 c->ops->name, granularity);
	pthread_mutex_lock(&lib->lock);
	lib->defaults[cidx].granularity = granularity;
	forget_info(lib, cidx);
	pthread_mutex_unlock(&lib->lock);
	return PAPI_OK;
}

int PAPI_set_granularity(int granularity)
{
	return PAPI_set_cmp_granularity(granularity, 0);
}

/* An EventSet's own */

static int set_domain_of(const PAPI_domain_option_t *ask)
{
	ENTRY_SET(set, ask->eventset);
	struct eventset_options options;

	if (!set)
		return error_no_set(ask->eventset);
	if (!is_domain(ask->domain))
		return error_say(PAPI_EINVAL, "%d is not a domain",
				 ask->domain);
	options = *eventset_options(set);
	options.slice.domain = (unsigned)ask->domain;
	return apply(set, &options);
}

static int set_granularity_of(const PAPI_granularity_option_t *ask)
{
	ENTRY_SET(set, ask->eventset);
	struct eventset_options options;
	struct component *c;

	if (!set)
		return error_no_set(ask->eventset);
	c = component_of(library_get(), set);
	if (!has_granularity(c, ask->granularity))
		return error_say(PAPI_EINVAL,
				 "%s does not support granularity %d",
				 c->ops->name, ask->granularity);
	options = *eventset_options(set);
	options.slice.granularity = ask->granularity;
	return apply(set, &options);
}

int PAPI_attach(int EventSet, unsigned long tid)
{
	ENTRY_SET(set, EventSet);
	struct eventset_options options;

	if (!set)
		return error_no_set(EventSet);
	if (tid == 0 || tid > INT_MAX)
		return error_say(PAPI_EINVAL, "%lu is not a thread or process",
				 tid);
	options = *eventset_options(set);
	options.slice.target = TARGET_TASK;
	options.slice.tid = (pid_t)tid;
	options.attached = true;
	return apply(set, &options);
}

int PAPI_detach(int EventSet)
{
	ENTRY_SET(set, EventSet);
	struct eventset_options options;

	if (!set)
		return error_no_set(EventSet);
	options = *eventset_options(set);
	if (!options.attached)
		return error_say(PAPI_EINVAL, "the EventSet is not attached");
	options.slice.target = TARGET_SELF;
	options.slice.tid = 0;
	options.slice.on_exec = false;
	options.attached = false;
	return apply(set, &options);
}

static int attach_to_cpu(const PAPI_cpu_option_t *ask)
{
	ENTRY_SET(set, ask->eventset);
	struct eventset_options options;
	struct component *c;

	if (!set)
		return error_no_set(ask->eventset);
	if (ask->cpu_num > INT_MAX)
		return error_say(PAPI_EINVAL, "%u is not a CPU", ask->cpu_num);
	c = component_of(library_get(), set);
	if (!(c->ops->caps & CAP_CPU_ATTACH))
		return error_say(PAPI_ECMP, "%s cannot count a CPU",
				 c->ops->name);
	options = *eventset_options(set);
	options.slice.target = TARGET_CPU;
	options.slice.cpu = (int)ask->cpu_num;
	options.attached = false;
	return apply(set, &options);
}

static int set_inherit_of(const PAPI_inherit_option_t *ask)
{
	ENTRY_SET(set, ask->eventset);
	struct eventset_options options;

	if (!set)
		return error_no_set(ask->eventset);
	options = *eventset_options(set);
	options.slice.inherit = ask->inherit != PAPI_INHERIT_NONE;
	return apply(set, &options);
}

/* Multiplexing */

int PAPI_multiplex_init(void)
{
	return library_need() ? PAPI_OK : PAPI_ENOINIT;
}

static int multiplex(int id, int ns, int flags)
{
	ENTRY_SET(set, id);
	struct eventset_options options;

	if (!set)
		return error_no_set(id);
	if (ns < 0 || (flags & ~PAPI_MULTIPLEX_FORCE_SW))
		return error_set(PAPI_EINVAL);
	options = *eventset_options(set);
	options.slice.multiplex = true;
	if (ns > 0)
		options.slice.multiplex_ns = (uint64_t)ns;
	options.software_mpx = flags & PAPI_MULTIPLEX_FORCE_SW;
	return apply(set, &options);
}

int PAPI_set_multiplex(int EventSet)
{
	return multiplex(EventSet, 0, PAPI_MULTIPLEX_DEFAULT);
}

int PAPI_get_multiplex(int EventSet)
{
	ENTRY_SET(set, EventSet);

	if (!set)
		return error_no_set(EventSet);
	return eventset_options(set)->slice.multiplex;
}

/* Debugging */

int PAPI_set_debug(int level)
{
	PAPI_debug_handler_t handler;

	if (level < PAPI_QUIET || level > PAPI_VERB_ESTOP)
		return error_say(PAPI_EINVAL, "%d is not a debug level", level);
	library_debug(&handler);
	library_set_debug(level, handler);
	return PAPI_OK;
}

static int set_debug(const PAPI_debug_option_t *ask)
{
	if (ask->level < PAPI_QUIET || ask->level > PAPI_VERB_ESTOP)
		return error_say(PAPI_EINVAL, "%d is not a debug level",
				 ask->level);
	library_set_debug(ask->level, ask->handler);
	return PAPI_OK;
}

static int load_user_events(const char *path)
{
	struct library *lib = library_get();
	struct diag diag = { .text = "" };
	int err;

	if (!path)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	err = events_load_file(lib->events, path, &diag);
	pthread_mutex_unlock(&lib->lock);
	return error_from(err, &diag);
}

static int set_multiplex_ns(int ns)
{
	struct library *lib = library_get();

	if (ns < 0)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	lib->multiplex_ns = ns;
	pthread_mutex_unlock(&lib->lock);
	return PAPI_OK;
}

static int set_check_ns(int ns)
{
	struct library *lib = library_get();

	if (ns < 1)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	lib->check_ns = ns;
	pthread_mutex_unlock(&lib->lock);
	return PAPI_OK;
}

/* Whether @signal is what the timer @num sends, or what tickers use. */
static bool is_signal_of(int num, int signal)
{
	static const int signals[] = {
		[ITIMER_REAL] = SIGALRM,
		[ITIMER_VIRTUAL] = SIGVTALRM,
		[ITIMER_PROF] = SIGPROF,
	};

	return num >= 0 && num < (int)ARRAY_SIZE(signals) &&
	       (signal == signals[num] || signal == ticker_signal());
}

/*
 * Software overflow looks by real time or by the thread's CPU time, user and
 * kernel alike; the signal is a ticker's whatever was named. No time of its own
 * leaves the interval as it is.
 */
static int set_timer(const PAPI_itimer_option_t *ask)
{
	struct library *lib = library_get();

	if (!is_signal_of(ask->itimer_num, ask->itimer_sig) || ask->ns < 0)
		return error_say(PAPI_EINVAL,
				 "timer %d does not send signal %d, or %d ns "
				 "is not a valid interval",
				 ask->itimer_num, ask->itimer_sig, ask->ns);
	pthread_mutex_lock(&lib->lock);
	lib->timer = ask->itimer_num;
	lib->timer_signal = ask->itimer_sig;
	if (ask->ns > 0)
		lib->check_ns = ask->ns;
	pthread_mutex_unlock(&lib->lock);
	return PAPI_OK;
}

int PAPI_set_opt(int option, PAPI_option_t *ptr)
{
	if (option != PAPI_DEBUG && !library_need())
		return PAPI_ENOINIT;
	if (!ptr)
		return error_set(PAPI_EINVAL);
	switch (option) {
	case PAPI_DEBUG:
		return set_debug(&ptr->debug);
	case PAPI_DETACH:
		return PAPI_detach(ptr->attach.eventset);
	case PAPI_ATTACH:
		return PAPI_attach(ptr->attach.eventset, ptr->attach.tid);
	case PAPI_CPU_ATTACH:
		return attach_to_cpu(&ptr->cpu);
	case PAPI_INHERIT:
		return set_inherit_of(&ptr->inherit);
	case PAPI_MULTIPLEX:
		return multiplex(ptr->multiplex.eventset, ptr->multiplex.ns,
				 ptr->multiplex.flags);
	case PAPI_DEF_MPX_NS:
		return set_multiplex_ns(ptr->multiplex.ns);
	case PAPI_DEFDOM:
		return PAPI_set_cmp_domain(ptr->defdomain.domain,
					   ptr->defdomain.def_cidx);
	case PAPI_DOMAIN:
		return set_domain_of(&ptr->domain);
	case PAPI_DEFGRN:
		return PAPI_set_cmp_granularity(ptr->defgranularity.granularity,
						ptr->defgranularity.def_cidx);
	case PAPI_GRANUL:
		return set_granularity_of(&ptr->granularity);
	case PAPI_USER_EVENTS_FILE:
		return load_user_events(ptr->events_file);
	case PAPI_DATA_ADDRESS:
	case PAPI_INSTR_ADDRESS:
		return error_say(
			PAPI_ECMP,
			"no component can count only in a range of addresses");
	case PAPI_DEF_ITIMER:
		return set_timer(&ptr->itimer);
	case PAPI_DEF_ITIMER_NS:
		return set_check_ns(ptr->itimer.ns);
	default:
		return error_say(PAPI_EINVAL, "option %d cannot be set",
				 option);
	}
}

/* Asking */

static int clock_rate(void)
{
	const PAPI_hw_info_t *info = PAPI_get_hardware_info();

	return info ? info->cpu_max_mhz : error_last();
}

/* Numbers that need no structure. PAPI_EINVAL: not one of those. */
static int get_number(int option, int cidx)
{
	const PAPI_component_info_t *info;

	switch (option) {
	case PAPI_MAX_HWCTRS:
		return PAPI_num_cmp_hwctrs(cidx);
	case PAPI_LIB_VERSION:
		return library_version();
	case PAPI_MAX_CPUS:
		return (int)sysconf(_SC_NPROCESSORS_ONLN);
	case PAPI_CLOCKRATE:
		return clock_rate();
	case PAPI_MAX_MPX_CTRS:
	case PAPI_DEFDOM:
	case PAPI_DEFGRN:
		break;
	default:
		return PAPI_EINVAL;
	}
	info = PAPI_get_component_info(cidx);
	if (!info)
		return error_last();
	if (option == PAPI_MAX_MPX_CTRS)
		return info->num_mpx_cntrs;
	return option == PAPI_DEFDOM ? info->default_domain
				     : info->default_granularity;
}

static void get_preload(PAPI_preload_info_t *info)
{
	strcpy(info->lib_preload_env, "LD_PRELOAD");
	info->lib_preload_sep = ' ';
	strcpy(info->lib_dir_env, "LD_LIBRARY_PATH");
	info->lib_dir_sep = ':';
}

/* What the machine and the program are. */
static int get_info(int option, PAPI_option_t *ptr, int cidx)
{
	switch (option) {
	case PAPI_PRELOAD:
		get_preload(&ptr->preload);
		return PAPI_OK;
	case PAPI_HWINFO:
		ptr->hw_info = (PAPI_hw_info_t *)PAPI_get_hardware_info();
		return ptr->hw_info ? PAPI_OK : error_last();
	case PAPI_EXEINFO:
		ptr->exe_info = (PAPI_exe_info_t *)PAPI_get_executable_info();
		return ptr->exe_info ? PAPI_OK : error_last();
	case PAPI_SHLIBINFO:
		ptr->shlib_info =
			(PAPI_shlib_info_t *)PAPI_get_shared_lib_info();
		return ptr->shlib_info ? PAPI_OK : error_last();
	case PAPI_COMPONENTINFO:
		ptr->cmp_info =
			(PAPI_component_info_t *)PAPI_get_component_info(cidx);
		return ptr->cmp_info ? PAPI_OK : error_last();
	case PAPI_DEBUG:
		ptr->debug.level = library_debug(&ptr->debug.handler);
		return PAPI_OK;
	case PAPI_DEF_MPX_NS:
		ptr->multiplex.ns = library_get()->multiplex_ns;
		return PAPI_OK;
	case PAPI_DEF_ITIMER:
	case PAPI_DEF_ITIMER_NS:
		ptr->itimer = (PAPI_itimer_option_t){
			.itimer_num = library_get()->timer,
			.itimer_sig = library_get()->timer_signal,
			.ns = library_get()->check_ns,
		};
		return PAPI_OK;
	default:
		return error_say(PAPI_EINVAL, "there is no option %d", option);
	}
}

/* An EventSet's option; its handle is where each structure has it. */
static int get_of_set(int option, int id, PAPI_option_t *ptr)
{
	ENTRY_SET(set, id);
	const struct eventset_options *o;

	if (!set)
		return error_no_set(id);
	o = eventset_options(set);
	switch (option) {
	case PAPI_ATTACH:
		ptr->attach.tid = (unsigned long)o->slice.tid;
		return o->attached;
	case PAPI_DETACH:
		ptr->attach.tid = (unsigned long)o->slice.tid;
		return !o->attached;
	case PAPI_CPU_ATTACH:
		ptr->cpu.cpu_num = (unsigned)o->slice.cpu;
		return o->slice.target == TARGET_CPU;
	case PAPI_INHERIT:
		ptr->inherit.inherit =
			o->slice.inherit ? PAPI_INHERIT_ALL : PAPI_INHERIT_NONE;
		return PAPI_OK;
	case PAPI_MULTIPLEX:
		ptr->multiplex.ns = (int)o->slice.multiplex_ns;
		ptr->multiplex.flags = o->software_mpx ? PAPI_MULTIPLEX_FORCE_SW
						       : PAPI_MULTIPLEX_DEFAULT;
		return o->slice.multiplex;
	case PAPI_DOMAIN:
		ptr->domain.domain =
			o->slice.domain ? (int)o->slice.domain : PAPI_DOM_USER;
		return PAPI_OK;
	default:
		ptr->granularity.granularity = o->slice.granularity;
		return PAPI_OK;
	}
}

int PAPI_get_cmp_opt(int option, PAPI_option_t *ptr, int cidx)
{
	struct library *lib = library_need();
	int number;

	if (!lib)
		return PAPI_ENOINIT;
	if (!entry_component(lib, cidx))
		return PAPI_ENOCMP;
	number = get_number(option, cidx);
	if (number != PAPI_EINVAL)
		return number;
	if (!ptr)
		return error_set(PAPI_EINVAL);
	switch (option) {
	case PAPI_ATTACH:
	case PAPI_DETACH:
		return get_of_set(option, ptr->attach.eventset, ptr);
	case PAPI_CPU_ATTACH:
		return get_of_set(option, ptr->cpu.eventset, ptr);
	case PAPI_INHERIT:
		return get_of_set(option, ptr->inherit.eventset, ptr);
	case PAPI_MULTIPLEX:
		return get_of_set(option, ptr->multiplex.eventset, ptr);
	case PAPI_DOMAIN:
		return get_of_set(option, ptr->domain.eventset, ptr);
	case PAPI_GRANUL:
		return get_of_set(option, ptr->granularity.eventset, ptr);
	default:
		return get_info(option, ptr, cidx);
	}
}

int PAPI_get_opt(int option, PAPI_option_t *ptr)
{
	bool counters =
		option == PAPI_MAX_HWCTRS || option == PAPI_MAX_MPX_CTRS;
	struct library *lib = library_get();

	return PAPI_get_cmp_opt(option, ptr,
				counters && lib ? entry_hardware(lib) : 0);
}
