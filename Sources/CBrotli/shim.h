#ifndef RESPITE_CBROTLI_SHIM_H
#define RESPITE_CBROTLI_SHIM_H
#include <brotli/decode.h>
#include <brotli/encode.h>
#endif
