/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's interface: one way to count hardware and software events on any
 * machine. Names, values and layouts are those of PAPI 7.0, so that programs
 * written or compiled for it run on assay unchanged; assay/assay.h adds what
 * this interface has no room for. -DASSAY_PAPI_MINOR=1 or =2 selects those of
 * 7.1 or 7.2, for programs that are linked with libpapi.so.7.1 or 7.2.
 *
 * In short: PAPI_library_init(PAPI_VER_CURRENT), PAPI_create_eventset(),
 * PAPI_add_named_event(), PAPI_start(), the work, PAPI_stop().
 *
 * Unless it says otherwise, a call returns PAPI_OK or one of the negative
 * codes below, leaves everything as it was when it fails, and may be made from
 * any thread; one EventSet is used by one thread at a time. Before
 * PAPI_library_init() every call that needs the library gives PAPI_ENOINIT. A
 * handle that names no EventSet gives PAPI_ENOEVST, a pointer that is NULL
 * where it must not be PAPI_EINVAL; this is not repeated at each call. Nothing
 * is ever printed, except by PAPI_perror().
 */
#ifndef PAPI_H
#define PAPI_H

#include <limits.h>
#include <signal.h>
#include <sys/types.h>

#include "papiStdEventDefs.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* Versions */

#define PAPI_VERSION_NUMBER(maj, min, rev, inc)                                \
	(((maj) << 24) | ((min) << 16) | ((rev) << 8) | (inc))
#define PAPI_VERSION_MAJOR(x)     (((x) >> 24) & 0xff)
#define PAPI_VERSION_MINOR(x)     (((x) >> 16) & 0xff)
#define PAPI_VERSION_REVISION(x)  (((x) >> 8) & 0xff)
#define PAPI_VERSION_INCREMENT(x) ((x)&0xff)

/* The version whose interface this is. Its upper half must match. */
#ifndef ASSAY_PAPI_MINOR
#define ASSAY_PAPI_MINOR 0
#endif
#if ASSAY_PAPI_MINOR < 0 || ASSAY_PAPI_MINOR > 2
#error "ASSAY_PAPI_MINOR: 0, 1 or 2, for PAPI 7.0, 7.1 or 7.2"
#endif
#define PAPI_VERSION     PAPI_VERSION_NUMBER(7, ASSAY_PAPI_MINOR, 0, 0)
#define PAPI_VER_CURRENT (PAPI_VERSION & 0xffff0000)

/* Which kind of event a code is. */
#define IS_NATIVE(code)                                                        \
	(((code)&PAPI_NATIVE_MASK) && !((code)&PAPI_PRESET_MASK))
#define IS_PRESET(code)                                                        \
	(((code)&PAPI_PRESET_MASK) && !((code)&PAPI_NATIVE_MASK))
#define IS_USER_DEFINED(code)                                                  \
	(((code)&PAPI_PRESET_MASK) && ((code)&PAPI_NATIVE_MASK))

/* Return codes */

#define PAPI_OK            0
#define PAPI_EINVAL        -1  /* an argument is wrong */
#define PAPI_ENOMEM        -2  /* no memory left */
#define PAPI_ESYS          -3  /* a system call failed */
#define PAPI_ECMP          -4  /* the component cannot do it */
#define PAPI_ESBSTR        -4  /* its name before there were components */
#define PAPI_ECLOST        -5  /* the counters were taken away */
#define PAPI_EBUG          -6  /* a fault in the library */
#define PAPI_ENOEVNT       -7  /* there is no such event here */
#define PAPI_ECNFLCT       -8  /* the events cannot be counted together */
#define PAPI_ENOTRUN       -9  /* the EventSet is not running */
#define PAPI_EISRUN        -10 /* the EventSet is running */
#define PAPI_ENOEVST       -11 /* there is no such EventSet */
#define PAPI_ENOTPRESET    -12 /* not a preset's code */
#define PAPI_ENOCNTR       -13 /* this machine has no counters */
#define PAPI_EMISC         -14 /* none of the others */
#define PAPI_EPERM         -15 /* not allowed to this user */
#define PAPI_ENOINIT       -16 /* PAPI_library_init() comes first */
#define PAPI_ENOCMP        -17 /* there is no such component */
#define PAPI_ENOSUPP       -18 /* not supported */
#define PAPI_ENOIMPL       -19 /* not implemented */
#define PAPI_EBUF          -20 /* more than fits */
#define PAPI_EINVAL_DOM    -21 /* not in this domain */
#define PAPI_EATTR         -22 /* an event's attribute is wrong or missing */
#define PAPI_ECOUNT        -23 /* too many events or attributes */
#define PAPI_ECOMBO        -24 /* features that exclude each other */
#define PAPI_ECMP_DISABLED -25 /* the component is disabled */
#define PAPI_EDELAY_INIT   -26 /* the component is not set up yet */
#define PAPI_EMULPASS      -27 /* would take several passes to count */
#if ASSAY_PAPI_MINOR >= 2
#define PAPI_PARTIAL    -28 /* the component can do it in part */
#define PAPI_NUM_ERRORS 29
#else
#define PAPI_NUM_ERRORS 28
#endif

/* What PAPI_is_initialized() says */

#define PAPI_NOT_INITED          0
#define PAPI_LOW_LEVEL_INITED    1
#define PAPI_HIGH_LEVEL_INITED   2
#define PAPI_THREAD_LEVEL_INITED 4

/* No event, no EventSet. */
#define PAPI_NULL -1

/* Domains: where the processor is while events are counted; may be ORed. */

#define PAPI_DOM_USER       0x1
#define PAPI_DOM_MIN        PAPI_DOM_USER
#define PAPI_DOM_KERNEL     0x2
#define PAPI_DOM_OTHER      0x4 /* neither: exceptions, firmware */
#define PAPI_DOM_SUPERVISOR 0x8 /* the hypervisor */
#define PAPI_DOM_ALL                                                           \
	(PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_OTHER | PAPI_DOM_SUPERVISOR)
#define PAPI_DOM_MAX    PAPI_DOM_ALL
#define PAPI_DOM_HWSPEC 0x80000000 /* of a component, not a CPU */

