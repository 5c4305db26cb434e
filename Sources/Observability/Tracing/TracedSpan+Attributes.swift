import HTTPCore

extension TracedSpan {
    /// The parent's identifier, 16 digits.
    var parentText: [UInt8]? {
        parent.map { TraceContext(traceHigh: 0, traceLow: 0, span: $0, flags: 0).spanText }
    }

    /// What makes the span an error: of a server's span only what it fails itself, as the conventions say.
    var errorType: String? {
        if let failure { return failure }
        return status >= (kind == .server ? 500 : 400) ? "\(status)" : nil
    }

    /// The attributes, without the values of secret parameters.
    func attributes(_ secrets: SecretParameters) -> [SpanAttribute] {
        var attributes = [SpanAttribute("http.request.method", method.isKnown ? method.text : "_OTHER")]
        if !method.isKnown {
            attributes.append(SpanAttribute("http.request.method_original", Array(method.bytes.prefix(64))))
        }
        attributes += targetAttributes(secrets)
        if status > 0 { attributes.append(SpanAttribute("http.response.status_code", Int64(status))) }
        if let errorType { attributes.append(SpanAttribute("error.type", errorType)) }
        if let server { attributes += server.attributes }
        return attributes
    }

    /// The most bytes of a URL that are written.
    private static let urlLimit = 2048

    /// Where the request went.
    private func targetAttributes(_ secrets: SecretParameters) -> [SpanAttribute] {
        func shown(_ text: [UInt8]) -> [UInt8] { Array(secrets.redacted(text).prefix(Self.urlLimit)) }
        if let uri = try? TargetURI(parsing: target) {
            let path = shown(uri.path)
            let query = path.firstIndex(of: UInt8(ascii: "?"))
            var attributes = [
                SpanAttribute("url.full", shown(target)),
                SpanAttribute("url.scheme", uri.scheme.text),
                SpanAttribute("url.path", Array(path[..<(query ?? path.count)])),
                SpanAttribute("server.address", uri.host),
                SpanAttribute("server.port", Int64(uri.port)),
            ]
            if let query { attributes.append(SpanAttribute("url.query", Array(path[(query + 1)...]))) }
            return attributes
        }
        // The target of a CONNECT, or one in which no URI was found.
        guard method == .connect, let colon = target.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(String(decoding: target[(colon + 1)...], as: UTF8.self))
        else { return [SpanAttribute("url.full", shown(target))] }
        return [
            SpanAttribute("server.address", Array(target[..<colon])), SpanAttribute("server.port", Int64(port)),
        ]
    }
}

extension TracedSpan.ServerFacts {
    var attributes: [SpanAttribute] {
        var attributes = [
            SpanAttribute("respite.cache", "\(outcome)"),
            SpanAttribute("network.protocol.version", version == .http11 ? "1.1" : "1.0"),
            SpanAttribute("http.request.body.size", requestBytes),
            SpanAttribute("http.response.body.size", contentBytes),
        ]
        if let client {
            attributes.append(SpanAttribute("network.peer.address", client.description))
        } else {
            attributes.append(SpanAttribute("network.transport", "unix"))
        }
        if let reason = notes.reason { attributes.append(SpanAttribute("respite.reason", reason)) }
        if let rule = notes.rule { attributes.append(SpanAttribute("respite.rule", rule)) }
        if let service = notes.service { attributes.append(SpanAttribute("respite.service", service)) }
        return attributes
    }
}

extension Method {
    /// Whether the conventions name it.
    var isKnown: Bool {
        if case .other = self { return false }
        return true
    }
}
