#ifndef RESPITE_CLINUX_SHIM_H
#define RESPITE_CLINUX_SHIM_H
/* What Swift's Glibc module lacks. A shim never defines _GNU_SOURCE; it declares the missing function instead. */
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/resource.h>
#include <sys/file.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
int pipe2(int descriptors[2], int flags);
void *memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);
/* The form of strerror_r that POSIX names; <string.h> gives it only without _GNU_SOURCE. */
int __xpg_strerror_r(int code, char *buffer, size_t count);
static inline int respite_strerror(int code, char *buffer, size_t count) { return __xpg_strerror_r(code, buffer, count); }
int malloc_trim(size_t pad);
/* Names the calling thread, for ps and debuggers. */
#include <sys/prctl.h>
static inline int respite_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
#endif
