import Configurations
import Exchanges

/// What the API reports of origins, names and tunnels.
extension NamedSchema {
    static let modes = ServiceMode.allCases.map(\.rawValue)
    static let failures = ExchangeFailure.Kind.allCases.map(\.rawValue)

    static let outage = NamedSchema(
        "Outage",
        "An origin that is down.",
        [
            .required("origin", .text), .required("error", .word(failures), "An error type of RFC 9209."),
            .required("reason", .text), .required("since", .text, "An HTTP date."),
            .required("attempts", .count, "Failed attempts, one behind the other."),
            .required("nextAttemptSeconds", .count), .required("attemptUnderWay", .boolean),
        ]
    )

    private static let security = NamedSchema(
        "OriginTLS",
        "What TLS of the latest connection has agreed on.",
        [
            .required("version", .text, "Such as `TLSv1.3`."),
            .required("cipher", .text, "The cipher suite."),
            .optional(
                "certificate",
                .object([
                    .required("subject", .text), .required("issuer", .text),
                    .required("ends", .text, "An HTTP date."),
                    .required("secondsLeft", .whole, "Negative once it has ended."),
                ])
            ),
        ]
    )

    private static let rateLimit = NamedSchema(
        "OriginRateLimit",
        "The limit for requests to `/` of the origin; rules may have others for other paths.",
        [
            .required("name", .text, "The rule or service that says so."),
            .required("requests", .count, "So many in each interval."),
            .required("intervalSeconds", .count), .required("burst", .count, "So many at once after a pause."),
            .required("waitSeconds", .count, "How long a request would wait now."),
        ]
    )

    static let services = NamedSchema(
        "ServiceList",
        "The named services.",
        [
            .required(
                "services",
                .list(
                    .object([
                        .required("name", .text), .required("base", .text, "An absolute URL."),
                        .required("path", .text, "Where it begins on our address."),
                        .required("host", .text, "The name by which clients on this machine reach it."),
                        .optional("mode", .word(modes), "How its requests use the network."),
                        .required("addedFields", .list(.text), "Names of fields that its requests get."),
                        .required(
                            "hasCredential",
                            .boolean,
                            "Whether they get a token, or a certificate is presented."
                        ),
                        .required("isEverywhere", .boolean, "Whether requests below `base` get these on every route."),
                        .required("allowedOrigins", .list(.text), "Origins of web pages that may use it."),
                    ])
                )
            )
        ]
    )

    static let origins = NamedSchema(
        "OriginList",
        "Origins with connections, and those that are down.",
        [
            .required(
                "origins",
                .list(
                    .object([
                        .required("origin", .text),
                        .required("connections", .count, "Open ones, and those being made."),
                        .required("idleConnections", .count),
                        .required("waiting", .count, "Requests that wait for a connection."),
                        .required("isDown", .boolean, "Whether a circuit breaker keeps requests back."),
                        .required("outages", .list(.named(outage)), "One for each of its TLS settings that is down."),
                        .optional("tls", .named(security)),
                        .optional("rateLimit", .named(rateLimit)),
                        .optional(
                            "pause",
                            .object([.required("reason", .text), .required("secondsLeft", .count)]),
                            "A pause that the origin has asked for."
                        ),
                        .optional("quotaIsScarce", .boolean, "Whether it says that its quota is nearly used up."),
                    ])
                )
            )
        ]
    )

    static let serviceMode = NamedSchema(
        "ServiceMode",
        "A service that has a mode of its own.",
        [.required("name", .text), .required("mode", .word(modes))]
    )

    static let mode = NamedSchema(
        "Mode",
        "How the network is used, and which origins are down.",
        [
            .required("mode", .word(modes), "The mode of everything without its own."),
            .required(
                "services",
                .list(
                    .object([
                        .required("name", .text), .required("mode", .word(modes)),
                        .required("own", .boolean, "Whether the mode is its own."),
                    ])
                )
            ),
            .required("outages", .list(.named(outage))),
        ]
    )

    static let modeChoice = NamedSchema(
        "ModeChoice",
        "The mode of one service, or of everything without its own.",
        of: .exactObject([
            .required("mode", .word(modes)), .optional("service", .text, "Absent: everything without its own."),
        ])
    )

    static let upstream = NamedSchema(
        "Upstream",
        "Connections to origins.",
        [
            .required("connections", .count, "Open ones, and those being made."),
            .required("idleConnections", .count),
            .required("waiting", .count, "Requests that wait for a connection."),
            .required(
                "withoutReuse",
                .list(.object([.required("origin", .text), .required("secondsLeft", .count)])),
                "Origins that sent bytes after a whole response."
            ),
        ]
    )

    static let names = NamedSchema(
        "Names",
        "Look-ups of host names.",
        [
            .required("underWay", .count), .required("refused", .count),
            .required(
                "servers",
                .list(
                    .object([
                        .required("address", .text), .required("questions", .count), .required("answers", .count),
                        .required("timeouts", .count), .optional("typicalMicroseconds", .count),
                        .optional("complaint", .text, "What is wrong with the server."),
                    ])
                )
            ),
        ]
    )

    static let interception = NamedSchema(
        "Interception",
        "Tunnels whose TLS ends here.",
        [
            .required("hosts", .list(.text)), .required("passThrough", .list(.text)),
            .required("authority", .text), .required("fingerprint", .text),
            .required("connections", .count), .required("failures", .count),
            .required("minted", .count, "Certificates made."),
            .required(
                "refused",
                .list(
                    .object([
                        .required("host", .text), .required("client", .text), .required("secondsLeft", .count),
                        .required("refusals", .count), .required("tunnels", .count),
                    ])
                ),
                "Hosts whose clients refuse the certificate, so that their tunnels pass unread."
            ),
        ]
    )

    static let tunnelTotalMembers: [SchemaMember] = [
        .required("open", .count), .required("opened", .count), .required("bytesUp", .count),
        .required("bytesDown", .count),
    ]

    static let tunnels = NamedSchema(
        "Tunnels",
        "The open tunnels, the oldest first.",
        [
            .required(
                "tunnels",
                .list(
                    .object([
                        .required("id", .count), .required("client", .text), .required("target", .text),
                        .required("route", .text, "How it was opened: `connect`, `socks` or `websocket`."),
                        .required("state", .text, "`open`, or which side has closed its direction."),
                        .required("bytesUp", .count), .required("bytesDown", .count),
                        .required("ageSeconds", .count), .required("idleSeconds", .count),
                    ])
                )
            ),
            .required("totals", .object(tunnelTotalMembers)),
        ]
    )
}
