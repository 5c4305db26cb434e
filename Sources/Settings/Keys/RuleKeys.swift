// The members of rules and of their transformers, for reading, showing and documenting.

extension RuleSettings {
    static let keys: [TableKey<RuleSettings>] = conditions(.urlPattern) + caching + loading + transforming
    static let serviceKeys: [TableKey<RuleSettings>] = conditions(.pathPattern) + caching + loading + transforming

    private static func conditions(_ pattern: SettingType<String>) -> [TableKey<RuleSettings>] {
        [
            TableKey(
                "match",
                \.match,
                pattern,
                "The URLs it is for: * within a segment or label, ** across them; a query is looked at only where the "
                    + "pattern has a ?."
            ),
            TableKey("methods", \.methods, .list(of: .method, atLeast: 1), default: [], "Methods it is for; else all."),
            TableKey(
                "content-types",
                \.contentTypes,
                .list(of: .mediaTypePattern, atLeast: 1),
                default: [],
                "Media types of responses it is for; else all."
            ),
            TableKey(
                "status",
                \.statuses,
                .list(of: .status, atLeast: 1),
                default: [],
                "Statuses of responses it is for; else all."
            ),
        ]
    }

    private static let caching: [TableKey<RuleSettings>] = lifetimes + prohibitions + keying

    private static let lifetimes: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "ttl",
            \.ttl,
            .anyDurationOrZero,
            "How long responses are fresh, whatever they say; without status: 200, 203, 204, 300, 301, 308, 404, 405, 410, "
                + "414, 501."
        ),
        TableKey(
            "ttl-by-status",
            \.ttlByStatus,
            .ttlByStatus,
            default: [],
            "The same by status, class or range of them: { 200 = \"10m\", 404 = \"1m\", 5xx = 0 }; the narrowest counts, "
                + "before ttl."
        ),
        TableKey(
            optional: "stale-if-error",
            \.staleIfError,
            .anyDurationOrZero,
            "How long beyond its lifetime a response may stand in for an error."
        ),
        TableKey(
            optional: "stale-while-revalidate",
            \.staleWhileRevalidate,
            .anyDurationOrZero,
            "How long beyond its lifetime a response is served while a new one is fetched."
        ),
    ]

    private static let prohibitions: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "ignore-client-no-cache",
            \.ignoreClientNoCache,
            .flag,
            "Whether no-cache, Pragma and max-age=0 of requests, as reloads send them, count for nothing; false takes back "
                + "what an earlier rule said."
        ),
        TableKey(
            optional: "cache-even",
            \.cacheEven,
            .list(of: .cacheEven),
            "What responses say against caching and is not heeded; what a credential brought stays that credential's. "
                + "Lifetimes are those of the response or of ttl. [] takes back what an earlier rule said."
        ),
        TableKey(
            optional: "set-cookie",
            \.setCookie,
            .choice,
            "Responses with Set-Cookie: careful (shared only with a stated lifetime and if no credential brought them), "
                + "refuse (not stored), reuse (stored with it for all without a credential), private (stored for the "
                + "credential alone), strip (the field is taken off for everybody)."
        ),
        TableKey(
            optional: "never-cache",
            \.neverCache,
            .flag,
            "Passes requests through; false takes back what an earlier rule said."
        ),
    ]

    private static let keying: [TableKey<RuleSettings>] = [
        TableKey(
            "vary-add",
            \.varyAdd,
            .list(of: .fieldName, atLeast: 1),
            default: [],
            "Request fields responses differ by, besides those of their Vary."
        ),
        TableKey(
            "vary-ignore",
            \.varyIgnore,
            .list(of: .fieldName, atLeast: 1),
            default: [],
            "Members of Vary that responses do not differ by, such as User-Agent, or * itself; not Cookie and other "
                + "credentials."
        ),
        TableKey(
            "key-header",
            \.keyHeader,
            .list(of: .fieldName, atLeast: 1),
            default: [],
            "Request fields whose values belong to the key as the URL does: requests that differ in them never share "
                + "anything, a load included."
        ),
        TableKey(
            optional: "partition",
            \.partition,
            .partition,
            "Whose answers are kept together: shared (whatever may be), credential (each has all of its own, public "
                + "ones included), or a name, under which all is kept apart from other names."
        ),
        TableKey(
            "drop-query",
            \.dropQuery,
            .list(of: .parameterPattern, atLeast: 1),
            default: [],
            "Query parameters that are left out of the URL; * stands for any text."
        ),
        TableKey(optional: "sort-query", \.sortQuery, .flag, "Sorts the query's parameters by name."),
    ]

    private static let loading: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "retry",
            \.retry,
            .retry,
            "Makes requests again that fail before a response has begun; for idempotent methods without content."
        ),
        TableKey(
            optional: "rate-limit",
            \.rateLimit,
            .rateLimit,
            "How many requests go to the origins, over all URLs of the rule: \"10/s\"; the others wait, or get 503."
        ),
        TableKey(
            optional: "retry-after",
            \.retryAfter,
            .choice,
            "What waits when a 429 or 503 says Retry-After: the resource, all of the origin's URLs the rule is for, or "
                + "nothing."
        ),
        TableKey(
            optional: "connect-http",
            \.connectHTTP,
            .flag,
            "Serves plain HTTP inside a CONNECT, as requests by the proxy are, if match covers the origin's http:// root; "
                + "else it is tunnelled. false takes back what an earlier rule said."
        ),
    ]

    private static let transforming: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "transform",
            \.transform,
            .transforms,
            "Transformers, added to those of earlier rules; \"none\" takes these away."
        ),
        TableKey(
            optional: "keep-original",
            \.keepOriginal,
            .flag,
            "Keeps what a redaction takes out, in the store and for administrators."
        ),
        TableKey(optional: "force", \.force, .flag, "Transforms also what says no-transform; redaction always does."),
        TableKey(
            optional: "oversize",
            \.oversize,
            .choice,
            "What becomes of content above limits.max-transform-size: 502, or it passes as it is."
        ),
    ]

    static let reader = TableReader(name: "rule", keys: keys)
    static let serviceReader = TableReader(name: "rule", keys: serviceKeys)
}

