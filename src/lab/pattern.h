/* SPDX-License-Identifier: BSD-3-Clause */
/* Between which calls of the library a kernel is run. */
#ifndef LAB_PATTERN_H
#define LAB_PATTERN_H

enum experiment_pattern {
	PATTERN_START_STOP,
	PATTERN_START_READ,
	PATTERN_READ_READ,
	PATTERN_READ_STOP,
	PATTERN_COUNT
};

#endif /* LAB_PATTERN_H */