/* Slots for a thread's own pointers */

#define PAPI_USR1_TLS        0x0
#define PAPI_USR2_TLS        0x1
#define PAPI_TLS_HIGH_LEVEL  0x2
#define PAPI_NUM_TLS         0x3
#define PAPI_TLS_USR1        PAPI_USR1_TLS
#define PAPI_TLS_USR2        PAPI_USR2_TLS
#define PAPI_TLS_NUM         PAPI_NUM_TLS
#define PAPI_TLS_ALL_THREADS 0x10 /* ORed: every thread's pointer */

/* Locks lent to the user */

#define PAPI_USR1_LOCK 0x0
#define PAPI_USR2_LOCK 0x1
#define PAPI_NUM_LOCK  0x2
#define PAPI_LOCK_USR1 PAPI_USR1_LOCK
#define PAPI_LOCK_USR2 PAPI_USR2_LOCK
#define PAPI_LOCK_NUM  PAPI_NUM_LOCK

/* Makers of processors */

#define PAPI_VENDOR_UNKNOWN   0
#define PAPI_VENDOR_INTEL     1
#define PAPI_VENDOR_AMD       2
#define PAPI_VENDOR_IBM       3
#define PAPI_VENDOR_CRAY      4
#define PAPI_VENDOR_SUN       5
#define PAPI_VENDOR_FREESCALE 6
#define PAPI_VENDOR_ARM       7
#define PAPI_VENDOR_MIPS      8

/* ARM's implementer codes, as the processor itself gives them */
#define PAPI_VENDOR_ARM_ARM       0x41
#define PAPI_VENDOR_ARM_BROADCOM  0x42
#define PAPI_VENDOR_ARM_CAVIUM    0x43
#define PAPI_VENDOR_ARM_FUJITSU   0x46
#define PAPI_VENDOR_ARM_HISILICON 0x48
#define PAPI_VENDOR_ARM_APM       0x50
#define PAPI_VENDOR_ARM_QUALCOMM  0x51

/* Granularity: whose events are counted */

#define PAPI_GRN_THR     0x1 /* one thread's */
#define PAPI_GRN_MIN     PAPI_GRN_THR
#define PAPI_GRN_PROC    0x2  /* one process's */
#define PAPI_GRN_PROCG   0x4  /* a process group's */
#define PAPI_GRN_SYS     0x8  /* all that this CPU runs */
#define PAPI_GRN_SYS_CPU 0x10 /* all that every CPU runs */
#define PAPI_GRN_MAX     PAPI_GRN_SYS_CPU

/* State of an EventSet: bits that PAPI_state() ORs together */

#define PAPI_STOPPED      0x01
#define PAPI_RUNNING      0x02
#define PAPI_PAUSED       0x04
#define PAPI_NOT_INIT     0x08 /* there, but empty */
#define PAPI_OVERFLOWING  0x10 /* calls back at a threshold */
#define PAPI_PROFILING    0x20
#define PAPI_MULTIPLEXING 0x40
#define PAPI_ATTACHED     0x80  /* to another thread or process */
#define PAPI_CPU_ATTACHED 0x100 /* to a CPU */

/* What happens when a call fails, for PAPI_set_debug() */

#define PAPI_QUIET      0 /* its return code says so */
#define PAPI_VERB_ECONT 1 /* also tell the debug handler */
#define PAPI_VERB_ESTOP 2 /* the same; the handler may end the program */

/* Profiling: may be ORed, but for one bucket size at most */

#define PAPI_PROFIL_POSIX     0x0 /* every sample counts one */
#define PAPI_PROFIL_RANDOM    0x1 /* leave out a quarter, by chance */
#define PAPI_PROFIL_WEIGHTED  0x2 /* count by how far it went over */
#define PAPI_PROFIL_COMPRESS  0x4 /* stop a bucket at its largest value */
#define PAPI_PROFIL_BUCKET_16 0x8 /* the default */
#define PAPI_PROFIL_BUCKET_32 0x10
#define PAPI_PROFIL_BUCKET_64 0x20
#define PAPI_PROFIL_FORCE_SW  0x40  /* sample by a timer */
#define PAPI_PROFIL_DATA_EAR  0x80  /* data addresses */
#define PAPI_PROFIL_INST_EAR  0x100 /* instruction addresses */
#define PAPI_PROFIL_BUCKETS                                                    \
	(PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_BUCKET_64)

#define PAPI_OVERFLOW_FORCE_SW  0x40 /* look at a timer's ticks */
#define PAPI_OVERFLOW_HARDWARE  0x80 /* by the counter's interrupt */

#define PAPI_MULTIPLEX_DEFAULT  0x0 /* the kernel's, if it has it */
#define PAPI_MULTIPLEX_FORCE_SW 0x1 /* the library's own */

#define PAPI_INHERIT_ALL        1 /* count children too */
#define PAPI_INHERIT_NONE       0

/* Options for PAPI_get_opt() and PAPI_set_opt() */

#define PAPI_DETACH           1
#define PAPI_DEBUG            2
#define PAPI_MULTIPLEX        3
#define PAPI_DEFDOM           4 /* domain of EventSets made from now on */
#define PAPI_DOMAIN           5
#define PAPI_DEFGRN           6 /* granularity of EventSets to come */
#define PAPI_GRANUL           7
#define PAPI_DEF_MPX_NS       8 /* how long a multiplexed event counts */
#define PAPI_MAX_MPX_CTRS     11
#define PAPI_PROFIL           12
#define PAPI_PRELOAD          13 /* the variables that preload a library */
#define PAPI_CLOCKRATE        14 /* MHz */
#define PAPI_MAX_HWCTRS       15
#define PAPI_HWINFO           16
#define PAPI_EXEINFO          17
#define PAPI_MAX_CPUS         18
#define PAPI_ATTACH           19
#define PAPI_SHLIBINFO        20
#define PAPI_LIB_VERSION      21
#define PAPI_COMPONENTINFO    22
#define PAPI_DATA_ADDRESS     23 /* count only at these data addresses */
#define PAPI_INSTR_ADDRESS    24 /* count only in this code */
#define PAPI_DEF_ITIMER       25 /* which timer, for software overflow */
#define PAPI_DEF_ITIMER_NS    26
#define PAPI_CPU_ATTACH       27
#define PAPI_INHERIT          28
#define PAPI_USER_EVENTS_FILE 29 /* load a file of user-defined events */

