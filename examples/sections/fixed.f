C     SPDX-License-Identifier: BSD-3-Clause
C     The calls of an old program: no header, no module, fixed form.
      PROGRAM FIXED
      INTEGER I
      REAL S
      S = 0.0
      CALL F_HPMINIT(0, 'fixed')
      CALL F_HPMSTART(30, 'cft_1z')
      DO 10 I = 1, 1000
         S = S + 1.0 / REAL(I)
   10 CONTINUE
      CALL F_HPMSTOP(30)
      CALL F_HPMTERMINATE(0)
      PRINT '(F8.3)', S
      END
