// The members of rules and of their transformers, for reading, showing and documenting.

extension RuleSettings {
    static let keys: [TableKey<RuleSettings>] =
        hostConditions + conditions(.urlPattern) + refusing + caching + loading + transforming
    static let serviceKeys: [TableKey<RuleSettings>] =
        conditions(.pathPattern) + refusing + caching + loading + transforming

    private static let hostConditions: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "match-hosts-file",
            \.hostsFile,
            .path,
            "File of hosts that the rule is for, one a line: name, .name for all below it, too, or a file of hosts. A "
                + "relative path starts beside the settings file. Without match the rule is for all URLs of these hosts."
        )
    ]

    private static func conditions(_ pattern: SettingType<String>) -> [TableKey<RuleSettings>] {
        [
            TableKey(
                "match",
                \.match,
                pattern,
                "URLs that the rule is for: * within a segment or label, ** across them. A query is compared only "
                    + "if the pattern has a ?."
            ),
            TableKey(
                "methods",
                \.methods,
                .list(of: .method, atLeast: 1),
                default: [],
                "Methods that the rule is for; default: all."
            ),
            TableKey(
                "content-types",
                \.contentTypes,
                .list(of: .mediaTypePattern, atLeast: 1),
                default: [],
                "Media types of responses that the rule is for; default: all."
            ),
            TableKey(
                "status",
                \.statuses,
                .list(of: .status, atLeast: 1),
                default: [],
                "Statuses of responses that the rule is for; default: all."
            ),
        ]
    }

    private static let refusing: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "deny",
            \.deny,
            .deny,
            "Refuses requests with 403 and this text, on every route, before anything is served or loaded. CONNECT too, "
                + "if match covers every URL of the origin. false cancels an earlier rule."
        ),
        TableKey(
            optional: "redirect",
            \.redirect,
            .redirect,
            "Sends clients to another URL with 307, or { to = URL, status = 308 }; $path stands for path and query. false "
                + "cancels an earlier rule."
        ),
        TableKey(
            optional: "fail",
            \.fail,
            .fail,
            "Makes requests fail, to test clients: { status = 503, share = 0.1 }, reset or timeout. false cancels an "
                + "earlier rule."
        ),
        TableKey(
            optional: "delay",
            \.delay,
            .duration(.zero ... .seconds(60)),
            "How long requests wait before anything is done, hits too; 0 cancels an earlier rule."
        ),
        TableKey(
            optional: "rate",
            \.rate,
            .sendRate,
            "How fast content of each response is sent, such as \"64KiB/s\"; false cancels an earlier rule."
        ),
        TableKey(
            optional: "set-field",
            \.setField,
            .setField,
            "Sets fields: { request = { Accept-Language = \"de\" }, response = {…} }; besides those of earlier rules. "
                + "Requests change before anything is looked up, responses when they are sent."
        ),
        TableKey(
            optional: "remove-field",
            \.removeField,
            .removeField,
            "Removes fields: { request = [\"Cookie\"], response = [\"X-*\"] }, before set-field of the same rule sets any."
        ),
    ]

    private static let caching: [TableKey<RuleSettings>] = lifetimes + prohibitions + keying

    private static let lifetimes: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "ttl",
            \.ttl,
            .anyDurationOrZero,
            "Freshness lifetime of responses, whatever they say; without status: 200, 203, 204, 300, 301, 308, "
                + "404, 405, 410, 414, 501."
        ),
        TableKey(
            "ttl-by-status",
            \.ttlByStatus,
            .ttlByStatus,
            default: [],
            "The same by status, class or range of them: { 200 = \"10m\", 404 = \"1m\", 5xx = 0 }; the narrowest "
                + "applies, before ttl."
        ),
        TableKey(
            optional: "stale-if-error",
            \.staleIfError,
            .anyDurationOrZero,
            "How long beyond its lifetime a response may replace an error."
        ),
        TableKey(
            optional: "stale-while-revalidate",
            \.staleWhileRevalidate,
            .anyDurationOrZero,
            "How long beyond its lifetime a response is served while a new one is loaded."
        ),
        TableKey(
            optional: "refresh-ahead",
            \.refreshAhead,
            .percentage(0...90),
            "Validates a response that is used in the last part of its lifetime, in the background: \"10%\"; 0% cancels "
                + "an earlier rule."
        ),
    ]

    private static let prohibitions: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "ignore-client-no-cache",
            \.ignoreClientNoCache,
            .flag,
            "Whether no-cache, Pragma and max-age=0 of requests, as reloads send them, are ignored; false cancels "
                + "an earlier rule."
        ),
        TableKey(
            optional: "cache-even",
            \.cacheEven,
            .list(of: .cacheEven),
            "Directives of responses against caching that are ignored. A response to a credential stays that "
                + "credential's. The lifetime is that of the response or of ttl. [] cancels an earlier rule."
        ),
        TableKey(
            optional: "set-cookie",
            \.setCookie,
            .choice,
            "Responses with Set-Cookie: careful (shared only with a stated lifetime and if the request had no "
                + "credential), refuse (not stored), reuse (stored with it, for all requests without a credential), "
                + "private (stored for the credential alone), strip (the field is removed for everybody)."
        ),
        TableKey(
            optional: "record-streams",
            \.recordStreams,
            .flag,
            "Stores complete event streams and JSON lines with the times of their pieces, and lets identical requests join "
                + "them. By default where key-body answers POST; false cancels that, and an earlier rule."
        ),
        TableKey(
            optional: "replay-pace",
            \.replayPace,
            .replayPace,
            "How stored streams are sent: instant (at once), recorded (as they came), or so many times as fast: 4.0."
        ),
        TableKey(
            optional: "never-cache",
            \.neverCache,
            .flag,
            "Passes requests through; false cancels an earlier rule."
        ),
    ]

    private static let keying: [TableKey<RuleSettings>] = [
        TableKey(
            "vary-add",
            \.varyAdd,
            .list(of: .fieldName, atLeast: 1),
            default: [],
            "Request fields by which responses differ, besides those of their Vary."
        ),
        TableKey(
            "vary-ignore",
            \.varyIgnore,
            .list(of: .fieldName, atLeast: 1),
            default: [],
            "Members of Vary by which responses do not differ, such as User-Agent, or * itself; not Cookie and "
                + "other credentials."
        ),
        TableKey(
            "key-header",
            \.keyHeader,
            .list(of: .fieldName, atLeast: 1),
            default: [],
            "Request fields that belong to the cache key, as the URL does: requests with different values share "
                + "nothing, not even a load."
        ),
        TableKey(
            optional: "key-body",
            \.keyBody,
            .keyBody,
            "Answers POST like GET, by its content: true (byte by byte), or { json = true, ignore = [\"$.user\"] } or only = "
                + "[…] with paths or JSON Pointers, or { graphql = true } for GraphQL queries. QUERY is always answered so. false cancels an earlier rule."
        ),
        TableKey(
            optional: "partition",
            \.partition,
            .partition,
            "Which requests share stored responses: shared (all, as far as HTTP allows), credential (each "
                + "credential has all of its own, public ones included), user (each user of a login), or a name (kept apart from other names)."
        ),
        TableKey(
            "drop-query",
            \.dropQuery,
            .list(of: .parameterPattern, atLeast: 1),
            default: [],
            "Query parameters that are removed from the URL; * stands for any text."
        ),
        TableKey(optional: "sort-query", \.sortQuery, .flag, "Sorts the query's parameters by name."),
    ]

    private static let loading: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "retry",
            \.retry,
            .retry,
            "Repeats requests that fail before a response has begun; for questions, and idempotent methods without content."
        ),
        TableKey(
            optional: "rate-limit",
            \.rateLimit,
            .rateLimit,
            "How many requests go to origin servers, over all URLs of the rule: \"10/s\"; others wait, or get 503."
        ),
        TableKey(
            optional: "retry-after",
            \.retryAfter,
            .choice,
            "What waits when a 429 or 503 says Retry-After: the resource, all URLs of the origin that the rule is "
                + "for (origin), or nothing (ignore)."
        ),
        TableKey(
            optional: "connect-http",
            \.connectHTTP,
            .flag,
            "Serves plain HTTP inside a CONNECT like other requests, if match covers the origin's http:// root; "
                + "else it is tunnelled. false cancels an earlier rule."
        ),
    ]

    private static let transforming: [TableKey<RuleSettings>] = [
        TableKey(
            optional: "transform",
            \.transform,
            .transforms,
            "Transformers, added to those of earlier rules; \"none\" removes those."
        ),
        TableKey(
            optional: "keep-original",
            \.keepOriginal,
            .flag,
            "Keeps what a redaction removes, in the store and for administrators."
        ),
        TableKey(
            optional: "force",
            \.force,
            .flag,
            "Also transforms responses that say no-transform; redaction always does."
        ),
        TableKey(
            optional: "oversize",
            \.oversize,
            .choice,
            "What happens to content above limits.max-transform-size: 502 (fail), or it passes unchanged (pass)."
        ),
        TableKey(
            "scrub",
            \.scrub,
            .list(of: .jsonPath, atLeast: 1),
            default: [],
            "Values of JSON that `respite record` keeps out of its file, by paths or JSON Pointers; in all that it records."
        ),
    ]

    static let reader = TableReader(name: "rule", keys: keys)
    static let serviceReader = TableReader(name: "rule", keys: serviceKeys)
}

