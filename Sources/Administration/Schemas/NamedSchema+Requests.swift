import HTTPServer

/// Recent requests, and explanations.
extension NamedSchema {
    static let requests = NamedSchema(
        "RequestList",
        "A page of recent requests, the newest first.",
        [
            .required("requests", .list(.named(request))),
            .required("kept", .count, "How many are kept at most."),
            .optional("next", .text, "The `cursor` of older ones; absent: there are none."),
        ]
    )

    private static let requestMembers: [SchemaMember] = [
        .required("id", .text), .required("time", .text, "RFC 3339, with milliseconds."),
        .optional("client", .text, "Its address; absent: it came by a Unix socket."),
        .optional("user", .text, "The user of its login."), .required("method", .text),
        .required("url", .text, "Secrets in it are masked, and a long one ends in `…`."),
        .required("status", .integer(0, 599), "0: nothing was sent."),
        .required("cache", .word(RequestOutcome.allCases.map { "\($0.text)" }), "What became of it."),
        .optional("cacheStatus", .text, "Our member of Cache-Status."),
        .optional("reason", .text), .optional("rule", .text), .optional("route", .text),
        .optional("service", .text),
        .required("requestBytes", .count, "Bytes of content received."),
        .required("bytes", .count, "Bytes of content sent."),
        .required("durationMicroseconds", .count), .optional("headMicroseconds", .count),
        .optional("queueMicroseconds", .count, "How long it waited for a connection to the origin."),
        .optional("nameMicroseconds", .count), .optional("connectMicroseconds", .count),
        .optional("handshakeMicroseconds", .count, "Of TLS with the origin."),
        .optional("firstByteMicroseconds", .count, "From the request to the head of the origin's response."),
        .required("isComplete", .boolean, "False: the response was cut."),
    ]

    private static let request = NamedSchema("Request", "A recent request.", requestMembers)

    static let explainedRequest = NamedSchema(
        "ExplainedRequest",
        "A recent request, with the reasons in words.",
        requestMembers + [.required("reasons", .list(.named(reason))), .required("text", .list(.text), "Lines.")]
    )

    static let archive = NamedSchema(
        "HTTPArchive",
        "Recent requests in the format HAR 1.2; members that begin with `_` are as in `Request`.",
        [
            .required(
                "log",
                .object([
                    .required("version", .word(["1.2"])),
                    .required("creator", .object([.required("name", .text), .required("version", .text)])),
                    .required("entries", .list(.anything)),
                ])
            )
        ]
    )

    private static let reason = NamedSchema(
        "Reason",
        "One reason of a decision.",
        [
            .required("word", .text), .required("sentence", .text),
            .required("section", .text, "Where the rule is written."),
            .optional("remedy", .text, "What would change it."),
        ]
    )

    static let explanation = NamedSchema(
        "Explanation",
        "How a request would be served now, and why.",
        [
            .required("url", .text), .required("key", .text, "The cache key."), .required("method", .text),
            .optional("service", .text), .required("rules", .list(.text)), .required("mode", .word(modes)),
            .required(
                "partitions",
                .list(.object([.required("name", .text), .required("fields", .list(.text))])),
                "The partitions that the request may use, with the fields that identify them."
            ),
            .required(
                "outcome",
                .word(["serve", "serve-and-refresh", "validate", "load", "join", "pass", "refuse", "fail"])
            ),
            .optional("cacheStatus", .text), .required("reasons", .list(.named(reason))),
            .required("variants", .list(.named(explainedVariant))),
            .optional("tunnel", .text, "What happens to a CONNECT to its origin."),
            .optional("shared", .text, "What the shared server has for it."),
            .required("text", .list(.text), "Lines."),
        ]
    )

    private static let explainedVariant = NamedSchema(
        "ExplainedVariant",
        "One stored response, and whether the request may get it.",
        [
            .required("status", .integer(100, 599)), .required("partition", .text),
            .required("isSelected", .boolean), .required("differsIn", .list(.text)),
            .required("ageSeconds", .count), .required("tags", .list(.text), "By which it is purged."),
            .required("reasons", .list(.named(reason))),
        ]
    )
}
