#ifndef RESPITE_CLINUX_SHIM_H
#define RESPITE_CLINUX_SHIM_H
/* What Swift's Glibc module lacks. A shim never defines _GNU_SOURCE; it declares the missing function instead. */
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
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
int dup3(int from, int to, int flags);
void *memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);
/* The form of strerror_r that POSIX names; <string.h> gives it only without _GNU_SOURCE. */
int __xpg_strerror_r(int code, char *buffer, size_t count);
static inline int respite_strerror(int code, char *buffer, size_t count) { return __xpg_strerror_r(code, buffer, count); }
#include <malloc.h>
/* Limits of the allocator: arenas, the size from which an allocation is mapped alone, and what it keeps; nothing with musl. */
static inline void respite_limit_heap(int arenas, int mapped, int kept) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, arenas);
    mallopt(M_MMAP_THRESHOLD, mapped);
    mallopt(M_TRIM_THRESHOLD, kept);
#endif
}
/* Gives freed memory back to the system, as far as the allocator can. */
static inline void respite_trim_heap(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
/* Bytes of the heap that are in use, mapped pieces included; 0 with an allocator that does not tell, such as musl's. */
static inline size_t respite_heap_in_use(void) {
#ifdef __GLIBC__
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}
/* As numbers: one C library has enumerations, another macros. */
#include <sys/time.h>
static const int respite_datagram = SOCK_DGRAM;
static const int respite_stream = SOCK_STREAM;
static const int respite_nonblocking = SOCK_NONBLOCK;
static const int respite_closed_on_exec = SOCK_CLOEXEC;
static const int respite_descriptor_limit = RLIMIT_NOFILE;
/* Threads by numbers: one C library has a number, another a pointer. Errors as of the functions of POSIX. */
#include <pthread.h>
typedef unsigned long respite_thread;
static inline int respite_start_thread(respite_thread *thread, void *(*body)(void *), void *argument) {
    pthread_t started;
    int error = pthread_create(&started, NULL, body, argument);
    if (error == 0) *thread = (respite_thread)started;
    return error;
}
static inline int respite_join_thread(respite_thread thread) { return pthread_join((pthread_t)thread, NULL); }
static inline int respite_detach_thread(respite_thread thread) { return pthread_detach((pthread_t)thread); }
static inline respite_thread respite_current_thread(void) { return (respite_thread)pthread_self(); }
/* Names the calling thread, for ps and debuggers. */
#include <sys/prctl.h>
static inline int respite_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
/* What a signal does: nothing, or what the system does without a handler. */
static inline void respite_ignore_signal(int number) { (void)signal(number, SIG_IGN); }
static inline void respite_reset_signal(int number) { (void)signal(number, SIG_DFL); }
static inline int respite_ignores_signal(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
/* Has a function called when a signal tells of a crash; what was to happen before goes to *previous. */
static inline int respite_on_crash(
    int number, void (*handler)(int, siginfo_t *, void *), struct sigaction *previous
) {
    struct sigaction action;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = handler;
    return sigaction(number, &action, previous);
}
/* Starts a program as a child. */
#include <unistd.h>
#include <sys/wait.h>
int execvpe(const char *file, char *const arguments[], char *const environment[]);
extern char **environ;
static inline char **respite_environment(void) { return environ; }
/* The first stack as the kernel made it, known to the loader: the number of arguments, the arguments, NULL. In a program without
   a loader it begins elsewhere, and the result is NULL; also with a C library that does not tell, such as musl. */
#ifdef __GLIBC__
extern void *__libc_stack_end;
static inline char **respite_arguments(int *count) {
    char **stack = (char **)__libc_stack_end;
    *count = *(int *)stack;
    return *count > 0 && stack[1 + *count] == NULL ? stack + 1 : NULL;
}
#else
static inline char **respite_arguments(int *count) {
    *count = 0;
    return NULL;
}
#endif
/* What a child gets in place of what this process has made its own. */
struct respite_child {
    /* Signals that are blocked. */
    sigset_t blocked;
    /* Whether writing to a broken pipe is no signal. */
    int ignores_pipes;
    struct rlimit descriptors;
    /* Sent to it when this thread ends; 0: none. */
    int farewell;
    /* Its standard output; -1: this process's. Else standard input and standard error are /dev/null. */
    int output;
    /* Its standard input; -1: this process's, or /dev/null. */
    int input;
};
/* The child's number; -1 if it cannot be started, with the reason in *error. */
static inline pid_t respite_start(
    const struct respite_child *child, char *const arguments[], char *const environment[], int *error
) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) {
        *error = errno;
        return -1;
    }
    pid_t parent = getpid();
    pid_t number = fork();
    if (number == 0) {
        /* From here on only what is safe in the child of a process with threads. */
        if (child->farewell != 0) {
            prctl(PR_SET_PDEATHSIG, child->farewell, 0, 0, 0);
            if (getppid() != parent) _exit(127);
        }
        if (child->output >= 0) {
            int nothing = open("/dev/null", O_RDWR);
            if (nothing >= 0) {
                dup2(nothing, 0);
                dup2(nothing, 2);
            }
            dup2(child->output, 1);
        }
        if (child->input >= 0) dup2(child->input, 0);
        setrlimit(RLIMIT_NOFILE, &child->descriptors);
        signal(SIGPIPE, child->ignores_pipes ? SIG_IGN : SIG_DFL);
        signal(SIGCHLD, SIG_DFL);
        sigprocmask(SIG_SETMASK, &child->blocked, NULL);
        execvpe(arguments[0], arguments, environment);
        int code = errno;
        if (write(report[1], &code, sizeof code) < 0) _exit(126);
        _exit(127);
    }
    int code = number < 0 ? errno : 0;
    close(report[1]);
    if (number > 0) {
        ssize_t count;
        do count = read(report[0], &code, sizeof code);
        while (count < 0 && errno == EINTR);
        if (count > 0) {
            while (waitpid(number, NULL, 0) < 0 && errno == EINTR) {}
            number = -1;
        }
    }
    close(report[0]);
    *error = code;
    return number;
}
#endif
