extension SettingKey {
    /// The limits of docs/specification/hostile-input.md; ranges are its floors and ceilings.
    static let limits: [SettingKey] =
        requestLimits + responseLimits + timeLimits + memoryLimits + transformLimits

    private static let requestLimits: [SettingKey] = [
        SettingKey(
            "limits.request-target",
            \.limits.requestTarget,
            .size(ByteCount(bytes: 8000)...(.mebibytes(1))),
            "Bytes of a request target; more is 414."
        ),
        SettingKey(
            "limits.header-section",
            \.limits.headerSection,
            .size(.kibibytes(32)...(.mebibytes(1))),
            "Bytes of a request's head; more is 431."
        ),
        SettingKey(
            "limits.header-fields",
            \.limits.headerFields,
            .count(128...5000),
            "Field lines of a request; more is 431."
        ),
        SettingKey("limits.method-length", \.limits.methodLength, .count(7...256), "Bytes of a method; more is 501."),
        SettingKey(
            "limits.empty-lines",
            \.limits.emptyLines,
            .count(0...8),
            "Empty lines skipped before a request."
        ),
        SettingKey(
            "limits.request-body",
            \.limits.requestBody,
            .optional("off", .size(ByteCount(bytes: 0)...(.gibibytes(1 << 20)))),
            "Bytes of a request's content; more is 413."
        ),
        SettingKey(
            "limits.chunk-extension-line",
            \.limits.chunkExtensionLine,
            .size(ByteCount(bytes: 0)...(.mebibytes(1))),
            "Bytes of the extensions of one chunk."
        ),
        SettingKey(
            "limits.chunk-extensions",
            \.limits.chunkExtensions,
            .size(ByteCount(bytes: 0)...(.mebibytes(1))),
            "Bytes of all chunk extensions of a message."
        ),
        SettingKey(
            "limits.trailer-section",
            \.limits.trailerSection,
            .size(ByteCount(bytes: 0)...(.mebibytes(1))),
            "Bytes of a trailer section."
        ),
        SettingKey(
            "limits.trailer-fields",
            \.limits.trailerFields,
            .count(0...5000),
            "Field lines of a trailer section."
        ),
        SettingKey(
            "limits.pipeline-depth",
            \.limits.pipelineDepth,
            .count(1...1000),
            "Requests read ahead on one connection."
        ),
        SettingKey(
            "limits.pipeline-size",
            \.limits.pipelineSize,
            .size(.kibibytes(1)...(.mebibytes(1))),
            "Bytes read ahead on one connection."
        ),
        SettingKey(
            "limits.ranges",
            \.limits.ranges,
            .count(1...1000),
            "Ranges of one request; with more the whole is sent."
        ),
    ]

    private static let responseLimits: [SettingKey] = [
        SettingKey(
            "limits.response-header-section",
            \.limits.responseHeaderSection,
            .size(.kibibytes(32)...(.mebibytes(16))),
            "Bytes of a response's head; more is 502."
        ),
        SettingKey(
            "limits.response-header-fields",
            \.limits.responseHeaderFields,
            .count(128...50_000),
            "Field lines of a response; more is 502."
        ),
        SettingKey(
            "limits.interim-responses",
            \.limits.interimResponses,
            .count(0...1000),
            "Responses with status 1xx before the final one; more is 502."
        ),
    ]

    private static let timeLimits: [SettingKey] = [
        SettingKey(
            "limits.header-timeout",
            \.limits.headerTimeout,
            .anyDuration,
            "From the first byte of a request to the end of its head."
        ),
        SettingKey(
            "limits.body-timeout",
            \.limits.bodyTimeout,
            .anyDuration,
            "Between bytes of a request's content."
        ),
        SettingKey("limits.idle-timeout", \.limits.idleTimeout, .anyDuration, "Between requests of a connection."),
        SettingKey(
            "limits.send-timeout",
            \.limits.sendTimeout,
            .anyDuration,
            "A client that takes nothing for so long is cut off."
        ),
        SettingKey(
            "limits.half-close",
            \.limits.halfClose,
            .anyDurationOrZero,
            "A client that has ended its side waits so long for its answer; nc -N, socat and the like need some seconds."
        ),
        SettingKey(
            "limits.continue-timeout",
            \.limits.continueTimeout,
            .anyDuration,
            "How long content waits for a 100 the origin does not send."
        ),
        SettingKey(
            "limits.drain-timeout",
            \.limits.drainTimeout,
            .anyDurationOrZero,
            "Exchanges in progress get so long after SIGTERM."
        ),
    ]

    private static let memoryLimits: [SettingKey] = [
        SettingKey(
            "limits.unsent-per-exchange",
            \.limits.unsentPerExchange,
            .size(.kibibytes(16)...(.mebibytes(64))),
            "Bytes held for a client that reads slowly; then the origin waits."
        ),
        SettingKey(
            "limits.unfinished-heads",
            \.limits.unfinishedHeads,
            .size(.kibibytes(64)...(.gibibytes(64))),
            "Bytes of request heads that are not whole, over all connections; more is 503. Half is for heads up to 4 KiB."
        ),
        SettingKey(
            "limits.max-connections",
            \.limits.maxConnections,
            .count(1...1_000_000),
            "Connections of all clients; more wait to be accepted."
        ),
        SettingKey(
            "limits.max-connections-per-peer",
            \.limits.maxConnectionsPerPeer,
            .optional("off", .count(1...1_000_000)),
            "Connections of one address; of loopback's only with access.trust-loopback = false."
        ),
        SettingKey(
            "limits.waiters-per-load",
            \.limits.waitersPerLoad,
            .count(1...1_000_000),
            "Requests that wait for one load; more are 503."
        ),
        SettingKey(
            "limits.json-size",
            \.limits.jsonSize,
            .size(.kibibytes(1)...(.mebibytes(1))),
            "Bytes of a request to the admin API."
        ),
        SettingKey("limits.json-depth", \.limits.jsonDepth, .count(1...512), "Nesting of JSON sent to the admin API."),
    ]

    private static let transformLimits: [SettingKey] = [
        SettingKey(
            "limits.max-transform-size",
            \.limits.maxTransformSize,
            .size(.kibibytes(1)...(.gibibytes(1))),
            "Bytes a transformer that needs the whole content takes; a rule's oversize says what becomes of more."
        ),
        SettingKey(
            "limits.transform-memory",
            \.limits.transformMemory,
            .size(.mebibytes(1)...(.gibibytes(1 << 10))),
            "What transformations of whole contents may take of memory, all together, at three bytes for one of content; "
                + "others wait up to limits.transform-time, then they are 503."
        ),
        SettingKey(
            "limits.decoded-size",
            \.limits.decodedSize,
            .optional("off", .size(.kibibytes(1)...(.gibibytes(1 << 20)))),
            "Bytes that taking off content codings may give; more is 502."
        ),
        SettingKey(
            "limits.decoded-ratio",
            \.limits.decodedRatio,
            .count(2...1_000_000),
            "Decoded bytes for each coded one, above 1 MiB of them; more is 502."
        ),
        SettingKey(
            "limits.content-codings",
            \.limits.contentCodings,
            .count(1...8),
            "Content codings of a response that are taken off; with more it is 502."
        ),
        SettingKey(
            "limits.transform-json-depth",
            \.limits.transformJSONDepth,
            .count(8...1024),
            "Nesting of JSON that is transformed; more is 502."
        ),
        SettingKey(
            "limits.transform-time",
            \.limits.transformTime,
            .duration(.milliseconds(10)...(.seconds(3600))),
            "Working time of one transformation; more is 502."
        ),
    ]
}