extension TransformDraft {
    static let keys: [TableKey<TransformDraft>] = [
        TableKey(optional: "decode", \.decode, .choice, "Takes content codings off and serves identity; rawData."),
        TableKey(optional: "charset", \.charset, .choice, "Turns text into UTF-8; decoding."),
        TableKey(
            optional: "json",
            \.json,
            .choice,
            "Checks (parsing), compacts or indents (cleanup) or picks from (model) JSON."
        ),
        TableKey(optional: "path", \.path, .jsonPath, "What json = \"select\" picks: RFC 9535, or a JSON Pointer."),
        TableKey(optional: "indent", \.indent, .count(0...16), "Spaces for each level of json = \"pretty\"; else 2."),
        TableKey(
            optional: "redact",
            \.redact,
            .list(of: .jsonPath, atLeast: 1),
            "Replaces values of JSON: RFC 9535 paths or JSON Pointers; model. Fails closed."
        ),
        TableKey(optional: "substitute", \.substitute, .someText, "Replaces literal text; model."),
        TableKey(
            optional: "with",
            \.with,
            .anyText,
            "The replacement of substitute, or of redact (else \"[redacted]\")."
        ),
        TableKey(
            optional: "ignore-case",
            \.ignoreCase,
            .flag,
            "Whether redact, in names, and substitute take a for A; else not."
        ),
        TableKey(
            optional: "fields",
            \.fields,
            .fieldChanges,
            "Changes fields: { set = {…}, add = {…}, remove = [\"X-*\"] }; cleanup."
        ),
        TableKey(
            optional: "links",
            \.links,
            .choice,
            "Turns absolute URLs in JSON and HTML into those of the prefix gateway; model."
        ),
        TableKey(
            optional: "encode",
            \.encode,
            .list(of: .choice, atLeast: 1),
            "Codes content as the client prefers; encoding, the last stage."
        ),
        TableKey(optional: "always", \.always, .flag, "Whether encode codes also what the client does not ask for."),
        TableKey(optional: "stage", \.stage, .choice, "The stage it runs in; else the one of its kind."),
        TableKey(
            "content-types",
            \.contentTypes,
            .list(of: .mediaTypePattern, atLeast: 1),
            default: [],
            "Media types it is for, in place of the rule's."
        ),
        TableKey(
            "status",
            \.statuses,
            .list(of: .status, atLeast: 1),
            default: [],
            "Statuses it is for, in place of the rule's; else 2xx, for redact all."
        ),
    ]

    static let reader = TableReader(name: "transform", keys: keys)
}

extension FieldChanges {
    static let keys: [TableKey<FieldChanges>] = [
        TableKey("set", \.set, .fieldTable, default: [], "Fields with the values that replace theirs."),
        TableKey("add", \.add, .fieldTable, default: [], "Fields that are appended."),
        TableKey(
            "remove",
            \.remove,
            .list(of: .fieldPattern, atLeast: 1),
            default: [],
            "Names of fields that are taken away; * stands for any text."
        ),
    ]

    static let reader = TableReader(name: "fields", keys: keys)
}

extension SettingType where Value == String {
    /// Checked by the transformer that takes it.
    static var jsonPath: SettingType {
        text(
            "JSON path",
            expected: "a path such as \"$.items[*].id\" or a JSON Pointer such as \"/items/0\"",
            read: { $0.isEmpty || $0.hasPrefix("$") || $0.hasPrefix("/") ? $0 : nil },
            format: { $0 }
        )
    }

    static var someText: SettingType {
        text("text", expected: "text of one character or more", read: { $0.isEmpty ? nil : $0 }, format: { $0 })
    }

    static var anyText: SettingType { text("text", expected: "text", read: { $0 }, format: { $0 }) }
}
