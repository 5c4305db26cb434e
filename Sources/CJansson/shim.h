#ifndef RESPITE_CJANSSON_SHIM_H
#define RESPITE_CJANSSON_SHIM_H
#include <jansson.h>
#endif
