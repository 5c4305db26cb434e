/* Faults of files and of the wall clock, for one process, by LD_PRELOAD.
 *
 * RESPITE_FAULTS names a file of one page that the test maps and writes (`shim.py`); RESPITE_FAULTS_BELOW is the directory whose
 * files are concerned. A call on such a file fails with the errno that the page gives for its kind, as often in a thousand as it says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { WRITES, READS, SYNCS, CREATES, KINDS };

struct page {
    struct { volatile int32_t error, permille; volatile int64_t hits; } of[KINDS];
    volatile int64_t clock_seconds;
    volatile int32_t short_writes;
};

static struct page idle, *page = &idle;
static char below[4096];
static size_t below_length;

__attribute__((constructor)) static void open_page(void) {
    const char *path = getenv("RESPITE_FAULTS"), *directory = getenv("RESPITE_FAULTS_BELOW");
    if (!path || !directory) return;
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int file = real(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    snprintf(below, sizeof below, "%s", directory);
    below_length = strlen(below);
    if (mapped != MAP_FAILED) page = mapped;
}

static int is_below(const char *path) { return below_length && !strncmp(path, below, below_length); }

static int concerns(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_below(path);
}

/* Whether a call of this kind fails now; errno is set then. */
static int drawn(enum kind kind) {
    static __thread unsigned seed;
    if (!seed) seed = (unsigned)(uintptr_t)&seed ^ 2463534242u;
    if ((int)(rand_r(&seed) % 1000) >= page->of[kind].permille) return 0;
    __atomic_add_fetch(&page->of[kind].hits, 1, __ATOMIC_RELAXED);
    errno = page->of[kind].error;
    return 1;
}

#define ACTIVE(kind) (page->of[kind].error != 0)
#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, #name)
#define FAILS(kind, file) (ACTIVE(kind) && concerns(file) && drawn(kind))
#define SHORTENED(file, count) (page->short_writes && (count) > 1 && concerns(file) ? (count) / 2 : (count))

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    return FAILS(WRITES, file) ? -1 : real(file, bytes, SHORTENED(file, count));
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    REAL(pwrite);
    return FAILS(WRITES, file) ? -1 : real(file, bytes, SHORTENED(file, count), at);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    REAL(pwrite64);
    return FAILS(WRITES, file) ? -1 : real(file, bytes, SHORTENED(file, count), at);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(writev);
    return FAILS(WRITES, file) ? -1 : real(file, parts, count);
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
    REAL(pwritev);
    return FAILS(WRITES, file) ? -1 : real(file, parts, count, at);
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) {
    REAL(pwritev64);
    return FAILS(WRITES, file) ? -1 : real(file, parts, count, at);
}
int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    return FAILS(WRITES, file) ? -1 : real(file, size);
}
int ftruncate64(int file, off64_t size) {
    REAL(ftruncate64);
    return FAILS(WRITES, file) ? -1 : real(file, size);
}
int fallocate(int file, int mode, off_t at, off_t size) {
    REAL(fallocate);
    return FAILS(WRITES, file) ? -1 : real(file, mode, at, size);
}
int fallocate64(int file, int mode, off64_t at, off64_t size) {
    REAL(fallocate64);
    return FAILS(WRITES, file) ? -1 : real(file, mode, at, size);
}
int posix_fallocate(int file, off_t at, off_t size) {
    REAL(posix_fallocate);
    return FAILS(WRITES, file) ? errno : real(file, at, size);
}
int posix_fallocate64(int file, off64_t at, off64_t size) {
    REAL(posix_fallocate64);
    return FAILS(WRITES, file) ? errno : real(file, at, size);
}
ssize_t read(int file, void *bytes, size_t count) {
    REAL(read);
    return FAILS(READS, file) ? -1 : real(file, bytes, count);
}
ssize_t pread(int file, void *bytes, size_t count, off_t at) {
    REAL(pread);
    return FAILS(READS, file) ? -1 : real(file, bytes, count, at);
}
ssize_t pread64(int file, void *bytes, size_t count, off64_t at) {
    REAL(pread64);
    return FAILS(READS, file) ? -1 : real(file, bytes, count, at);
}
ssize_t sendfile(int to, int file, off_t *at, size_t count);
ssize_t sendfile64(int to, int file, off64_t *at, size_t count);
ssize_t sendfile(int to, int file, off_t *at, size_t count) {
    REAL(sendfile);
    return FAILS(READS, file) ? -1 : real(to, file, at, count);
}
ssize_t sendfile64(int to, int file, off64_t *at, size_t count) {
    REAL(sendfile64);
    return FAILS(READS, file) ? -1 : real(to, file, at, count);
}
int fsync(int file) {
    REAL(fsync);
    return FAILS(SYNCS, file) ? -1 : real(file);
}
int fdatasync(int file) {
    REAL(fdatasync);
    return FAILS(SYNCS, file) ? -1 : real(file);
}

static int refused(int directory, const char *path, int flags) {
    if (!(flags & O_CREAT) || !ACTIVE(CREATES)) return 0;
    int inside = path[0] == '/' ? is_below(path) : directory >= 0 && concerns(directory);
    return inside && drawn(CREATES);
}

#define OPEN(name)                                                    \
    int name(const char *path, int flags, ...) {                      \
        REAL(name);                                                   \
        va_list more;                                                 \
        va_start(more, flags);                                        \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                                 \
        return refused(-1, path, flags) ? -1 : real(path, flags, mode); \
    }
#define OPENAT(name)                                                  \
    int name(int directory, const char *path, int flags, ...) {       \
        REAL(name);                                                   \
        va_list more;                                                 \
        va_start(more, flags);                                        \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                                 \
        return refused(directory, path, flags) ? -1 : real(directory, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int result = real(clock, now);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += page->clock_seconds;
    return result;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    REAL(gettimeofday);
    int result = real(now, zone);
    now->tv_sec += page->clock_seconds;
    return result;
}
time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
