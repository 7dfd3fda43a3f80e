/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI's names and values. */
#ifndef PAPI_H
#define PAPI_H

#define PAPI_OK            0
#define PAPI_EINVAL        -1
#define PAPI_ENOMEM        -2
#define PAPI_ESYS          -3
#define PAPI_ECMP          -4
#define PAPI_ECLOST        -5
#define PAPI_EBUG          -6
#define PAPI_ENOEVNT       -7
#define PAPI_ECNFLCT       -8
#define PAPI_ENOTRUN       -9
#define PAPI_EISRUN        -10
#define PAPI_ENOEVST       -11
#define PAPI_ENOTPRESET    -12
#define PAPI_ENOCNTR       -13
#define PAPI_EMISC         -14
#define PAPI_EPERM         -15
#define PAPI_ENOINIT       -16
#define PAPI_ENOCMP        -17
#define PAPI_ENOSUPP       -18
#define PAPI_ENOIMPL       -19
#define PAPI_EBUF          -20
#define PAPI_EINVAL_DOM    -21
#define PAPI_EATTR         -22
#define PAPI_ECOUNT        -23
#define PAPI_ECOMBO        -24
#define PAPI_ECMP_DISABLED -25
#define PAPI_EDELAY_INIT   -26
#define PAPI_EMULPASS      -27
#define PAPI_NUM_ERRORS    28

#define PAPI_NATIVE_MASK   0x40000000
#define PAPI_DOM_ALL       15

#endif /* PAPI_H */
