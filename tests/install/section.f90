! SPDX-License-Identifier: BSD-3-Clause
! One section around a loop, from Fortran.
program section
  implicit none
  integer :: i, total = 0
  call f_hpminit(0, 'installed')
  call f_hpmstart(1, 'loop')
  do i = 1, 10
    total = total + i
  end do
  call f_hpmstop(1)
  call f_hpmterminate(0)
  if (total /= 55) stop 1
end program section
