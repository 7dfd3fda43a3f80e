! SPDX-License-Identifier: BSD-3-Clause
! Counts page faults in free form with either header of constants; counts.f does
! in fixed form. Every kind of argument is passed at least once.
program counts
  implicit none
#ifdef WITH_CPP
#include "fpapi.h"
#else
  include 'f90papi.h'
#endif
  integer, parameter :: pages = 512, page = 4096
  integer(8) :: values(2), more(2), cycles, time0, time1, dmem(PAPIF_DMEM_MAXVAL)
  integer(8) :: starts(6)
  integer :: set, check, code, n, listed(2), state, ncpu, nnodes, total
  integer :: vendor, model, handle, domain, flags, number
  real :: revision, mhz, rtime, ptime, rate
  character(len=64) :: name
  character(len=128) :: vendor_name, model_name, path, short
  character(len=256) :: long, note
  character(len=1), save :: memory(pages*page)
  external :: papif_library_init, papif_create_eventset

  ! Before the library is initialised nothing is told.
  call PAPIF_get_exe_info(path, short, starts(1), starts(2), starts(3), &
       starts(4), starts(5), starts(6), check)
  if (check /= PAPI_ENOINIT) call fail('get_exe_info too early', check)
  call PAPIF_get_hardware_info(ncpu, nnodes, total, vendor, vendor_name, &
       model, model_name, revision, mhz)
  if (total /= 0 .or. vendor_name /= '') call fail('cpus too early', total)
  call PAPIF_get_domain(set, domain, PAPI_DEFDOM, check)
  if (check /= PAPI_ENOINIT) call fail('get_domain too early', check)
  call PAPIF_get_granularity(set, domain, PAPI_DEFGRN, check)
  if (check /= PAPI_ENOINIT) call fail('get_granularity too early', check)

  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  if (check /= PAPI_VER_CURRENT) call fail('library_init', check)

  set = PAPI_NULL
  call PAPIF_create_eventset(set, check)
  call ok('create_eventset', check)
  name = 'perf::PAGE-FAULTS'
  call PAPIF_add_named_event(set, name, check)
  call ok('add_named_event', check)
  call PAPIF_event_name_to_code('perf::TASK-CLOCK   ', code, check)
  call ok('event_name_to_code', check)
  call PAPIF_add_event(set, code, check)
  call ok('add_event', check)
  name = 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'
  call PAPIF_event_code_to_name(code, name, check)
  call ok('event_code_to_name', check)
  if (name /= 'perf::TASK-CLOCK') call fail('name is '//name, 0)
  n = 2
  call PAPIF_list_events(set, listed, n, check)
  call ok('list_events', check)
  if (n /= 2 .or. listed(2) /= code) call fail('list_events', n)
  call PAPIF_num_events(set, n)
  if (n /= 2) call fail('num_events', n)

  call PAPIF_start(set, check)
  call ok('start', check)
  call PAPIF_state(set, state, check)
  if (iand(state, PAPI_RUNNING) == 0) call fail('state', state)
  call touch(memory)
  call PAPIF_read(set, values, check)
  call ok('read', check)
  call PAPIF_read_ts(set, more, cycles, check)
  call ok('read_ts', check)
  if (cycles <= 0) call fail('cycles', 0)
  more = 1000000
  call PAPIF_accum(set, more, check)
  call ok('accum', check)
  call PAPIF_stop(set, values, check)
  call ok('stop', check)
  ! The first and the last page may be shared with other data.
  n = int(more(1)) - 1000000
  if (n < pages - 1 .or. n > pages + 40) call fail('page faults', n)
  if (values(1) > 40) call fail('faults after accum', int(values(1)))

  ! A name that is none, and one that is longer than any.
  call PAPIF_add_named_event(set, 'NO_SUCH_EVENT', check)
  if (check /= PAPI_ENOEVNT) call fail('unknown event', check)
  call PAPIF_query_named_event(repeat('x', 5000), check)
  if (check >= 0) call fail('long name', check)

  ! Options of a set and defaults; modes that are none.
  call PAPIF_set_event_domain(set, PAPI_DOM_USER, check)
  call ok('set_event_domain', check)
  call PAPIF_get_domain(set, domain, PAPI_DOMAIN, check)
  call ok('get_domain of a set', check)
  if (domain /= PAPI_DOM_USER) call fail('domain', domain)
  call PAPIF_get_domain(set, domain, -7, check)
  if (check /= PAPI_EINVAL) call fail('domain of no mode', check)
  call PAPIF_get_granularity(set, domain, PAPI_GRANUL, check)
  call ok('get_granularity of a set', check)
  if (domain /= PAPI_GRN_THR) call fail('granularity', domain)
  call PAPIF_get_granularity(set, domain, PAPI_DEFGRN, check)
  call ok('get_granularity', check)
  call PAPIF_get_granularity(set, domain, -7, check)
  if (check /= PAPI_EINVAL) call fail('granularity of no mode', check)
  call PAPIF_set_inherit(PAPI_INHERIT_ALL, check)
  if (check /= PAPI_ENOEVST) call fail('set_inherit', check)
  call PAPIF_get_preload(path, check)
  call ok('get_preload', check)
  if (path /= 'LD_PRELOAD') call fail('preload '//path, 0)
  call PAPIF_get_event_info(0, name, long, short, n, note, flags, check)
  if (check /= PAPI_ENOEVNT) call fail('info of no event', check)

  call PAPIF_cleanup_eventset(set, check)
  call ok('cleanup_eventset', check)
  call PAPIF_destroy_eventset(set, check)
  call ok('destroy_eventset', check)
  if (set /= PAPI_NULL) call fail('set after destroy', set)

  call PAPIF_get_hardware_info(ncpu, nnodes, total, vendor, vendor_name, &
       model, model_name, revision, mhz)
  if (total < 1 .or. ncpu < 1 .or. nnodes < 1) call fail('cpus', total)
  call PAPIF_get_dmem_info(dmem, check)
  call ok('get_dmem_info', check)
  if (dmem(PAPIF_DMEM_RESIDENT) < pages*page/1024) &
       call fail('resident', int(dmem(PAPIF_DMEM_RESIDENT)))
  call PAPIF_get_exe_info(path, short, starts(1), starts(2), starts(3), &
       starts(4), starts(5), starts(6), check)
  call ok('get_exe_info', check)
  if (index(path, trim(short)) == 0) call fail('program '//path, 0)
  call PAPIF_get_event_info(code, name, long, short, n, note, flags, check)
  call ok('get_event_info', check)
  if (len_trim(name) == 0) call fail('symbol', 0)
  call PAPIF_get_domain(set, domain, PAPI_DEFDOM, check)
  call ok('get_domain', check)
  call PAPIF_get_clockrate(n)

  ! Devices: begun with a handle that was never set.
  number = 0
  call PAPIF_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, handle, check)
  do while (check == PAPI_OK)
    number = number + 1
    call PAPIF_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, &
         n, path, check)
    call ok('get_dev_type_attr', check)
    if (n /= number - 1) call fail('device', n)
    call PAPIF_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, handle, check)
  end do
  if (number /= 3) call fail('devices', number)
  call PAPIF_get_dev_type_attr(0, PAPI_DEV_TYPE_ATTR__CHAR_NAME, n, path, check)
  call ok('get_dev_type_attr', check)
  if (path /= vendor_name) call fail('vendor '//path, 0)
  call PAPIF_get_dev_attr(0, 0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT, n, &
       path, check)
  if (n /= total) call fail('threads', n)
  call PAPIF_get_dev_attr(0, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, n, path, check)
  call ok('get_dev_attr', check)
  if (path /= model_name) call fail('processor '//path, 0)

  ! The high level: of today, and of 2000.
  call PAPIF_hl_region_begin('fortran region', check)
  call ok('hl_region_begin', check)
  call PAPIF_hl_region_end('fortran region', check)
  call ok('hl_region_end', check)
  call PAPIF_hl_region_end('fortran region', check)
  if (check /= PAPI_EINVAL) call fail('hl_region_end', check)
  call PAPIF_start_counters(listed, 2, check)
  call ok('start_counters', check)
  call PAPIF_stop_counters(values, 2, check)
  call ok('stop_counters', check)
  call PAPIF_rate_stop(check)
  if (check /= PAPI_ENOEVNT) call fail('rate_stop', check)
  call PAPIF_flops_rate(PAPI_TOT_CYC, rtime, ptime, values(1), rate, check)
  if (check /= PAPI_EINVAL) call fail('flops_rate', check)

  call PAPIF_get_real_usec(time0)
  call PAPIF_get_real_nsec(time1)
  if (time1/1000 < time0) call fail('time', 0)
  call PAPIF_is_initialized(n)
  if (n == PAPI_NOT_INITED) call fail('is_initialized', n)
  call PAPIF_shutdown()
  call PAPIF_is_initialized(n)
  if (n /= PAPI_NOT_INITED) call fail('shutdown', n)
  print '(a)', 'counted'

contains

  subroutine touch(block)
    character(len=1), intent(inout) :: block(:)
    integer :: i
    do i = 1, size(block), page
      block(i) = 'x'
    end do
  end subroutine touch

  subroutine ok(what, code)
    character(len=*), intent(in) :: what
    integer, intent(in) :: code
    if (code /= PAPI_OK) call fail(what, code)
  end subroutine ok

  subroutine fail(what, code)
    character(len=*), intent(in) :: what
    integer, intent(in) :: code
    print '(3a,i0)', 'FAIL: ', what, ': ', code
    stop 1
  end subroutine fail
end program counts