/* Room in the structures below, with the final NUL */

#define PAPI_INIT_SLOTS   64
#define PAPI_MIN_STR_LEN  64
#define PAPI_MAX_STR_LEN  128
#define PAPI_2MAX_STR_LEN 256
#define PAPI_HUGE_STR_LEN 1024
#define PAPI_PMU_MAX      80

#define PAPI_DERIVED      0x1 /* made of several native events */

/* What PAPI_enum_event() is to give */

enum {
	PAPI_ENUM_EVENTS = 0, /* the next one, whatever it is */
	PAPI_ENUM_FIRST,      /* the first one */
#if ASSAY_PAPI_MINOR >= 2
	PAPI_PRESET_ENUM_FIRST_COMP, /* the first preset of a component */
#endif
	PAPI_PRESET_ENUM_AVAIL, /* the next that can be counted here */
	PAPI_PRESET_ENUM_MSC,   /* the next of a group: miscellaneous */
	PAPI_PRESET_ENUM_INS,   /* instructions */
	PAPI_PRESET_ENUM_IDL,   /* stalled or idle */
	PAPI_PRESET_ENUM_BR,    /* branches */
	PAPI_PRESET_ENUM_CND,   /* conditional */
	PAPI_PRESET_ENUM_MEM,   /* memory */
	PAPI_PRESET_ENUM_CACH,  /* caches */
	PAPI_PRESET_ENUM_L1,
	PAPI_PRESET_ENUM_L2,
	PAPI_PRESET_ENUM_L3,
	PAPI_PRESET_ENUM_TLB,
	PAPI_PRESET_ENUM_FP, /* floating point */
#if ASSAY_PAPI_MINOR >= 2
	PAPI_PRESET_ENUM_CPU,       /* the next of the CPU's */
	PAPI_PRESET_ENUM_CPU_AVAIL, /* of these, that can be counted here */
#endif
	PAPI_NTV_ENUM_UMASKS, /* the masks of one native event */
	PAPI_NTV_ENUM_UMASK_COMBOS,
	PAPI_NTV_ENUM_IARR, /* those that take an instruction address range */
	PAPI_NTV_ENUM_DARR, /* a data address range */
	PAPI_NTV_ENUM_OPCM, /* an opcode to match */
	PAPI_NTV_ENUM_IEAR, /* that give instruction addresses */
	PAPI_NTV_ENUM_DEAR, /* data addresses */
	PAPI_NTV_ENUM_GROUPS
};

#define PAPI_ENUM_ALL PAPI_ENUM_EVENTS

/* Bits of PAPI_event_info_t.event_type */
#define PAPI_PRESET_BIT_MSC  (1 << PAPI_PRESET_ENUM_MSC)
#define PAPI_PRESET_BIT_INS  (1 << PAPI_PRESET_ENUM_INS)
#define PAPI_PRESET_BIT_IDL  (1 << PAPI_PRESET_ENUM_IDL)
#define PAPI_PRESET_BIT_BR   (1 << PAPI_PRESET_ENUM_BR)
#define PAPI_PRESET_BIT_CND  (1 << PAPI_PRESET_ENUM_CND)
#define PAPI_PRESET_BIT_MEM  (1 << PAPI_PRESET_ENUM_MEM)
#define PAPI_PRESET_BIT_CACH (1 << PAPI_PRESET_ENUM_CACH)
#define PAPI_PRESET_BIT_L1   (1 << PAPI_PRESET_ENUM_L1)
#define PAPI_PRESET_BIT_L2   (1 << PAPI_PRESET_ENUM_L2)
#define PAPI_PRESET_BIT_L3   (1 << PAPI_PRESET_ENUM_L3)
#define PAPI_PRESET_BIT_TLB  (1 << PAPI_PRESET_ENUM_TLB)
#define PAPI_PRESET_BIT_FP   (1 << PAPI_PRESET_ENUM_FP)

/* Where a native code keeps its group, on machines that have groups */
#define PAPI_NTV_GROUP_AND_MASK 0x00FF0000
#define PAPI_NTV_GROUP_SHIFT    16

#define long_long               long long
#define u_long_long             unsigned long long

/* Types */

typedef unsigned long PAPI_thread_id_t;

/* What PAPI_get_thr_specific() fills in for PAPI_TLS_ALL_THREADS. */
typedef struct _papi_all_thr_spec {
	int num;              /* in: room; out: how many threads there are */
	PAPI_thread_id_t *id; /* the caller's, or NULL */
	void **data;          /* the caller's */
} PAPI_all_thr_spec_t;

/*
 * What is called when an event has counted another threshold, in a signal
 * handler: where the program was, which events it was (see
 * PAPI_get_overflow_event_index()), and the signal's ucontext_t.
 */
typedef void (*PAPI_overflow_handler_t)(int EventSet, void *address,
					long long overflow_vector,
					void *context);

typedef void *vptr_t;

/* One histogram over a range of the program's addresses. */
typedef struct _papi_sprofil {
	void *pr_base;     /* buckets; must stay until profiling ends */
	unsigned pr_size;  /* bytes there */
	vptr_t pr_off;     /* address that the first bucket stands for */
	unsigned pr_scale; /* 65536: two bytes of code to a 16-bit bucket */
} PAPI_sprofil_t;

typedef struct _papi_itimer_option {
	int itimer_num;
	int itimer_sig;
	int ns;
	int flags;
} PAPI_itimer_option_t;

typedef struct _papi_inherit_option {
	int eventset;
	int inherit; /* PAPI_INHERIT_* */
} PAPI_inherit_option_t;

typedef struct _papi_domain_option {
	int def_cidx; /* component, for PAPI_DEFDOM */
	int eventset; /* for PAPI_DOMAIN */
	int domain;
} PAPI_domain_option_t;

