// toml++ behind a small C interface. No exception crosses it.
#include "CToml.h"

#include <exception>

namespace {
/// A claim of the parser about its input that did not hold: `[[[1]]]` and `[ #` break one in toml++ 3.3.
struct BrokenClaim : std::exception {};
}  // namespace

// Debug builds of toml++ abort at such a claim, release builds let the compiler rely on it. Neither will do here.
#undef NDEBUG
#define TOML_ASSERT(claim) ((claim) ? (void)0 : throw BrokenClaim())
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_MAX_NESTED_VALUES 64
#ifndef TOML_ENABLE_FORMATTERS
#define TOML_ENABLE_FORMATTERS 0
#endif
#include <toml++/toml.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr size_t sizeLimit = 1 << 20;
constexpr int depthLimit = 64;

struct Position {
    uint32_t line = 0, column = 0;
};

/// Finds keys of more than `depthLimit` dotted parts before the parser sees them: it and its destructors recurse per part.
class DottedKeyScan {
public:
    explicit DottedKeyScan(std::string_view text) : text(text) {}

    bool findsTooManyParts(Position &found) {
        while (at < text.size()) {
            const char c = text[at];
            if (c == '#') skipComment();
            else if (c == '"' || c == '\'') skipString(c);
            else {
                if (c == '.' && ++dots >= depthLimit) {
                    found = position();
                    return true;
                }
                if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{') dots = 0;
                ++at;
            }
        }
        return false;
    }

private:
    std::string_view text;
    size_t at = 0;
    int dots = 0;

    void skipComment() {
        while (at < text.size() && text[at] != '\n') ++at;
    }

    void skipString(char quote) {
        const char triple[] = {quote, quote, quote};
        const std::string_view fence(triple, 3);
        const bool multiline = text.substr(at, 3) == fence;
        at += multiline ? 3 : 1;
        while (at < text.size()) {
            if (text[at] == '\\' && quote == '"') at += 2;
            else if (multiline && text.substr(at, 3) == fence) return closeFence(quote);
            else if (!multiline && (text[at] == quote || text[at] == '\n')) { at += text[at] == quote; return; }
            else ++at;
        }
    }

    /// Two more quotes may belong to the text: five close a string that ends with two.
    void closeFence(char quote) {
        at += 3;
        for (int more = 0; more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
    }

    Position position() const {
        Position result{1, 1};
        for (size_t i = 0; i < at; ++i) {
            const unsigned char c = static_cast<unsigned char>(text[i]);
            if (c == '\n') { ++result.line; result.column = 1; }
            else if ((c & 0xC0) != 0x80) ++result.column;
        }
        return result;
    }
};

}  // namespace

struct ctoml_document {
    toml::table root;
    std::vector<ctoml_node> nodes;
    bool failed = false;
    std::string message;
    Position where;

    void fail(std::string text, Position position) {
        failed = true;
        message = std::move(text);
        where = position;
        nodes.clear();
    }

    void parse(std::string_view text) {
        if (text.size() > sizeLimit) return fail("the file is larger than 1 MiB", {1, 1});
        Position deep;
        if (DottedKeyScan(text).findsTooManyParts(deep)) return fail("a key has more than 64 parts", deep);
        try {
            root = toml::parse(text);
            add(root, -1, nullptr, 0);
        } catch (const toml::parse_error &error) {
            const auto begin = error.source().begin;
            fail(std::string(error.description()), {begin.line, begin.column});
        } catch (const BrokenClaim &) {
            fail("this line is not TOML", {lineOfBrokenClaim(text), 1});
        }
    }

    /// The number of lines in the shortest beginning of `text` that breaks the claim; all longer ones do, too.
    static uint32_t lineOfBrokenClaim(std::string_view text) {
        std::vector<size_t> ends;
        for (size_t i = 0; i < text.size(); ++i)
            if (text[i] == '\n' || i + 1 == text.size()) ends.push_back(i + 1);
        const auto found = std::partition_point(
            ends.begin(), ends.end(), [&](size_t end) { return !breaksClaim(text.substr(0, end)); });
        return static_cast<uint32_t>(found - ends.begin()) + 1;
    }

    static bool breaksClaim(std::string_view text) {
        try {
            (void)toml::parse(text);
            return false;
        } catch (const BrokenClaim &) {
            return true;
        } catch (const toml::parse_error &) {
            return false;
        }
    }

    static int32_t kind(const toml::node &node) {
        switch (node.type()) {
        case toml::node_type::table: return CTOML_TABLE;
        case toml::node_type::array: return CTOML_ARRAY;
        case toml::node_type::string: return CTOML_TEXT;
        case toml::node_type::integer: return CTOML_INTEGER;
        case toml::node_type::floating_point: return CTOML_REAL;
        case toml::node_type::boolean: return CTOML_BOOLEAN;
        default: return CTOML_DATE_OR_TIME;
        }
    }

    static ctoml_node describe(const toml::node &node, int32_t parent, const toml::key *key) {
        ctoml_node result{};
        result.kind = kind(node);
        result.parent = parent;
        result.line = node.source().begin.line;
        result.column = node.source().begin.column;
        result.last_line = node.source().end.line;
        if (key) {
            result.key = key->str().data();
            result.key_length = key->str().size();
            result.key_line = key->source().begin.line;
            result.key_column = key->source().begin.column;
        }
        if (const auto *text = node.as_string()) {
            result.text = text->get().data();
            result.text_length = text->get().size();
        }
        if (const auto *integer = node.as_integer()) result.integer = integer->get();
        if (const auto *real = node.as_floating_point()) result.real = real->get();
        if (const auto *boolean = node.as_boolean()) result.integer = boolean->get() ? 1 : 0;
        return result;
    }

    void add(const toml::node &node, int32_t parent, const toml::key *key, int depth) {
        if (failed) return;
        const ctoml_node described = describe(node, parent, key);
        if (depth > depthLimit) return fail("nested more than 64 deep", {described.line, described.column});
        const auto index = static_cast<int32_t>(nodes.size());
        nodes.push_back(described);
        if (const auto *table = node.as_table())
            for (auto &&[name, member] : *table) add(member, index, &name, depth + 1);
        if (const auto *array = node.as_array())
            for (auto &&member : *array) add(member, index, nullptr, depth + 1);
    }
};

extern "C" ctoml_document *ctoml_parse(const char *text, size_t length) {
    try {
        auto *document = new ctoml_document();
        try {
            document->parse(std::string_view(text, length));
        } catch (...) {
            document->fail("there is not enough memory to read it", {1, 1});
        }
        return document;
    } catch (...) {
        return nullptr;
    }
}

extern "C" const char *ctoml_error(const ctoml_document *document, uint32_t *line, uint32_t *column) {
    if (!document->failed) return nullptr;
    *line = document->where.line;
    *column = document->where.column;
    return document->message.c_str();
}

extern "C" const ctoml_node *ctoml_nodes(const ctoml_document *document, size_t *count) {
    *count = document->nodes.size();
    return document->nodes.data();
}

extern "C" void ctoml_free(ctoml_document *document) { delete document; }
