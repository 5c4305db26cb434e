#ifndef RESPITE_CCRYPT_SHIM_H
#define RESPITE_CCRYPT_SHIM_H
#include <crypt.h>
#endif
