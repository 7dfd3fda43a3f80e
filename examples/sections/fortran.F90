! SPDX-License-Identifier: BSD-3-Clause
! Sections in Fortran. The label of a section may be a variable.
#include "f_hpm.h"
program sections
#ifndef HPM_DISABLE
  use hpm
#endif
  implicit none
  real :: x(1000)
  character(20) :: label
  integer :: i, step

  call f_hpminit(0, 'fortran')
  label = 'whole run'
  call f_hpmstart(1, label)
  label = 'something else'
  do step = 1, 5
    call f_hpmtstart(2, 'step')
    do i = 1, size(x)
      x(i) = sqrt(real(i * step))
    end do
    call f_hpmtstop(2)
  end do
  call f_hpmstop(1)
  call f_hpmterminate(0)
  print '(f8.3)', sum(x) / size(x)
end program
