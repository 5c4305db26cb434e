#ifndef RESPITE_CHIREDIS_SHIM_H
#define RESPITE_CHIREDIS_SHIM_H
// The parser and the formatter alone: connections are our own.
#include <hiredis/read.h>
int redisFormatCommandArgv(char **target, int argc, const char **argv, const size_t *argvlen);
void redisFreeCommand(char *cmd);
#endif
