extension TargetURI {
    /// The identity of a question to this target.
    ///
    /// - Parameters:
    ///   - method: QUERY or POST.
    ///   - digest: 32 bytes.
    public func question(_ method: Method, _ digest: [UInt8]) -> TargetURI {
        var text = withoutQuestion.path + [0x23] + method.bytes + [0x3A]
        for byte in digest {
            text.append(Hexadecimal.digit(byte >> 4))
            text.append(Hexadecimal.digit(byte & 15))
        }
        return TargetURI(scheme: scheme, host: host, port: port, path: text)
    }

    /// The method of the question that it identifies; nil for other URIs.
    public var questionMethod: Method? {
        let start = questionStart
        guard start < bytes.count else { return nil }
        return Method(bytes.span.extracting((start + 1)..<(bytes.count - Self.digestDigits - 1)))
    }

    /// Parses a URI that people copied from a listing: a fragment counts if it identifies a question.
    ///
    /// Never use it for targets of clients.
    public init(identifying bytes: [UInt8]) throws(ParseError) {
        let target = try TargetURI(parsing: bytes)
        let mark = bytes.firstIndex(of: 0x23) ?? bytes.endIndex
        let identity = target.bytes + bytes[mark...]
        let isDigest = bytes.suffix(Self.digestDigits).allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
        guard isDigest, let question = TargetURI(canonical: identity.span), question.withoutQuestion == target,
            question.questionMethod == .query || question.questionMethod == .post
        else {
            self = target
            return
        }
        self = question
    }

    public init(identifying text: String) throws(ParseError) { try self.init(identifying: Array(text.utf8)) }
}