typedef struct _papi_granularity_option {
	int def_cidx; /* component, for PAPI_DEFGRN */
	int eventset; /* for PAPI_GRANUL */
	int granularity;
} PAPI_granularity_option_t;

typedef struct _papi_preload_option {
	char lib_preload_env[PAPI_MAX_STR_LEN]; /* libraries to load first */
	char lib_preload_sep;
	char lib_dir_env[PAPI_MAX_STR_LEN]; /* where to look for them */
	char lib_dir_sep;
} PAPI_preload_info_t;

/* One source of counts. */
typedef struct _papi_component_option {
	char name[PAPI_MAX_STR_LEN];
	char short_name[PAPI_MIN_STR_LEN]; /* before "::" in event names */
	char description[PAPI_MAX_STR_LEN];
	char version[PAPI_MIN_STR_LEN];
	char support_version[PAPI_MIN_STR_LEN]; /* of a library below it */
	char kernel_version[PAPI_MIN_STR_LEN];  /* of a driver below it */
	char disabled_reason[PAPI_HUGE_STR_LEN];
	int disabled; /* 0, or why: a negative code */
#if ASSAY_PAPI_MINOR >= 2
	char partially_disabled_reason[PAPI_HUGE_STR_LEN];
	int partially_disabled; /* 1: some of its events cannot be counted */
#endif
	int initialized;
	int CmpIdx;
	int num_cntrs;
	int num_mpx_cntrs;
	int num_preset_events;
	int num_native_events;
	int default_domain;
	int available_domains;
	int default_granularity;
	int available_granularities;
	int hardware_intr_sig; /* the signal that brings overflows */
	int component_type;
	char *pmu_names[PAPI_PMU_MAX];
	int reserved[8];
	unsigned int hardware_intr : 1; /* overflow without a timer */
	unsigned int precise_intr : 1;  /* at the exact instruction */
	unsigned int posix1b_timers : 1;
	unsigned int kernel_profile : 1;
	unsigned int kernel_multiplex : 1;
	unsigned int fast_counter_read : 1; /* without a system call */
	unsigned int fast_real_timer : 1;
	unsigned int fast_virtual_timer : 1;
	unsigned int attach : 1;
	unsigned int attach_must_ptrace : 1;
	unsigned int cntr_umasks : 1; /* events have masks */
	unsigned int cpu : 1;         /* can be attached to a CPU */
	unsigned int inherit : 1;
	unsigned int reserved_bits : 19;
} PAPI_component_info_t;

typedef struct _papi_mpx_info {
	int timer_sig;
	int timer_num;
	int timer_us;
} PAPI_mpx_info_t;

typedef int (*PAPI_debug_handler_t)(int code);

typedef struct _papi_debug_option {
	int level;                    /* PAPI_QUIET and so on */
	PAPI_debug_handler_t handler; /* gets the code of a call that fails */
} PAPI_debug_option_t;

/* Where one file of the program lies in memory. */
typedef struct _papi_address_map {
	char name[PAPI_HUGE_STR_LEN];
	vptr_t text_start;
	vptr_t text_end;
	vptr_t data_start;
	vptr_t data_end;
	vptr_t bss_start;
	vptr_t bss_end;
} PAPI_address_map_t;

typedef struct _papi_program_info {
	char fullname[PAPI_HUGE_STR_LEN];
	PAPI_address_map_t address_info;
} PAPI_exe_info_t;

typedef struct _papi_shared_lib_info {
	PAPI_address_map_t *map;
	int count;
} PAPI_shlib_info_t;

typedef char *PAPI_user_defined_events_file_t;

/* Kinds of caches and TLBs: one of each group below, ORed */

#define PAPI_MH_TYPE_EMPTY                  0x0
#define PAPI_MH_TYPE_INST                   0x1
#define PAPI_MH_TYPE_DATA                   0x2
#define PAPI_MH_TYPE_VECTOR                 0x4
#define PAPI_MH_TYPE_TRACE                  0x8
#define PAPI_MH_TYPE_UNIFIED                (PAPI_MH_TYPE_INST | PAPI_MH_TYPE_DATA)
#define PAPI_MH_CACHE_TYPE(a)               ((a)&0xf)

#define PAPI_MH_TYPE_WT                     0x00 /* writes through */
#define PAPI_MH_TYPE_WB                     0x10 /* writes back */
#define PAPI_MH_CACHE_WRITE_POLICY(a)       ((a)&0xf0)

#define PAPI_MH_TYPE_UNKNOWN                0x000
#define PAPI_MH_TYPE_LRU                    0x100
#define PAPI_MH_TYPE_PSEUDO_LRU             0x200
#define PAPI_MH_TYPE_FIFO                   0x400
#define PAPI_MH_CACHE_REPLACEMENT_POLICY(a) ((a)&0xf00)

#define PAPI_MH_TYPE_TLB                    0x1000
#define PAPI_MH_TYPE_PREF                   0x2000 /* prefetches */

#define PAPI_MH_TYPE_RD_ALLOC               0x10000
#define PAPI_MH_TYPE_WR_ALLOC               0x20000
#define PAPI_MH_TYPE_RW_ALLOC               0x40000
#define PAPI_MH_CACHE_ALLOCATION_POLICY(a)  ((a)&0xf0000)

#define PAPI_MH_MAX_LEVELS                  6 /* caches or TLBs of one level */
#define PAPI_MAX_MEM_HIERARCHY_LEVELS       4

typedef struct _papi_mh_tlb_info {
	int type; /* PAPI_MH_TYPE_* */
	int num_entries;
	int page_size; /* bytes */
	int associativity;
} PAPI_mh_tlb_info_t;

typedef struct _papi_mh_cache_info {
	int type;      /* PAPI_MH_TYPE_* */
	int size;      /* bytes */
	int line_size; /* bytes */
	int num_lines;
	int associativity;
} PAPI_mh_cache_info_t;

typedef struct _papi_mh_level_info {
	PAPI_mh_tlb_info_t tlb[PAPI_MH_MAX_LEVELS];
	PAPI_mh_cache_info_t cache[PAPI_MH_MAX_LEVELS];
} PAPI_mh_level_t;

