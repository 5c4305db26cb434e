/// Collects, line by line, what the fields of a response say about framing and the connection (RFC 9112 §6.3).
struct ResponseSection: Sendable {
    var present: KnownFieldSet = []
    private var contentLength: Int64?
    /// The first fault in the framing fields; ignored if the message has no content.
    private var fault: ParseError.Code?
    private var connection = ConnectionOptions()
    private var hasOddConnection = false

    mutating func note(_ line: Fields.Line, _ field: KnownField, _ input: Span<UInt8>, _ head: ResponseHead) {
        switch field {
        case .contentLength: noteContentLength(line, input)
        case .transferEncoding: noteTransferEncoding(line, input, head.version)
        case .connection:
            if !connection.note(input, line.value) { hasOddConnection = true }
        default: break
        }
    }

    private mutating func noteContentLength(_ line: Fields.Line, _ input: Span<UInt8>) {
        if present.contains(.transferEncoding) { fail(.conflictingFraming) }
        switch ContentLength.parseList(input, line.value) {
        case .invalid: fail(.badContentLength)
        case .tooLarge: fail(.contentTooLarge(limit: .max))
        case .value(let value):
            if let earlier = contentLength, earlier != value { fail(.repeatedField(.contentLength)) }
            contentLength = value
        }
    }

    private mutating func noteTransferEncoding(_ line: Fields.Line, _ input: Span<UInt8>, _ version: HTTPVersion) {
        if present.contains(.transferEncoding) { fail(.repeatedField(.transferEncoding)) }
        if present.contains(.contentLength) { fail(.conflictingFraming) }
        if version == .http10 { fail(.transferEncodingInHTTP10) }
        switch TransferEncoding.judge(input, line.value) {
        case .chunked: break
        case .unknownCoding: fail(.unsupportedTransferCoding)
        case .invalid: fail(.badTransferEncoding)
        }
    }

    private mutating func fail(_ code: ParseError.Code) {
        if fault == nil { fault = code }
    }

    /// Decides the framing and writes it into the head.
    func finish(_ head: inout ResponseHead, requestMethod: Method) -> ParseError.Code? {
        head.isPersistent = !hasOddConnection && connection.isPersistent(head.version)
        head.contentLength = fault == nil ? contentLength : nil
        if Self.endsWithHead(head.status, requestMethod) {
            head.framing = .none
            return nil
        }
        if let fault { return fault }
        if present.contains(.transferEncoding) {
            head.framing = .chunked
        } else if let contentLength {
            head.framing = .length(contentLength)
        } else {
            head.framing = .untilClose
            head.isPersistent = false
        }
        return nil
    }

    /// Whether there is no content, whatever the fields say.
    static func endsWithHead(_ status: UInt16, _ requestMethod: Method) -> Bool {
        switch status {
        case 100..<200, 204, 304: true
        case 200..<300: requestMethod == .head || requestMethod == .connect
        default: requestMethod == .head
        }
    }
}
