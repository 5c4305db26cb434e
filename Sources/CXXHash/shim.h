#ifndef RESPITE_CXXHASH_SHIM_H
#define RESPITE_CXXHASH_SHIM_H
#include <xxhash.h>
#endif
