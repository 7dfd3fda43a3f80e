/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's limit on open files; see files.c. */
#pragma once

#include <stdbool.h>

#include <pub_tool_basics.h>

bool files_option(const HChar *arg);
void files_start(void);

/* The guest is about to exec a program that is simulated. */
void files_pass(void);