typedef struct _papi_mh_info {
	int levels;
	PAPI_mh_level_t level[PAPI_MAX_MEM_HIERARCHY_LEVELS];
} PAPI_mh_info_t;

/* The machine. */
typedef struct _papi_hw_info {
	int ncpu;    /* CPUs of a NUMA node */
	int threads; /* hardware threads of a core */
	int cores;   /* of a socket */
	int sockets;
	int nnodes; /* NUMA nodes */
	int totalcpus;
	int vendor; /* PAPI_VENDOR_* */
	char vendor_string[PAPI_MAX_STR_LEN];
	int model;
	char model_string[PAPI_MAX_STR_LEN];
	float revision;
	int cpuid_family;
	int cpuid_model;
	int cpuid_stepping;
	int cpu_max_mhz;
	int cpu_min_mhz;
	PAPI_mh_info_t mem_hierarchy;
	int virtualized; /* 1: a virtual machine */
	char virtual_vendor_string[PAPI_MAX_STR_LEN];
	char virtual_vendor_version[PAPI_MAX_STR_LEN];
	float mhz;     /* the same as cpu_max_mhz; old programs ask here */
	int clock_mhz; /* likewise */
	int reserved[8];
} PAPI_hw_info_t;

typedef struct _papi_attach_option {
	int eventset;
	unsigned long tid;
} PAPI_attach_option_t;

typedef struct _papi_cpu_option {
	int eventset;
	unsigned int cpu_num;
} PAPI_cpu_option_t;

typedef struct _papi_multiplex_option {
	int eventset;
	int ns;    /* how long an event counts before the next one's turn */
	int flags; /* PAPI_MULTIPLEX_* */
} PAPI_multiplex_option_t;

typedef struct _papi_addr_range_option {
	int eventset;
	vptr_t start;
	vptr_t end;
	int start_off; /* out: how far the hardware's range is from the one */
	int end_off;   /* asked for */
} PAPI_addr_range_option_t;

typedef union {
	PAPI_preload_info_t preload;
	PAPI_debug_option_t debug;
	PAPI_inherit_option_t inherit;
	PAPI_granularity_option_t granularity;
	PAPI_granularity_option_t defgranularity;
	PAPI_domain_option_t domain;
	PAPI_domain_option_t defdomain;
	PAPI_attach_option_t attach;
	PAPI_cpu_option_t cpu;
	PAPI_multiplex_option_t multiplex;
	PAPI_itimer_option_t itimer;
	PAPI_hw_info_t *hw_info;
	PAPI_shlib_info_t *shlib_info;
	PAPI_exe_info_t *exe_info;
	PAPI_component_info_t *cmp_info;
	PAPI_addr_range_option_t addr;
	PAPI_user_defined_events_file_t events_file;
} PAPI_option_t;

/* Memory of this process, in KiB; the page size in bytes. */
typedef struct _dmem_t {
	long long peak;
	long long size;
	long long resident;
	long long high_water_mark; /* the most that was ever resident */
	long long shared;
	long long text;
	long long library;
	long long heap;
	long long locked;
	long long stack;
	long long pagesize;
	long long pte; /* page tables */
} PAPI_dmem_info_t;

/* The same as indices of a Fortran array */
#define PAPIF_DMEM_VMPEAK     1
#define PAPIF_DMEM_VMSIZE     2
#define PAPIF_DMEM_RESIDENT   3
#define PAPIF_DMEM_HIGH_WATER 4
#define PAPIF_DMEM_SHARED     5
#define PAPIF_DMEM_TEXT       6
#define PAPIF_DMEM_LIBRARY    7
#define PAPIF_DMEM_HEAP       8
#define PAPIF_DMEM_LOCKED     9
#define PAPIF_DMEM_STACK      10
#define PAPIF_DMEM_PAGESIZE   11
#define PAPIF_DMEM_PTE        12
#define PAPIF_DMEM_MAXVAL     12

/* Room for native events in the description of a formula */
#define PAPI_MAX_INFO_TERMS 12
#if ASSAY_PAPI_MINOR >= 2
#define PAPI_MAX_COMP_QUALS 8
#endif

enum {
	PAPI_LOCATION_CORE = 0,
	PAPI_LOCATION_CPU,
	PAPI_LOCATION_PACKAGE,
	PAPI_LOCATION_UNCORE
};

/* What a value is, in the bits of its long long */
enum {
	PAPI_DATATYPE_INT64 = 0,
	PAPI_DATATYPE_UINT64,
	PAPI_DATATYPE_FP64,
	PAPI_DATATYPE_BIT64
};

enum {
	PAPI_VALUETYPE_RUNNING_SUM = 0, /* grows */
	PAPI_VALUETYPE_ABSOLUTE         /* a level */
};

enum {
	PAPI_TIMESCOPE_SINCE_START = 0,
	PAPI_TIMESCOPE_SINCE_LAST,
	PAPI_TIMESCOPE_UNTIL_NEXT,
	PAPI_TIMESCOPE_POINT
};

enum {
	PAPI_UPDATETYPE_ARBITRARY = 0,
	PAPI_UPDATETYPE_PUSH,
	PAPI_UPDATETYPE_PULL,
	PAPI_UPDATETYPE_FIXEDFREQ
};

/* What is known of an event. */
typedef struct event_info {
	unsigned int event_code;
	char symbol[PAPI_HUGE_STR_LEN]; /* its name */
	char short_descr[PAPI_MIN_STR_LEN];
	char long_descr[PAPI_HUGE_STR_LEN];
	int component_index;
	char units[PAPI_MIN_STR_LEN];
	int location;            /* PAPI_LOCATION_* */
	int data_type;           /* PAPI_DATATYPE_* */
	int value_type;          /* PAPI_VALUETYPE_* */
	int timescope;           /* PAPI_TIMESCOPE_* */
	int update_type;         /* PAPI_UPDATETYPE_* */
	int update_freq;         /* Hz */
	unsigned int count;      /* native events below; 0: cannot be counted */
	unsigned int event_type; /* PAPI_PRESET_BIT_* */
	char derived[PAPI_MIN_STR_LEN];         /* kind of formula */
	char postfix[PAPI_2MAX_STR_LEN];        /* the formula, N0|N1|+| */
	unsigned int code[PAPI_MAX_INFO_TERMS]; /* its native events */
	char name[PAPI_MAX_INFO_TERMS][PAPI_2MAX_STR_LEN];
	char note[PAPI_HUGE_STR_LEN];
#if ASSAY_PAPI_MINOR >= 2
	int num_quals; /* qualifiers that the name may have; assay has none */
	char quals[PAPI_MAX_COMP_QUALS][PAPI_HUGE_STR_LEN];
	char quals_descrs[PAPI_MAX_COMP_QUALS][PAPI_HUGE_STR_LEN];
#endif
} PAPI_event_info_t;

