#ifndef RESPITE_CCARES_SHIM_H
#define RESPITE_CCARES_SHIM_H
/* First, so that what ares.h includes of the system is declared there, and not anew here. */
#include "../CLinux/shim.h"
/* Later versions advise against what Debian 12's needs. */
#define CARES_NO_DEPRECATED
#include <ares.h>
/* Status codes are macros or an enumeration, according to the version. */
static inline int respite_ares_succeeded(int status) { return status == ARES_SUCCESS; }
static inline int respite_ares_timed_out(int status) { return status == ARES_ETIMEOUT; }
static inline int respite_ares_found_nothing(int status) {
    return status == ARES_ENOTFOUND || status == ARES_ENODATA || status == ARES_ENONAME || status == ARES_EBADNAME;
}
/* Microseconds until the channel wants to be called; negative if it does not. Here, since Swift finds timeval in several modules. */
static inline long long respite_ares_wait(ares_channel channel) {
    struct timeval store;
    struct timeval *wait = ares_timeout(channel, 0, &store);
    return wait ? (long long)wait->tv_sec * 1000000 + wait->tv_usec : -1;
}
#endif
