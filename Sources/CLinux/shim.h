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
#include <netinet/in.h>
#include <netinet/tcp.h>
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
int pipe2(int descriptors[2], int flags);
void *memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);
#endif
