#ifndef RESPITE_CLIBEVENT_SHIM_H
#define RESPITE_CLIBEVENT_SHIM_H
/* First, before libevent defines _GNU_SOURCE: fd_set must match Swift's own import of glibc. */
#include <sys/types.h>
#include <event2/event.h>
#endif
