/* What one process does for its requests, for `tools/measure-path`; by LD_PRELOAD.
 *
 * PATH_OBJECTS names the file that gets, at exit, how many objects of each class were allocated. PATH_STACKS names the file
 * that gets a stack whenever bytes are copied that contain PATH_MARK, with the word behind it. It may be truncated meanwhile.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 16, FRAMES = 256, SHORTEST = 16, LONGEST = 1 << 16 };

static _Atomic(uintptr_t) classes[SLOTS];
static _Atomic(uint64_t) counts[SLOTS];

static const char *mark;
static FILE *stacks;
static __thread int is_writing;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("PATH_STACKS");
    mark = getenv("PATH_MARK");
    if (path && mark) stacks = fopen(path, "a");
}

void *swift_allocObject(const void *class, size_t size, size_t alignment) {
    static void *(*real)(const void *, size_t, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "swift_allocObject");
    uintptr_t key = (uintptr_t)class;
    for (size_t at = (key >> 3) % SLOTS;; at = (at + 1) % SLOTS) {
        uintptr_t found = 0;
        if (atomic_compare_exchange_strong(&classes[at], &found, key) || found == key) {
            atomic_fetch_add(&counts[at], 1);
            return real(class, size, alignment);
        }
    }
}

static void write_stack(const char *word, size_t length) {
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);
    pthread_mutex_lock(&one_at_a_time);
    fprintf(stacks, "== %.*s\n", (int)length, word);
    /* The first three are ours. */
    for (int i = 3; i < count; i++) {
        Dl_info info = {0};
        dladdr(frames[i], &info);
        fprintf(stacks, "%s %#lx\n", info.dli_fname ? info.dli_fname : "?", (char *)frames[i] - (char *)info.dli_fbase - 1);
    }
    fflush(stacks);
    pthread_mutex_unlock(&one_at_a_time);
}

static void look(const char *from, size_t length) {
    if (!stacks || is_writing || length < SHORTEST || length > LONGEST) return;
    const char *found = memmem(from, length, mark, strlen(mark));
    if (!found) return;
    is_writing = 1;
    found += strlen(mark);
    size_t letters = 0;
    while (found + letters < from + length && islower((unsigned char)found[letters])) letters++;
    write_stack(found, letters);
    is_writing = 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t length) {
    static void *(*real)(void *, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "memcpy");
    look(from, length);
    return real(to, from, length);
}

void *memmove(void *to, const void *from, size_t length) {
    static void *(*real)(void *, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "memmove");
    look(from, length);
    return real(to, from, length);
}

struct name {
    const char *characters;
    size_t length;
};

__attribute__((destructor)) static void write_objects(void) {
    const char *path = getenv("PATH_OBJECTS");
    struct name (*name_of)(const void *, _Bool) = dlsym(RTLD_DEFAULT, "swift_getTypeName");
    FILE *file = path && name_of ? fopen(path, "w") : NULL;
    if (!file) return;
    for (size_t at = 0; at < SLOTS; at++) {
        if (!classes[at]) continue;
        uintptr_t kind = *(uintptr_t *)classes[at];
        /* Others than classes: what closures capture, boxes of variables, errors. */
        int is_class = kind == 0 || kind > 0x7ff;
        struct name name = is_class ? name_of((void *)classes[at], 1) : (struct name){"captured", 8};
        fprintf(file, "%lu %.*s\n", counts[at], (int)name.length, name.characters);
    }
    fclose(file);
}
