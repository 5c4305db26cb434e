/// Texts that daemon and programs share name settings of the daemon; programs have options instead.
package enum ProgramTexts {
    /// Settings of the daemon, and the options of `HTTPClient` that are the same.
    static let options = [
        "upstream.connections-per-origin": "limits.connectionsPerOrigin",
        "upstream.first-byte-timeout": "limits.firstByteTimeout",
        "upstream.idle-timeout": "limits.idleTimeout",
        "upstream.interim-responses": "limits.interimResponses",
        "upstream.minimum-rate": "limits.minimumRate",
        "upstream.queue-per-origin": "limits.queuePerOrigin",
        "setting limits.header-section": "option limits.parser.headerSection",
        "setting limits.header-fields": "option limits.parser.headerFields",
        "setting limits.request-target": "option limits.parser.requestTarget",
        "setting limits.trailer-section": "option limits.parser.trailerSection",
        "setting limits.trailer-fields": "option limits.parser.trailerFields",
        "tls.ca-files": "security.authorityFiles",
        "decoded-ratio": "decoding.ratio",
        "decoded-size": "decoding.decodedContent",
        "content-codings": "decoding.codings",
        "json-depth": "decoding.jsonDepth",
    ]

    /// The text with the names of options.
    package static func text(_ text: String) -> String {
        options.reduce(text) { text, names in
            text.contains(names.key) ? text.replacing(names.key, with: names.value) : text
        }
    }
}
