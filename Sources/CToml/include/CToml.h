#ifndef RESPITE_CTOML_H
#define RESPITE_CTOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a node is. Dates and times are known as such only so that they can be refused by name. */
enum {
    CTOML_TABLE = 0,
    CTOML_ARRAY = 1,
    CTOML_TEXT = 2,
    CTOML_INTEGER = 3,
    CTOML_REAL = 4,
    CTOML_BOOLEAN = 5,
    CTOML_DATE_OR_TIME = 6
};

/** One value of a document. Lines and columns begin at 1, columns count code points; 0 means unknown. */
typedef struct {
    int32_t kind;
    /** Index of the table or array that holds this node, smaller than its own; -1 for the root table. */
    int32_t parent;
    /** Where the key begins; 0 for members of arrays. */
    uint32_t key_line, key_column;
    uint32_t line, column;
    /** The line in which text ends; of no use for tables. */
    uint32_t last_line;
    /** UTF-8, not terminated; null for members of arrays and the root. */
    const char *key;
    size_t key_length;
    /** UTF-8, not terminated; only for text. */
    const char *text;
    size_t text_length;
    /** The value of an integer; 0 or 1 for a boolean. */
    int64_t integer;
    double real;
} ctoml_node;

typedef struct ctoml_document ctoml_document;

/** Parses TOML 1.0. Null only if there is no memory; an error is in the document. Refuses more than 1 MiB and nesting over 64. */
ctoml_document *ctoml_parse(const char *text, size_t length);

/** The sentence that tells the first error, with its position, or null if there is none. */
const char *ctoml_error(const ctoml_document *document, uint32_t *line, uint32_t *column);

/** The nodes, parents before their members, the root table first. None if there is an error. */
const ctoml_node *ctoml_nodes(const ctoml_document *document, size_t *count);

void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif
#endif
