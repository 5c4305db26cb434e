#ifndef RESPITE_CZSTD_SHIM_H
#define RESPITE_CZSTD_SHIM_H
#include <zstd.h>
#include <zstd_errors.h>
#endif
