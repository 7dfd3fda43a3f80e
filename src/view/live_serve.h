/* SPDX-License-Identifier: BSD-3-Clause */
/* What the page of `live` asks for. */
#ifndef VIEW_LIVE_SERVE_H
#define VIEW_LIVE_SERVE_H

#include "view/live_buffer.h"
#include "view/serve.h"

/*
 * "": the page; "stream": what comes, and what the ring still has; "metrics":
 * the latest numbers as OpenMetrics. @buffer is a struct live_buffer. A
 * serve_fn.
 */
void live_answer(void *buffer, const struct serve_request *request,
		 struct serve_answer *answer);

#endif /* VIEW_LIVE_SERVE_H */
