/* SPDX-License-Identifier: BSD-3-Clause */
/* Integers of 128 bits, for products that 64 bits do not hold. */
#pragma once

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;
