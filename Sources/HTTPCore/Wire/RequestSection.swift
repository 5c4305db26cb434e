/// Collects, line by line, what the fields of a request say about routing, framing and the connection.
struct RequestSection: Sendable {
    enum Verdict {
        case keep
        /// The line repeats an earlier one.
        case drop
        case failed(ParseError.Code)
    }

    /// The start of the field section.
    var start = 0
    var present: KnownFieldSet = []
    private var hostField = Authority?.none
    private var contentLength: Int64 = -1
    private var connection = ConnectionOptions()
    private var expectsContinue = false

    /// Whether the parser handles lines of this field specially.
    @inline(__always)
    static func isSpecial(_ field: KnownField) -> Bool {
        switch field {
        case .host, .contentLength, .transferEncoding, .connection, .expect, .authorization, .range, .ifRange,
            .maxForwards:
            true
        default: false
        }
    }

    /// Judges a line of a special field; `head` has the request line and the lines before this one.
    mutating func note(
        _ line: Fields.Line,
        _ field: KnownField,
        _ input: Span<UInt8>,
        _ head: inout RequestHead,
        _ knownHost: inout KnownHost,
        limits: ParserLimits
    ) -> Verdict {
        switch field {
        case .host: host(line, input, &knownHost)
        case .contentLength: contentLength(line, input, limits: limits)
        case .transferEncoding: transferEncoding(line, input, version: head.version)
        case .connection: connection.note(input, line.value) ? .keep : .failed(.badConnection)
        case .expect: expect(line, input)
        default: singleton(line, field, input, head.fields.lines)
        }
    }

    @inline(__always)
    private mutating func host(
        _ line: Fields.Line,
        _ input: Span<UInt8>,
        _ knownHost: inout KnownHost
    ) -> Verdict {
        guard !present.contains(.host) else { return .failed(.repeatedField(.host)) }
        guard line.valueCount > 0 else { return .failed(.emptyHost) }
        guard let authority = knownHost.authority(input, line.value) else { return .failed(.badHost) }
        hostField = authority
        return .keep
    }

    private mutating func contentLength(_ line: Fields.Line, _ input: Span<UInt8>, limits: ParserLimits) -> Verdict {
        guard !present.contains(.contentLength) else { return .failed(.repeatedField(.contentLength)) }
        guard !present.contains(.transferEncoding) else { return .failed(.conflictingFraming) }
        switch ContentLength.parse(input, line.value) {
        case .invalid: return .failed(.badContentLength)
        case .tooLarge: return .failed(.contentTooLarge(limit: limits.content ?? .max))
        case .value(let value):
            if let limit = limits.content, value > limit { return .failed(.contentTooLarge(limit: limit)) }
            contentLength = value
            return .keep
        }
    }

    private func transferEncoding(_ line: Fields.Line, _ input: Span<UInt8>, version: HTTPVersion) -> Verdict {
        guard !present.contains(.transferEncoding) else { return .failed(.repeatedField(.transferEncoding)) }
        guard !present.contains(.contentLength) else { return .failed(.conflictingFraming) }
        guard version == .http11 else { return .failed(.transferEncodingInHTTP10) }
        switch TransferEncoding.judge(input, line.value) {
        case .chunked: return .keep
        case .unknownCoding: return .failed(.unsupportedTransferCoding)
        case .invalid: return .failed(.badTransferEncoding)
        }
    }

    private mutating func expect(_ line: Fields.Line, _ input: Span<UInt8>) -> Verdict {
        guard line.valueCount > 0 else { return .keep }
        guard ByteScan.matches(input, line.value, "100-continue") else { return .failed(.unknownExpectation) }
        expectsContinue = true
        return .keep
    }

    /// Judges a field that must not occur with two values; an equal repetition is dropped.
    private func singleton(
        _ line: Fields.Line,
        _ field: KnownField,
        _ input: Span<UInt8>,
        _ lines: [Fields.Line]
    ) -> Verdict {
        guard present.contains(field) else { return .keep }
        for earlier in lines where earlier.known == field {
            guard ByteScan.equals(input, earlier.value, line.value) else { return .failed(.repeatedField(field)) }
        }
        return .drop
    }

    /// Judges the section as a whole, and writes routing, framing and persistence into the head.
    func finish(_ head: inout RequestHead, rules: RequestParser.Rules) -> ParseError.Code? {
        if head.form == .authority, contentLength > 0 || present.contains(.transferEncoding) {
            return .contentInConnect
        }
        guard let hostField else {
            if head.version == .http11 { return .missingHost }
            setFraming(&head)
            return nil
        }
        switch head.form {
        case .origin, .asterisk:
            head.parts.host = hostField.host
            head.parts.port = hostField.port
        case .authority:
            guard agrees(hostField, head, defaultPorts: [443, 80]) else { return .hostMismatch }
        case .absolute:
            let port = (head.parts.scheme ?? .http).defaultPort
            if rules.hostMustMatchTarget, !agrees(hostField, head, defaultPorts: [port]) { return .hostMismatch }
        }
        setFraming(&head)
        return nil
    }

    /// Whether `Host` is the authority of the target; a missing port equals each of `defaultPorts`.
    private func agrees(_ hostField: Authority, _ head: RequestHead, defaultPorts: [UInt16]) -> Bool {
        let bytes = head.fields.bytes
        let one = bytes[hostField.host]
        let other = bytes[head.parts.host]
        guard one.count == other.count,
            zip(one, other).allSatisfy({ $0.asciiLowercased == $1.asciiLowercased })
        else { return false }
        if hostField.port == head.parts.port { return true }
        guard let port = hostField.port ?? head.parts.port, hostField.port == nil || head.parts.port == nil else {
            return false
        }
        return defaultPorts.contains(port)
    }

    private func setFraming(_ head: inout RequestHead) {
        head.framing =
            present.contains(.transferEncoding) ? .chunked : contentLength >= 0 ? .length(contentLength) : .none
        head.expectsContinue = expectsContinue && head.version == .http11
        head.isPersistent = connection.isPersistent(head.version)
    }
}
