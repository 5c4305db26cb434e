extension SettingKey {
    static let upstream: [SettingKey] = [
        SettingKey(
            "upstream.connect-timeout",
            \.upstream.connectTimeout,
            .anyDuration,
            "Longest time to look up an origin server and connect to it."
        ),
        SettingKey(
            "upstream.first-byte-timeout",
            \.upstream.firstByteTimeout,
            .anyDuration,
            "Longest time from the end of a request to the first byte of its response."
        ),
        SettingKey(
            "upstream.idle-timeout",
            \.upstream.idleTimeout,
            .anyDuration,
            "Longest pause between bytes of a response."
        ),
        SettingKey(
            "upstream.minimum-rate",
            \.upstream.minimumRate,
            .optional("off", .size(ByteCount(bytes: 1)...(.mebibytes(64)))),
            "Fewest bytes of content per minute that an origin server must send while it is read, else it is cut off. Event streams may be slower."
        ),
        SettingKey(
            "upstream.keep-alive-timeout",
            \.upstream.keepAliveTimeout,
            .anyDurationOrZero,
            "How long an unused connection stays open."
        ),
        SettingKey(
            "upstream.retry-time",
            \.upstream.retryTime,
            .anyDurationOrZero,
            "How long a failed load is remembered."
        ),
        SettingKey(
            "upstream.circuit-breaker",
            \.upstream.circuitBreaker,
            .flag,
            "Whether a circuit breaker spaces the attempts at an origin server that is down: after 5 failures in a row, first by retry-time, then doubling."
        ),
        SettingKey(
            "upstream.retry-time-max",
            \.upstream.retryTimeMax,
            .anyDurationOrZero,
            "Longest pause between such attempts; one success ends it."
        ),
        SettingKey(
            "upstream.retry-after-max",
            \.upstream.retryAfterMax,
            .anyDurationOrZero,
            "Longest pause that Retry-After of a 429 or 503 can cause. 0s: Retry-After is ignored."
        ),
        SettingKey(
            "upstream.connections-per-origin",
            \.upstream.connectionsPerOrigin,
            .count(1...65_535),
            "Most connections to one origin server; further requests wait."
        ),
        SettingKey(
            "upstream.queue-per-origin",
            \.upstream.queuePerOrigin,
            .count(0...1_000_000),
            "Most requests that wait for a connection to one origin server; more get 503."
        ),
        SettingKey(
            "upstream.proxy",
            \.upstream.proxy,
            .optional("", .upstreamProxy),
            "Parent proxy for requests to origin servers: http://HOST:PORT, socks5://… (Respite looks up names) "
                + "or socks5h://… (the proxy does). With USER:PASSWORD@ before the host, or { url = \"…\", login = { "
                + "file = \"PATH\" } }."
        ),
        SettingKey(
            "upstream.no-proxy",
            \.upstream.noProxy,
            .list(of: .noProxyPattern),
            "Hosts that are reached without the parent proxy: a name and all below it, *.NAME, addresses and ranges, as in the URL."
        ),
    ]

    static let cache: [SettingKey] = [
        SettingKey(
            "cache.heuristic-fraction",
            \.cache.heuristicFraction,
            .fraction,
            "Freshness lifetime of a response that states none, as a fraction of the time since it was modified."
        ),
        SettingKey("cache.heuristic-limit", \.cache.heuristicLimit, .anyDurationOrZero, "Longest such lifetime."),
        SettingKey(
            "cache.variants-per-resource",
            \.cache.variantsPerResource,
            .count(1...1000),
            "Most variants of one URL; the least recently used one is removed."
        ),
        SettingKey(
            "cache.questions-per-resource",
            \.cache.questionsPerResource,
            .count(1...10_000_000),
            "Most questions (QUERY, or POST with key-body) to one URL in memory; the oldest are removed."
        ),
        SettingKey(
            "cache.vary-names",
            \.cache.varyNames,
            .count(0...256),
            "Most fields that Vary may name; with more the response is not stored."
        ),
        SettingKey(
            "cache.fill-policy",
            \.cache.fillPolicy,
            .choice,
            "What happens to a load that nobody waits for any more: auto (see fill-fraction), finish or abandon."
        ),
        SettingKey(
            "cache.fill-fraction",
            \.cache.fillFraction,
            .fraction,
            "With auto, such a load is finished if this part has arrived,"
        ),
        SettingKey(
            "cache.fill-remainder",
            \.cache.fillRemainder,
            .size(ByteCount(bytes: 0)...(.gibibytes(1 << 20))),
            "or if no more than this is missing."
        ),
        SettingKey(
            "cache.hit-for-miss",
            \.cache.hitForMiss,
            .anyDurationOrZero,
            "How long requests for a URL do not wait for each other after a response that cannot be shared."
        ),
        SettingKey(
            "cache.credential-fields",
            \.cache.credentialFields,
            .list(of: .fieldName),
            "Fields that identify a user, besides Authorization and Cookie."
        ),
        SettingKey(
            "cache.cookies",
            \.cache.cookies,
            .choice,
            "Whether a response to a request with Cookie is for everybody. share: if it states a lifetime and is "
                + "not private; partition: only with public or s-maxage; by-route: partition for forward and prefix "
                + "routes beyond loopback, else share."
        ),
        SettingKey(
            "cache.targeted-control",
            \.cache.targetedControl,
            .choice,
            "Whose CDN-Cache-Control is obeyed: that of services and --gateway, everybody's, or nobody's."
        ),
        SettingKey(
            "cache.expiration-time",
            \.cache.expirationTime,
            .anyDurationOrZero,
            "How long data without a lifetime of its own is up to date in the model."
        ),
        SettingKey(
            "cache.stale-if-error",
            \.cache.staleIfError,
            .anyDurationOrZero,
            "How long beyond its lifetime a response may replace an error, unless the response itself says so."
        ),
    ]
}
