import Exchanges
import Observability

/// Settings, log, history, sessions and the document itself.
extension NamedSchema {
    static let configuration = NamedSchema(
        "Configuration",
        "All settings; or those for a URL, if it was given.",
        of: .either([.named(settings), .named(effectiveSettings)])
    )

    private static let settings = NamedSchema(
        "Settings",
        "All settings, without secrets.",
        [
            .required(
                "settings",
                .list(
                    .object([
                        .required("name", .text), .required("value", .text, "In TOML."),
                        .required("origin", .text, "Where it is set."),
                    ])
                )
            )
        ]
    )

    private static let effectiveSettings = NamedSchema(
        "EffectiveSettings",
        "The settings for one URL and method.",
        [
            .required("url", .text), .required("method", .text), .required("uri", .text, "The cache key."),
            .optional(
                "service",
                .object([.required("name", .text), .required("base", .text), .required("origin", .text)])
            ),
            .required(
                "rules",
                .list(.object([.required("name", .text), .required("match", .text), .required("origin", .text)]))
            ),
            .required(
                "values",
                .list(
                    .object([
                        .required("name", .text), .optional("value", .text), .optional("if", .text),
                        .optional("rule", .text), .required("origin", .text),
                    ])
                )
            ),
            .required(
                "pipeline",
                .list(
                    .object([
                        .required("stage", .text), .required("transformer", .text), .optional("if", .text),
                        .required("rule", .text), .required("origin", .text),
                    ])
                ),
                "The transformers, in order."
            ),
        ]
    )

    static let reloaded = NamedSchema(
        "Reloaded",
        "What a reload has changed.",
        [
            .required("changed", .list(.named(settingChange)), "In force now."),
            .required("needsRestart", .list(.named(settingChange))),
            .required("warnings", .list(.text)),
        ]
    )

    private static let settingChange = NamedSchema(
        "SettingChange",
        "A setting that has changed.",
        [.required("name", .text), .optional("old", .text), .optional("new", .text)]
    )

    private static let categories = Schema.list(.word(RespiteLog.Category.allCases.map { "\($0)" }))

    static let log = NamedSchema(
        "Log",
        "The core's log categories.",
        [
            .required("enabled", categories), .required("categories", categories, "All there are."),
            .required("presets", .object(LogWords.presets.map { .required($0.name, categories) })),
        ]
    )

    static let logChoice = NamedSchema(
        "LogChoice",
        "The categories and presets to enable; all others are disabled.",
        of: .exactObject([.required("enabled", .list(.word(LogWords.all)))])
    )

    static let logLines = NamedSchema(
        "LogLines",
        "The latest lines of the daemon's log, the oldest first.",
        [
            .required(
                "lines",
                .list(
                    .object([
                        .required("id", .text, "Later lines have larger ones."),
                        .required("time", .text, "As in RFC 3339."),
                        .required("level", .word(LogLevel.allCases.map(\.rawValue))),
                        .required("text", .text, "Message and values."),
                    ])
                )
            ),
            .required("kept", .count, "The most lines that are kept."),
        ]
    )

    static let history = NamedSchema(
        "History",
        "Samples of what the daemon did, each a list in the order of `columns`.",
        [
            .required("now", .count, "Seconds on the clock of the samples."),
            .required("columns", .list(.text)),
            .required(
                "series",
                .list(.object([.required("stepSeconds", .count), .required("samples", .list(.list(.count)))]))
            ),
        ]
    )

    static let session = NamedSchema(
        "Session",
        "What the session or token of this request may do.",
        [
            .required("mayChange", .boolean),
            .optional("secondsLeft", .count, "Until the session ends; absent: it is a token."),
        ]
    )

    static let sessionLink = NamedSchema(
        "SessionLink",
        "A link that gives one browser a session.",
        [.required("url", .text), .required("secondsLeft", .count)]
    )

    static let login = NamedSchema(
        "Login",
        "The code of a link, or a token.",
        of: .either([.exactObject([.required("code", .text)]), .exactObject([.required("token", .text)])])
    )

    static let begunSession = NamedSchema(
        "BegunSession",
        "What the login page keeps.",
        [.required("proof", .text, "The value of `Respite-Session`."), .required("mayChange", .boolean)]
    )

    static let nothing = NamedSchema("Nothing", "An empty object.", [])

    static let index = NamedSchema(
        "Index",
        "The API, its version and its routes.",
        [
            .required("name", .text), .required("version", .text),
            .required("document", .text, "The path of the OpenAPI document."),
            .required(
                "routes",
                .list(
                    .object([
                        .required("path", .text, "Names in braces stand for values."),
                        .required("method", .text), .required("operation", .text), .required("summary", .text),
                        .required("needs", .word(["nothing", "reading", "everything"]), "The right that it needs."),
                    ])
                )
            ),
        ]
    )

    static let openAPI = NamedSchema("OpenAPI", "An OpenAPI 3.1 document.", of: .anything)
}
