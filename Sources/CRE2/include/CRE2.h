#ifndef RESPITE_CRE2_H
#define RESPITE_CRE2_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled expression; threads may share it. */
typedef struct cre2_expression cre2_expression;

/** Where a group matched; begin is -1 if it took no part. */
typedef struct {
    ptrdiff_t begin, end;
} cre2_range;

/**
 * Compiles an expression in the syntax of RE2, over UTF-8. Returns null if it is wrong or takes more than 8 MiB; then
 * `reason` holds why, terminated and cut to `reason_size`.
 */
cre2_expression *cre2_compile(
    const char *text, size_t length, bool ignores_case, char *reason, size_t reason_size);

void cre2_free(cre2_expression *expression);

/** How many groups in parentheses capture. */
int cre2_group_count(const cre2_expression *expression);

/**
 * Finds the leftmost match that begins at `start` or later. Takes time in proportion to the length.
 *
 * `ranges[0]` gets the whole match, the others the groups 1 to `count` - 1.
 */
bool cre2_find(
    const cre2_expression *expression, const char *text, size_t length, size_t start, cre2_range *ranges, int count);

#ifdef __cplusplus
}
#endif
#endif
