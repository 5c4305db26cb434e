import HTTPCore

/// CONNECT to a proxy that speaks HTTP/1.1 (RFC 9110 §9.3.6).
struct TunnelDialogue: ParentDialogue {
    /// The most interim heads before the final one.
    private static let interimLimit = 16

    private let target: TargetURI
    private let fields: Fields
    private var parser: ResponseParser
    private var head = ResponseHead(status: 200)
    private var interimCount = 0

    /// - Parameters:
    ///   - host: as in a URI.
    ///   - via: fields of the request; their Via lines are passed on, so that proxies notice a loop.
    init(host: [UInt8], port: UInt16, parent: ParentProxy, via: Fields, limits: ParserLimits = ParserLimits()) {
        target = TargetURI(scheme: .https, host: host, port: port, path: [0x2F])
        var fields = Fields()
        for line in via.lines where line.known == .via { fields.append(.via, Array(via.bytes[line.value])) }
        if let authorization = parent.authorization { fields.append(.proxyAuthorization, authorization) }
        self.fields = fields
        parser = ResponseParser(limits: limits, requestMethod: .connect)
    }

    mutating func begin() -> [UInt8] {
        var bytes: [UInt8] = []
        HeadSerializer.appendRequest(
            .connect,
            target,
            form: .authority,
            fields: fields,
            framing: .none,
            to: &bytes
        )
        return bytes
    }

    mutating func receive(_ bytes: Span<UInt8>) -> ParentDialogueStep {
        switch parser.parse(bytes, into: &head) {
        case .needMore: return .needMore
        case .failed(let error): return .failed(.badResponse(error.proxyErrorType, error.userMessage))
        case .complete(let consumed):
            parser.reset()
            if head.isInterim, head.status != 101 {
                interimCount += 1
                guard interimCount <= Self.interimLimit else {
                    return .failed(.badResponse(.httpProtocolError, "there are too many interim responses"))
                }
                return .goOn(consumed: consumed, send: [])
            }
            // Content-Length and Transfer-Encoding of a 2xx have no meaning here.
            return head.status / 100 == 2 ? .done(consumed: consumed) : .failed(.refused(status: head.status))
        }
    }
}
