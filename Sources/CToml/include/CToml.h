#ifndef RESPITE_CTOML_H
#define RESPITE_CTOML_H
#endif
