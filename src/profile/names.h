/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of profile files, in the order of the enums of profile.h. */
#ifndef PROFILE_NAMES_H
#define PROFILE_NAMES_H

extern const char *const profile_kind_names[];    /* ends with NULL */
extern const char *const profile_symbols_names[]; /* likewise */

#endif /* PROFILE_NAMES_H */
