// RE2 behind a small C interface. No exception crosses it.
#include "CRE2.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

struct cre2_expression {
    re2::RE2 expression;

    cre2_expression(re2::StringPiece text, const re2::RE2::Options &options) : expression(text, options) {}
};

namespace {
void report(const char *reason, char *target, size_t size) {
    if (size == 0) return;
    const size_t count = std::min(std::strlen(reason), size - 1);
    std::memcpy(target, reason, count);
    target[count] = 0;
}
}  // namespace

cre2_expression *cre2_compile(
    const char *text, size_t length, bool ignores_case, char *reason, size_t reason_size) {
    try {
        re2::RE2::Options options;
        options.set_log_errors(false);
        options.set_case_sensitive(!ignores_case);
        auto result = std::make_unique<cre2_expression>(re2::StringPiece(text, length), options);
        if (result->expression.ok()) return result.release();
        report(result->expression.error().c_str(), reason, reason_size);
    } catch (const std::exception &error) {
        report(error.what(), reason, reason_size);
    }
    return nullptr;
}

void cre2_free(cre2_expression *expression) { delete expression; }

int cre2_group_count(const cre2_expression *expression) { return expression->expression.NumberOfCapturingGroups(); }

bool cre2_find(
    const cre2_expression *expression, const char *text, size_t length, size_t start, cre2_range *ranges, int count) {
    try {
        std::vector<re2::StringPiece> groups(static_cast<size_t>(std::max(count, 0)));
        const re2::StringPiece all(text, length);
        if (!expression->expression.Match(all, start, length, re2::RE2::UNANCHORED, groups.data(), count)) return false;
        for (int index = 0; index < count; index++) {
            const auto &group = groups[static_cast<size_t>(index)];
            const bool took_part = group.data() != nullptr;
            ranges[index].begin = took_part ? group.data() - text : -1;
            ranges[index].end = took_part ? ranges[index].begin + static_cast<ptrdiff_t>(group.size()) : -1;
        }
        return true;
    } catch (const std::exception &) {
        return false;
    }
}
