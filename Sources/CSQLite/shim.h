#ifndef RESPITE_CSQLITE_SHIM_H
#define RESPITE_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
