/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of options: checked and stored. 0, or CMD_USAGE after a message. */
#pragma once

#include "console/console.h"
#include "console/option.h"

/* What row @o, which is not STORE_BY_TAKE, says is to be done in @state. */
int store_option(const struct console *console, const struct cmd_option *o,
		 void *state, const char *argument);

/* Which of @words, which end with NULL, @argument is. */
int store_word(const struct console *console, const char *option,
	       const char *const *words, const char *argument, int *to);
