#ifndef RESPITE_CSQLITE_SHIM_H
#define RESPITE_CSQLITE_SHIM_H
#include <stddef.h>
#include <sqlite3.h>
/* SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot import. */
static inline int respite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return bytes == NULL || count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                                        : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
static inline int respite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_text(statement, index, count == 0 ? "" : (const char *)bytes, count, SQLITE_TRANSIENT);
}
#endif
