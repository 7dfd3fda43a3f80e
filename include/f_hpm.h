! SPDX-License-Identifier: BSD-3-Clause
! Sections from Fortran: #include "f_hpm.h" in a file that is preprocessed
! (.F, .F90, or -cpp), before the first call. It adds file and line to the
! calls, each of which then stands on one line; long paths may need the option
! -ffree-line-length-none. With -DHPM_DISABLE nothing is measured and libhpm is
! not needed: the calls become ones of an intrinsic that has nothing to do.
#ifdef HPM_DISABLE
#define f_hpminit(task, program) date_and_time()
#define f_hpmterminate(task) date_and_time()
#define f_hpmstart(id, label) date_and_time()
#define f_hpmstop(id) date_and_time()
#define f_hpmtstart(id, label) date_and_time()
#define f_hpmtstop(id) date_and_time()
#else
#define f_hpmstart(id, label) f_hpm_start_at(id, label, __FILE__, __LINE__)
#define f_hpmstop(id) f_hpm_stop_at(id, __FILE__, __LINE__)
#define f_hpmtstart(id, label) f_hpm_tstart_at(id, label, __FILE__, __LINE__)
#define f_hpmtstop(id) f_hpm_tstop_at(id, __FILE__, __LINE__)
#endif
