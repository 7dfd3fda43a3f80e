! SPDX-License-Identifier: BSD-3-Clause
! The calls of libhpm, checked by the compiler: compile this file with the
! program (modules differ between compilers) and say "use hpm". See hpm(3).
module hpm
  implicit none
  interface
    subroutine f_hpminit(task, program)
      integer, intent(in) :: task
      character(*), intent(in) :: program
    end subroutine
    subroutine f_hpmterminate(task)
      integer, intent(in) :: task
    end subroutine
    subroutine f_hpmstart(id, label)
      integer, intent(in) :: id
      character(*), intent(in) :: label
    end subroutine
    subroutine f_hpmstop(id)
      integer, intent(in) :: id
    end subroutine
    subroutine f_hpmtstart(id, label)
      integer, intent(in) :: id
      character(*), intent(in) :: label
    end subroutine
    subroutine f_hpmtstop(id)
      integer, intent(in) :: id
    end subroutine
    ! What f_hpm.h makes of the calls above.
    subroutine f_hpm_start_at(id, label, file, line)
      integer, intent(in) :: id, line
      character(*), intent(in) :: label, file
    end subroutine
    subroutine f_hpm_stop_at(id, file, line)
      integer, intent(in) :: id, line
      character(*), intent(in) :: file
    end subroutine
    subroutine f_hpm_tstart_at(id, label, file, line)
      integer, intent(in) :: id, line
      character(*), intent(in) :: label, file
    end subroutine
    subroutine f_hpm_tstop_at(id, file, line)
      integer, intent(in) :: id, line
      character(*), intent(in) :: file
    end subroutine
  end interface
end module hpm