extension TransformDraft {
    static let keys: [TableKey<TransformDraft>] = [
        TableKey(optional: "decode", \.decode, .choice, "Removes content codings and serves identity; stage rawData."),
        TableKey(optional: "charset", \.charset, .choice, "Converts text to UTF-8; stage decoding."),
        TableKey(
            optional: "json",
            \.json,
            .choice,
            "Checks JSON (stage parsing), minifies or indents it (cleanup), or selects from it (model)."
        ),
        TableKey(optional: "path", \.path, .jsonPath, "What json = \"select\" selects: RFC 9535, or a JSON Pointer."),
        TableKey(
            optional: "indent",
            \.indent,
            .count(0...16),
            "Spaces for each level of json = \"pretty\"; default: 2."
        ),
        TableKey(
            optional: "redact",
            \.redact,
            .list(of: .jsonPath, atLeast: 1),
            "Replaces values of JSON, by RFC 9535 paths or JSON Pointers; stage model. Fails closed."
        ),
        TableKey(optional: "substitute", \.substitute, .someText, "Replaces text, or what regex finds; model."),
        TableKey(
            optional: "with",
            \.with,
            .anyText,
            "The replacement of substitute, or of redact (default \"[redacted]\")."
        ),
        TableKey(
            optional: "ignore-case",
            \.ignoreCase,
            .flag,
            "Whether redact (in names) and substitute ignore the case of letters; default: no."
        ),
        TableKey(
            optional: "regex",
            \.regex,
            .flag,
            "Whether substitute is a regular expression of RE2; then $1 in with is its first group."
        ),
        TableKey(
            optional: "fields",
            \.fields,
            .fieldChanges,
            "Changes fields: { set = {…}, add = {…}, remove = [\"X-*\"] }; stage cleanup."
        ),
        TableKey(
            optional: "links",
            \.links,
            .choice,
            "Turns absolute URLs in JSON and HTML into those of the prefix gateway; stage model."
        ),
        TableKey(
            optional: "encode",
            \.encode,
            .list(of: .choice, atLeast: 1),
            "Encodes content as the client prefers; stage encoding, the last one."
        ),
        TableKey(optional: "always", \.always, .flag, "Whether encode also encodes what the client does not ask for."),
        TableKey(optional: "stage", \.stage, .choice, "The stage it runs in; default: the one of its kind."),
        TableKey(
            "content-types",
            \.contentTypes,
            .list(of: .mediaTypePattern, atLeast: 1),
            default: [],
            "Media types it is for, instead of the rule's."
        ),
        TableKey(
            "status",
            \.statuses,
            .list(of: .status, atLeast: 1),
            default: [],
            "Statuses it is for, instead of the rule's; default: 2xx, for redact all."
        ),
    ]

    static let reader = TableReader(name: "transform", keys: keys)
}

extension FieldChanges {
    static let keys: [TableKey<FieldChanges>] = [
        TableKey("set", \.set, .fieldTable, default: [], "Fields that replace those of the same name."),
        TableKey("add", \.add, .fieldTable, default: [], "Fields that are appended."),
        TableKey(
            "remove",
            \.remove,
            .list(of: .fieldPattern, atLeast: 1),
            default: [],
            "Names of fields that are removed; * stands for any text."
        ),
    ]

    static let reader = TableReader(name: "fields", keys: keys)
}

extension SettingType where Value == String {
    /// A JSON path; its transformer checks it.
    static var jsonPath: SettingType {
        text(
            "JSON path",
            expected: "a path such as \"$.items[*].id\" or a JSON Pointer such as \"/items/0\"",
            read: { $0.isEmpty || $0.hasPrefix("$") || $0.hasPrefix("/") ? $0 : nil }
        )
    }

    static var someText: SettingType {
        text("text", expected: "text of one character or more", read: { $0.isEmpty ? nil : $0 }, format: { $0 })
    }

    static var anyText: SettingType { text("text", expected: "text", read: { $0 }, format: { $0 }) }
}