/* Kinds of devices, and what is known of one */

typedef enum {
	PAPI_DEV_TYPE_ID__CPU,
	PAPI_DEV_TYPE_ID__CUDA,
	PAPI_DEV_TYPE_ID__ROCM,
	PAPI_DEV_TYPE_ID__MAX_NUM
} PAPI_dev_type_id_e;

enum {
	PAPI_DEV_TYPE_ENUM__FIRST = 0,
	PAPI_DEV_TYPE_ENUM__CPU = 1 << PAPI_DEV_TYPE_ID__CPU,
	PAPI_DEV_TYPE_ENUM__CUDA = 1 << PAPI_DEV_TYPE_ID__CUDA,
	PAPI_DEV_TYPE_ENUM__ROCM = 1 << PAPI_DEV_TYPE_ID__ROCM,
	PAPI_DEV_TYPE_ENUM__ALL = (1 << PAPI_DEV_TYPE_ID__MAX_NUM) - 1
};

/* Attributes say in their names what their value points to. */
typedef enum {
	PAPI_DEV_TYPE_ATTR__INT_PAPI_ID,
	PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID,
	PAPI_DEV_TYPE_ATTR__CHAR_NAME,
	PAPI_DEV_TYPE_ATTR__INT_COUNT,
	PAPI_DEV_TYPE_ATTR__CHAR_STATUS
} PAPI_dev_type_attr_e;

typedef enum {
	PAPI_DEV_ATTR__CPU_CHAR_NAME,
	PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE,
	PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_SIZE,
	PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_SIZE,
	PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_SIZE,
	PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_SIZE,
	PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_SIZE,
	PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_SIZE,
	PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_SIZE,
	PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_COUNT,
	PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_COUNT,
	PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_COUNT,
	PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_COUNT,
	PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_ASSOC,
	PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_ASSOC,
	PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_ASSOC,
	PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC,
	PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT,
	PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT,
	PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT,
	PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT,
	PAPI_DEV_ATTR__CPU_UINT_FAMILY,
	PAPI_DEV_ATTR__CPU_UINT_MODEL,
	PAPI_DEV_ATTR__CPU_UINT_STEPPING,
	PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE,     /* MB; @id: the node */
	PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY, /* @id: the thread */
	PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA,      /* @id: the node */
	PAPI_DEV_ATTR__CUDA_ULONG_UID,
	PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME,
	PAPI_DEV_ATTR__CUDA_UINT_WARP_SIZE,
	PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_BLK,
	PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_SM,
	PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_X,
	PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Y,
	PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Z,
	PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_X,
	PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Y,
	PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Z,
	PAPI_DEV_ATTR__CUDA_UINT_THR_PER_BLK,
	PAPI_DEV_ATTR__CUDA_UINT_SM_COUNT,
	PAPI_DEV_ATTR__CUDA_UINT_MULTI_KERNEL,
	PAPI_DEV_ATTR__CUDA_UINT_MAP_HOST_MEM,
	PAPI_DEV_ATTR__CUDA_UINT_MEMCPY_OVERLAP,
	PAPI_DEV_ATTR__CUDA_UINT_UNIFIED_ADDR,
	PAPI_DEV_ATTR__CUDA_UINT_MANAGED_MEM,
	PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MAJOR,
	PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MINOR,
	PAPI_DEV_ATTR__CUDA_UINT_BLK_PER_SM,
	PAPI_DEV_ATTR__ROCM_ULONG_UID,
	PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME,
	PAPI_DEV_ATTR__ROCM_UINT_WAVEFRONT_SIZE,
	PAPI_DEV_ATTR__ROCM_UINT_WORKGROUP_SIZE,
	PAPI_DEV_ATTR__ROCM_UINT_WAVE_PER_CU,
	PAPI_DEV_ATTR__ROCM_UINT_SHM_PER_WG,
	PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_X,
	PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Y,
	PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Z,
	PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_X,
	PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Y,
	PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Z,
	PAPI_DEV_ATTR__ROCM_UINT_CU_COUNT,
	PAPI_DEV_ATTR__ROCM_UINT_SIMD_PER_CU,
	PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MAJOR,
	PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MINOR
} PAPI_dev_attr_e;

/* The library */

/*
 * Begin. @version is PAPI_VER_CURRENT, and is returned; PAPI_EINVAL if the
 * library is of another version. Calling it again does no harm. Nothing is
 * looked up or tried yet: that happens when it is first needed.
 */
int PAPI_library_init(int version);

/* PAPI_NOT_INITED, or PAPI_LOW_LEVEL_INITED and so on, ORed. */
int PAPI_is_initialized(void);

/*
 * Stop and release every EventSet, and forget everything. Handles, event codes
 * and borrowed pointers are void after it. No other thread may be in a call.
 */
void PAPI_shutdown(void);

/* @level is PAPI_QUIET, PAPI_VERB_ECONT or PAPI_VERB_ESTOP. */
int PAPI_set_debug(int level);

/* What @code means, in static storage; NULL if it is no code. */
char *PAPI_strerror(int code);

/* Print @msg and why this thread's last call failed, to stderr. */
void PAPI_perror(const char *msg);

/* EventSets */

/*
 * Make an empty EventSet; *@EventSet must be PAPI_NULL and becomes its handle.
 * There may be as many as memory allows.
 */
int PAPI_create_eventset(int *EventSet);

/*
 * Release an empty EventSet, and set *@EventSet to PAPI_NULL. PAPI_EINVAL if
 * it has events: PAPI_cleanup_eventset() first.
 */
