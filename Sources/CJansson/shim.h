#ifndef RESPITE_CJANSSON_SHIM_H
#define RESPITE_CJANSSON_SHIM_H
#include <jansson.h>
/* Inline functions with C11 atomics and results of an enum from its first byte: named for Swift. */
static inline void respite_json_release(json_t *value) { json_decref(value); }
static inline enum json_error_code respite_json_error_code(json_error_t error) { return json_error_code(&error); }
#endif
