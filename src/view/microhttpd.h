/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libmicrohttpd, loaded when a page is served. It brings a dozen libraries of
 * its own (for TLS, which is not used here), and loading them at every start
 * cost the other verbs 1.5 ms of CPU time. A machine without it serves no
 * pages and does everything else.
 */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>

/* Every call that is made of it, in one list. */
#define MICROHTTPD_CALLS(X)                                                    \
	X(MHD_start_daemon)                                                    \
	X(MHD_stop_daemon)                                                     \
	X(MHD_get_daemon_info)                                                 \
	X(MHD_lookup_connection_value)                                         \
	X(MHD_set_connection_option)                                           \
	X(MHD_create_response_from_buffer)                                     \
	X(MHD_create_response_from_callback)                                   \
	X(MHD_add_response_header)                                             \
	X(MHD_queue_response)                                                  \
	X(MHD_destroy_response)

#define MICROHTTPD_POINTER(name) __typeof__(&name) call_##name;
struct microhttpd {
	MICROHTTPD_CALLS(MICROHTTPD_POINTER)
};
extern struct microhttpd microhttpd;

/* Whether it could be loaded; calls may be made only then. */
bool microhttpd_load(void);

#define MHD_start_daemon            microhttpd.call_MHD_start_daemon
#define MHD_stop_daemon             microhttpd.call_MHD_stop_daemon
#define MHD_get_daemon_info         microhttpd.call_MHD_get_daemon_info
#define MHD_lookup_connection_value microhttpd.call_MHD_lookup_connection_value
#define MHD_set_connection_option   microhttpd.call_MHD_set_connection_option
#define MHD_create_response_from_buffer                                        \
	microhttpd.call_MHD_create_response_from_buffer
#define MHD_create_response_from_callback                                      \
	microhttpd.call_MHD_create_response_from_callback
#define MHD_add_response_header microhttpd.call_MHD_add_response_header
#define MHD_queue_response      microhttpd.call_MHD_queue_response
#define MHD_destroy_response    microhttpd.call_MHD_destroy_response
