#ifndef RESPITE_CZLIB_SHIM_H
#define RESPITE_CZLIB_SHIM_H
#include <zlib.h>
/* Macros that Swift does not import. */
static inline int respite_inflate_init(z_streamp stream, int window_bits) { return inflateInit2(stream, window_bits); }
static inline int respite_deflate_init(z_streamp stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
#endif