int PAPI_destroy_eventset(int *EventSet);

/* Take all events out, with overflow, profiling and other settings. */
int PAPI_cleanup_eventset(int EventSet);

/* Let an empty EventSet be for component @cidx before it has an event. */
int PAPI_assign_eventset_component(int EventSet, int cidx);

/* The component it belongs to; PAPI_ENOCMP if none is known yet. */
int PAPI_get_eventset_component(int EventSet);

/* How many events are in it. */
int PAPI_num_events(int EventSet);

/*
 * The codes of its events, in the order of their values. *@number is the room
 * in @Events and becomes how many were written; with room 0, how many there
 * are.
 */
int PAPI_list_events(int EventSet, int *Events, int *number);

/* Its state, PAPI_STOPPED or PAPI_RUNNING and so on, ORed. */
int PAPI_state(int EventSet, int *status);

/*
 * Add an event. It is opened with those already there, so that success means
 * they can be counted together.
 *
 *   PAPI_ENOEVNT  there is no such event on this machine
 *   PAPI_EISRUN   the EventSet is running
 *   PAPI_ECNFLCT  it is there already, or cannot be counted with the others
 *   PAPI_EPERM    this user may not count it; assay_error() has the remedy
 */
int PAPI_add_event(int EventSet, int EventCode);

/* The same by name: a preset, a native or a user-defined event. */
int PAPI_add_named_event(int EventSet, const char *EventName);

/*
 * Add @number events. If one is refused, its code is returned when it was the
 * first, and otherwise how many were added.
 */
int PAPI_add_events(int EventSet, int *Events, int number);

/* Take events out again. PAPI_ENOEVNT if one is not in it. */
int PAPI_remove_event(int EventSet, int EventCode);
int PAPI_remove_named_event(int EventSet, const char *EventName);
int PAPI_remove_events(int EventSet, int *Events, int number);

/* Counting. @values has one element for each event, in their order. */

/*
 * Start from zero. PAPI_EISRUN if it runs; PAPI_ENOCMP if it is empty and
 * assigned to no component.
 */
int PAPI_start(int EventSet);

/* Stop; @values may be NULL. PAPI_ENOTRUN if it does not run. */
int PAPI_stop(int EventSet, long long *values);

/* What has been counted; when stopped, what PAPI_stop() gave. */
int PAPI_read(int EventSet, long long *values);

/* The same, and PAPI_get_real_cyc() at that moment. */
int PAPI_read_ts(int EventSet, long long *values, long long *cyc);

/* Add to @values what has been counted, and go on from zero. */
int PAPI_accum(int EventSet, long long *values);

/* Go on from zero. */
int PAPI_reset(int EventSet);

/* Go on from @values. */
int PAPI_write(int EventSet, long long *values);

/* Events */

/*
 * Whether the event can be counted here. It is found out by counting it once,
 * and remembered: PAPI_OK, or what PAPI_add_event() would give.
 */
int PAPI_query_event(int EventCode);
int PAPI_query_named_event(const char *EventName);

/* What is known of an event. PAPI_ENOEVNT, PAPI_ENOTPRESET: it is none. */
int PAPI_get_event_info(int EventCode, PAPI_event_info_t *info);

/*
 * Its name, into @out, which has room for PAPI_MAX_STR_LEN. PAPI_EBUF if that
 * is not enough: PAPI_get_event_info() has more.
 */
int PAPI_event_code_to_name(int EventCode, char *out);

/* The code of a name. PAPI_ENOEVNT if nothing has it. */
int PAPI_event_name_to_code(const char *in, int *out);

/*
 * Go through events: *@EventCode becomes the next after it that @modifier
 * asks for. Begin with PAPI_PRESET_MASK or PAPI_NATIVE_MASK and
 * PAPI_ENUM_FIRST. PAPI_ENOEVNT when there is no further one.
 */
int PAPI_enum_event(int *EventCode, int modifier);

/* The same within one component. */
int PAPI_enum_cmp_event(int *EventCode, int modifier, int cidx);

/* The component that counts an event. */
int PAPI_get_event_component(int EventCode);
#define PAPI_COMPONENT_INDEX(a) PAPI_get_event_component(a)

/* Components */

int PAPI_num_components(void);

/*
 * What is known of one; borrowed until PAPI_shutdown(). NULL: none such. Before
 * PAPI_library_init() it tells only what does not depend on the machine.
 */
const PAPI_component_info_t *PAPI_get_component_info(int cidx);

/* The index of a name; PAPI_ENOCMP if there is none. */
int PAPI_get_component_index(const char *name);

/*
 * Leave a component alone. Only before PAPI_library_init(); PAPI_EINVAL after
 * it, PAPI_ENOCMP if there is no such component.
 */
int PAPI_disable_component(int cidx);
int PAPI_disable_component_by_name(const char *name);

/* How many of a component's events count at the same time. */
int PAPI_num_cmp_hwctrs(int cidx);
int PAPI_num_hwctrs(void); /* of component 0 */

/* Options */

/*
 * Ask for or change an option, PAPI_DEBUG and so on; @ptr's member of the
 * same name takes part. Some options are a plain number, which PAPI_get_opt()
 * returns with @ptr NULL: PAPI_MAX_HWCTRS, PAPI_MAX_MPX_CTRS, PAPI_MAX_CPUS,
 * PAPI_CLOCKRATE, PAPI_LIB_VERSION, PAPI_DEFDOM, PAPI_DEFGRN. PAPI_get_opt()
 * of PAPI_MULTIPLEX, PAPI_ATTACH, PAPI_DETACH and PAPI_CPU_ATTACH returns 1 or
 * 0 for yes or no.
 *
 *   PAPI_EINVAL  no such option, or a value that it cannot have
 *   PAPI_EISRUN  the EventSet is running
 *   PAPI_ENOCMP  no such component
 *   PAPI_ECMP    the component cannot do it
 *   PAPI_EPERM   this user may not
 */
int PAPI_get_opt(int option, PAPI_option_t *ptr);
int PAPI_get_cmp_opt(int option, PAPI_option_t *ptr, int cidx);
int PAPI_set_opt(int option, PAPI_option_t *ptr);

