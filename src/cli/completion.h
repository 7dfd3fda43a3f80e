/* SPDX-License-Identifier: BSD-3-Clause */
/* What may come next on the command line: the answer to a shell's Tab. */
#pragma once

#include <stdio.h>

#include "cli/cmd.h"

/*
 * @words are those after "assay"; the last one is being typed and may be "".
 * The first line written says what else the shell may offer: "files",
 * "commands" or "words" (nothing else). Then one word a line, a tab, and what
 * it means. Mistakes in @words are no errors: then there is nothing to offer.
 */
void completion_write(const struct cli *cli, int n, char **words, FILE *to);
