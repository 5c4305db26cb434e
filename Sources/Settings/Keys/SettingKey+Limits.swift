extension SettingKey {
    /// The limits of docs/specification/hostile-input.md, with its lowest and highest values as ranges.
    static let limits: [SettingKey] =
        requestLimits + responseLimits + timeLimits + memoryLimits + transformLimits

    private static let requestLimits: [SettingKey] = [
        SettingKey(
            "limits.request-target",
            \.limits.requestTarget,
            .size(ByteCount(bytes: 8000)...(.mebibytes(1))),
            "Longest request target; a longer one gets 414."
        ),
        SettingKey(
            "limits.header-section",
            \.limits.headerSection,
            .size(.kibibytes(32)...(.mebibytes(1))),
            "Largest head of a request; a larger one gets 431."
        ),
        SettingKey(
            "limits.header-fields",
            \.limits.headerFields,
            .count(128...5000),
            "Most field lines of a request; more get 431."
        ),
        SettingKey(
            "limits.method-length",
            \.limits.methodLength,
            .count(7...256),
            "Longest method, in bytes; a longer one gets 501."
        ),
        SettingKey(
            "limits.empty-lines",
            \.limits.emptyLines,
            .count(0...8),
            "Most empty lines that are skipped before a request."
        ),
        SettingKey(
            "limits.request-body",
            \.limits.requestBody,
            .optional("off", .size(ByteCount(bytes: 0)...(.gibibytes(1 << 20)))),
            "Largest content of a request; a larger one gets 413."
        ),
        SettingKey(
            "limits.key-body",
            \.limits.keyBody,
            .size(ByteCount(bytes: 0)...(.mebibytes(64))),
            "Largest content of a QUERY, or of POST with key-body, that belongs to the cache key; a larger one passes."
        ),
        SettingKey(
            "limits.chunk-extension-line",
            \.limits.chunkExtensionLine,
            .size(ByteCount(bytes: 0)...(.mebibytes(1))),
            "Largest size of the extensions of one chunk."
        ),
        SettingKey(
            "limits.chunk-extensions",
            \.limits.chunkExtensions,
            .size(ByteCount(bytes: 0)...(.mebibytes(1))),
            "Largest size of all chunk extensions of a message."
        ),
        SettingKey(
            "limits.trailer-section",
            \.limits.trailerSection,
            .size(ByteCount(bytes: 0)...(.mebibytes(1))),
            "Largest trailer section."
        ),
        SettingKey(
            "limits.trailer-fields",
            \.limits.trailerFields,
            .count(0...5000),
            "Most field lines of a trailer section."
        ),
        SettingKey(
            "limits.pipeline-depth",
            \.limits.pipelineDepth,
            .count(1...1000),
            "Most requests read ahead on one connection."
        ),
        SettingKey(
            "limits.pipeline-size",
            \.limits.pipelineSize,
            .size(.kibibytes(1)...(.mebibytes(1))),
            "Most bytes read ahead on one connection."
        ),
        SettingKey(
            "limits.ranges",
            \.limits.ranges,
            .count(1...1000),
            "Most ranges of one request; with more, the whole response is sent."
        ),
    ]

    private static let responseLimits: [SettingKey] = [
        SettingKey(
            "limits.response-header-section",
            \.limits.responseHeaderSection,
            .size(.kibibytes(32)...(.mebibytes(16))),
            "Largest head of a response; a larger one becomes 502."
        ),
        SettingKey(
            "limits.response-header-fields",
            \.limits.responseHeaderFields,
            .count(128...50_000),
            "Most field lines of a response; more become 502."
        ),
        SettingKey(
            "limits.interim-responses",
            \.limits.interimResponses,
            .count(0...1000),
            "Most responses with status 1xx before the final one; more become 502."
        ),
    ]

    private static let timeLimits: [SettingKey] = [
        SettingKey(
            "limits.header-timeout",
            \.limits.headerTimeout,
            .anyDuration,
            "Longest time from the first byte of a request to the end of its head."
        ),
        SettingKey(
            "limits.body-timeout",
            \.limits.bodyTimeout,
            .anyDuration,
            "Longest pause between bytes of a request's content."
        ),
        SettingKey(
            "limits.idle-timeout",
            \.limits.idleTimeout,
            .anyDuration,
            "Longest pause between requests of a connection."
        ),
        SettingKey(
            "limits.send-timeout",
            \.limits.sendTimeout,
            .anyDuration,
            "A client that accepts no bytes for this long is disconnected."
        ),
        SettingKey(
            "limits.half-close",
            \.limits.halfClose,
            .anyDurationOrZero,
            "A client that has closed its sending side waits this long for its response; nc -N, socat and the like need some seconds."
        ),
        SettingKey(
            "limits.continue-timeout",
            \.limits.continueTimeout,
            .anyDuration,
            "How long content waits for a 100 (Continue) that the origin server does not send."
        ),
        SettingKey(
            "limits.drain-timeout",
            \.limits.drainTimeout,
            .anyDurationOrZero,
            "After SIGTERM, wait this long for requests in progress, then close them."
        ),
    ]

    private static let memoryLimits: [SettingKey] = [
        SettingKey(
            "limits.unsent-per-exchange",
            \.limits.unsentPerExchange,
            .size(.kibibytes(16)...(.mebibytes(64))),
            "Most bytes buffered for a client that reads slowly; then the origin server waits."
        ),
        SettingKey(
            "limits.unfinished-heads",
            \.limits.unfinishedHeads,
            .size(.kibibytes(64)...(.gibibytes(64))),
            "Most bytes of incomplete request heads, over all connections; more get 503. Half is for heads up to 4 KiB."
        ),
        SettingKey(
            "limits.key-body-memory",
            \.limits.keyBodyMemory,
            .size(.kibibytes(64)...(.gibibytes(64))),
            "Most bytes of contents that are held for cache keys, over all connections; further requests pass."
        ),
        SettingKey(
            "limits.max-connections",
            \.limits.maxConnections,
            .count(1...1_000_000),
            "Most connections of all clients; further ones wait to be accepted."
        ),
        SettingKey(
            "limits.max-connections-per-peer",
            \.limits.maxConnectionsPerPeer,
            .optional("off", .count(1...1_000_000)),
            "Most connections of one address; loopback counts only with access.trust-loopback = false."
        ),
        SettingKey(
            "limits.waiters-per-load",
            \.limits.waitersPerLoad,
            .count(1...1_000_000),
            "Most requests that wait for one load; more get 503."
        ),
        SettingKey(
            "limits.json-size",
            \.limits.jsonSize,
            .size(.kibibytes(1)...(.mebibytes(1))),
            "Largest content of a request to the admin API."
        ),
        SettingKey(
            "limits.json-depth",
            \.limits.jsonDepth,
            .count(1...512),
            "Deepest nesting of JSON sent to the admin API."
        ),
    ]

    private static let transformLimits: [SettingKey] = [
        SettingKey(
            "limits.max-transform-size",
            \.limits.maxTransformSize,
            .size(.kibibytes(1)...(.gibibytes(1))),
            "Largest content for a transformer that needs the whole content; a rule's oversize says what happens to larger content."
        ),
        SettingKey(
            "limits.transform-memory",
            \.limits.transformMemory,
            .size(.mebibytes(1)...(.gibibytes(1 << 10))),
            "Memory for transforming whole contents, all together; each takes three times its size. Others wait "
                + "up to limits.transform-time, then get 503."
        ),
        SettingKey(
            "limits.decoded-size",
            \.limits.decodedSize,
            .optional("off", .size(.kibibytes(1)...(.gibibytes(1 << 20)))),
            "Largest result of removing content codings; a larger one becomes 502."
        ),
        SettingKey(
            "limits.decoded-ratio",
            \.limits.decodedRatio,
            .count(2...1_000_000),
            "Most decoded bytes for each coded byte, above 1 MiB; more become 502."
        ),
        SettingKey(
            "limits.content-codings",
            \.limits.contentCodings,
            .count(1...8),
            "Most content codings that are removed from a response; with more it becomes 502."
        ),
        SettingKey(
            "limits.transform-json-depth",
            \.limits.transformJSONDepth,
            .count(8...1024),
            "Deepest nesting of JSON that is transformed; deeper JSON becomes 502."
        ),
        SettingKey(
            "limits.transform-time",
            \.limits.transformTime,
            .duration(.milliseconds(10)...(.seconds(3600))),
            "Longest working time of one transformation; a longer one becomes 502."
        ),
    ]
}
