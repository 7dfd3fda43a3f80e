/* SPDX-License-Identifier: BSD-3-Clause */
/* Integers of 128 bits, for products that 64 bits do not hold. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

#endif /* BASE_WIDE_H */
