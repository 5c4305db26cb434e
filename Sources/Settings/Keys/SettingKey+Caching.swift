extension SettingKey {
    static let upstream: [SettingKey] = [
        SettingKey(
            "upstream.connect-timeout",
            \.upstream.connectTimeout,
            .anyDuration,
            "Finding the addresses of an origin and connecting to one."
        ),
        SettingKey(
            "upstream.first-byte-timeout",
            \.upstream.firstByteTimeout,
            .anyDuration,
            "From the end of a request to the first byte of its response."
        ),
        SettingKey("upstream.idle-timeout", \.upstream.idleTimeout, .anyDuration, "Between bytes of a response."),
        SettingKey(
            "upstream.minimum-rate",
            \.upstream.minimumRate,
            .optional("off", .size(ByteCount(bytes: 1)...(.mebibytes(64)))),
            "Bytes of content an origin must send in each minute it is read; less is cut. Event streams may be slower."
        ),
        SettingKey(
            "upstream.keep-alive-timeout",
            \.upstream.keepAliveTimeout,
            .anyDurationOrZero,
            "How long an unused connection is kept."
        ),
        SettingKey(
            "upstream.retry-time",
            \.upstream.retryTime,
            .anyDurationOrZero,
            "How long a failed load is remembered."
        ),
        SettingKey(
            "upstream.breaker",
            \.upstream.breaker,
            .flag,
            "Spaces the attempts at an origin that is down: after 5 failures in a row, from retry-time doubling."
        ),
        SettingKey(
            "upstream.retry-time-max",
            \.upstream.retryTimeMax,
            .anyDurationOrZero,
            "The widest spacing of such attempts; one success ends it."
        ),
        SettingKey(
            "upstream.retry-after-max",
            \.upstream.retryAfterMax,
            .anyDurationOrZero,
            "The longest pause that Retry-After of a 429 or 503 is honoured with; 0s: not at all."
        ),
        SettingKey(
            "upstream.connections-per-origin",
            \.upstream.connectionsPerOrigin,
            .count(1...65_535),
            "Connections to one origin at a time; further requests wait."
        ),
        SettingKey(
            "upstream.queue-per-origin",
            \.upstream.queuePerOrigin,
            .count(0...1_000_000),
            "Requests that wait for a connection to one origin; more are 503."
        ),
        SettingKey(
            "upstream.proxy",
            \.upstream.proxy,
            .optional("", .upstreamProxy),
            "A proxy to reach origins through: http://HOST:PORT, socks5://… (names are looked up here) or socks5h://… (by "
                + "it); USER:PASSWORD@ before the host, or { url = \"…\", login = { file = \"PATH\" } }."
        ),
        SettingKey(
            "upstream.no-proxy",
            \.upstream.noProxy,
            .list(of: .noProxyPattern),
            "Hosts that are reached without it: a name and all below it, *.NAME, addresses and ranges, as in the URL."
        ),
    ]

    static let cache: [SettingKey] = [
        SettingKey(
            "cache.heuristic-fraction",
            \.cache.heuristicFraction,
            .fraction,
            "Lifetime of a response without one, as a part of the time since it was modified."
        ),
        SettingKey("cache.heuristic-limit", \.cache.heuristicLimit, .anyDurationOrZero, "The longest such lifetime."),
        SettingKey(
            "cache.variants-per-resource",
            \.cache.variantsPerResource,
            .count(1...1000),
            "Variants of one URL; the least recently used leaves."
        ),
        SettingKey(
            "cache.vary-names",
            \.cache.varyNames,
            .count(0...256),
            "Fields a Vary may name; with more the response is not stored."
        ),
        SettingKey(
            "cache.fill-policy",
            \.cache.fillPolicy,
            .choice,
            "What becomes of a load nobody waits for any more."
        ),
        SettingKey(
            "cache.fill-fraction",
            \.cache.fillFraction,
            .fraction,
            "With auto, such a load is finished if this part is there,"
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
            "How long a URL whose responses cannot be shared is not waited for."
        ),
        SettingKey(
            "cache.credential-fields",
            \.cache.credentialFields,
            .list(of: .fieldName),
            "Fields besides Authorization and Cookie that identify a user."
        ),
        SettingKey(
            "cache.cookies",
            \.cache.cookies,
            .choice,
            "Whether an answer to a request with Cookie is everybody's: share: if it states a lifetime and is not private; partition: "
                + "only with public or s-maxage; by-route: partition by forward and prefix routes beyond loopback, else share."
        ),
        SettingKey(
            "cache.targeted-control",
            \.cache.targetedControl,
            .choice,
            "Whose CDN-Cache-Control counts: that of services and --gateway, everybody's, nobody's."
        ),
        SettingKey(
            "cache.expiration-time",
            \.cache.expirationTime,
            .anyDurationOrZero,
            "How long data without a lifetime of its own counts as up to date in the model."
        ),
        SettingKey(
            "cache.stale-if-error",
            \.cache.staleIfError,
            .anyDurationOrZero,
            "How long beyond its lifetime a response may stand in for an error, unless it says so itself."
        ),
    ]
}
