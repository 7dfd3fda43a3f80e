/* SPDX-License-Identifier: BSD-3-Clause */
/* A view, served until it is ended. */
#ifndef VIEW_VIEWER_H
#define VIEW_VIEWER_H

#include "view/serve_open.h"
#include "view/view.h"

/* Returns the exit status. */
int view_serve(const struct console *console, const struct view *v,
	       const struct serve_options *options);

/* What the server answers; @view_server of view_server_new(). */
struct view_server;
int view_server_new(const struct view *v, struct view_server **out);
void view_server_free(struct view_server *server);
void view_answer(void *view_server, const struct serve_request *request,
		 struct serve_answer *answer);

#endif /* VIEW_VIEWER_H */