/* Domain and granularity of EventSets made from now on. */
int PAPI_set_domain(int domain);
int PAPI_set_cmp_domain(int domain, int cidx);
int PAPI_set_granularity(int granularity);
int PAPI_set_cmp_granularity(int granularity, int cidx);

/* Count another thread or process instead of the caller; and no more. */
int PAPI_attach(int EventSet, unsigned long tid);
int PAPI_detach(int EventSet);

/* More events than counters: each counts part of the time and is scaled */

int PAPI_multiplex_init(void);
int PAPI_set_multiplex(int EventSet);
int PAPI_get_multiplex(int EventSet); /* 1 if it is, 0 if not */

/* Overflow and profiling */

/*
 * Call @handler whenever the event has counted another @threshold; 0 turns it
 * off. @flags: 0, or PAPI_OVERFLOW_FORCE_SW.
 */
int PAPI_overflow(int EventSet, int EventCode, int threshold, int flags,
		  PAPI_overflow_handler_t handler);

/*
 * Which events a handler was called for: positions of events in the EventSet.
 * *@number is the room in @array and becomes how many there are.
 */
int PAPI_get_overflow_event_index(int EventSet, long long overflow_vector,
				  int *array, int *number);

/*
 * Keep a histogram of where the event happens, a sample every @threshold; 0
 * turns it off. The buckets must stay until then.
 */
int PAPI_profil(void *buf, unsigned bufsiz, vptr_t offset, unsigned scale,
		int EventSet, int EventCode, int threshold, int flags);

/* The same for several ranges of addresses. */
int PAPI_sprofil(PAPI_sprofil_t *prof, int profcnt, int EventSet, int EventCode,
		 int threshold, int flags);

/* Threads */

/* Say how threads are told apart; @id_fn must be safe at any time. */
int PAPI_thread_init(unsigned long (*id_fn)(void));

/* What it says for this one; (unsigned long)PAPI_EMISC if none was given. */
unsigned long PAPI_thread_id(void);

/* Threads need not register; one that does is in the list from then on. */
int PAPI_register_thread(void);
int PAPI_unregister_thread(void);

/* Ids of threads known: *@number as in PAPI_list_events(). */
int PAPI_list_threads(PAPI_thread_id_t *tids, int *number);

/* A pointer that each thread has its own of; @tag is PAPI_USR1_TLS ... */
int PAPI_get_thr_specific(int tag, void **ptr);
int PAPI_set_thr_specific(int tag, void *ptr);

/* Locks for the user's own use; PAPI_EINVAL if @lck is none. */
int PAPI_lock(int lck);
int PAPI_unlock(int lck);

/* Time since some moment, and time that this thread has run */

long long PAPI_get_real_cyc(void); /* of the machine's constant clock */
long long PAPI_get_real_nsec(void);
long long PAPI_get_real_usec(void);
long long PAPI_get_virt_cyc(void);
long long PAPI_get_virt_nsec(void);
long long PAPI_get_virt_usec(void);

/* The machine and the program; borrowed until PAPI_shutdown() */

const PAPI_hw_info_t *PAPI_get_hardware_info(void);
const PAPI_exe_info_t *PAPI_get_executable_info(void);
const PAPI_shlib_info_t *PAPI_get_shared_lib_info(void);
int PAPI_get_dmem_info(PAPI_dmem_info_t *dest);

/*
 * Rates. The first call starts counting in this thread; each further one tells
 * real and processor time, counts and the rate since the last call. They
 * initialise the library themselves. PAPI_rate_stop() ends it; until then
 * another rate or event gives PAPI_EINVAL.
 */

/* Millions a second of PAPI_FP_INS, PAPI_VEC_SP or PAPI_VEC_DP. */
int PAPI_flips_rate(int event, float *rtime, float *ptime, long long *flpins,
		    float *mflips);

/* Millions a second of PAPI_FP_OPS, PAPI_SP_OPS or PAPI_DP_OPS. */
int PAPI_flops_rate(int event, float *rtime, float *ptime, long long *flpops,
		    float *mflops);

/* Instructions per cycle. */
int PAPI_ipc(float *rtime, float *ptime, long long *ins, float *ipc);

/* Events per cycle; 0 for @event means instructions. */
int PAPI_epc(int event, float *rtime, float *ptime, long long *ref,
	     long long *core, long long *evt, float *epc);

int PAPI_rate_stop(void);

/* Devices */

/* The next kind of device: *@handle NULL to begin; PAPI_EINVAL at the end. */
int PAPI_enum_dev_type(int enum_modifier, void **handle);
int PAPI_get_dev_type_attr(void *handle, PAPI_dev_type_attr_e attr,
			   void *value);
int PAPI_get_dev_attr(void *handle, int id, PAPI_dev_attr_e attr, void *value);

/*
 * Regions. PAPI_EVENTS in the environment names the events; the results are
 * written when the program ends. Regions may nest. They initialise the library
 * themselves and belong to the thread that begins them.
 */
int PAPI_hl_region_begin(const char *region);
int PAPI_hl_read(const char *region);
int PAPI_hl_region_end(const char *region);
int PAPI_hl_stop(void);

/*
 * The first high-level interface: one set of presets for each thread, started
 * and read with an array of values. PAPI_read_counters() and
 * PAPI_accum_counters() go on from zero. They initialise the library
 * themselves.
 */
int PAPI_num_counters(void);
int PAPI_start_counters(int *events, int array_len);
int PAPI_read_counters(long long *values, int array_len);
int PAPI_accum_counters(long long *values, int array_len);
int PAPI_stop_counters(long long *values, int array_len);

/*
 * Millions a second of floating-point operations, of instructions: the rate
 * since the last call, times and counts since the first. PAPI_rate_stop() ends
 * these too.
 */
int PAPI_flops(float *rtime, float *ptime, long long *flpops, float *mflops);
int PAPI_flips(float *rtime, float *ptime, long long *flpins, float *mflips);

#define PAPI_descr_error(a) PAPI_strerror(a)

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* PAPI_H */
