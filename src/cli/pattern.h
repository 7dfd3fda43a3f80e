/* SPDX-License-Identifier: BSD-3-Clause */
/* Between which calls of the library a kernel is run. */
#ifndef CLI_PATTERN_H
#define CLI_PATTERN_H

enum experiment_pattern {
	PATTERN_START_STOP,
	PATTERN_START_READ,
	PATTERN_READ_READ,
	PATTERN_READ_STOP,
	PATTERN_COUNT
};

#endif /* CLI_PATTERN_H */
