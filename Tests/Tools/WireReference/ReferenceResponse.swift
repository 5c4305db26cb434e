/// A response's head.
public struct ReferenceResponse: Equatable, Sendable {
    public var status: Int
    public var reason: [UInt8]
    public var minor: Int
    public var fields: [ReferenceField]
    public var framing: ReferenceFraming
    public var isPersistent: Bool
    public var contentLength: Int64?

    /// As read elsewhere, to be compared.
    public init(
        status: Int,
        reason: [UInt8],
        minor: Int,
        fields: [ReferenceField] = [],
        framing: ReferenceFraming = .none,
        isPersistent: Bool = false,
        contentLength: Int64? = nil
    ) {
        self.status = status
        self.reason = reason
        self.minor = minor
        self.fields = fields
        self.framing = framing
        self.isPersistent = isPersistent
        self.contentLength = contentLength
    }

    /// Reads the response `input` begins with, which answers a request with `method`; every refusal is a 502.
    public static func read(_ input: [UInt8], to method: String, bounds: Bounds) -> Verdict<ReferenceResponse> {
        do {
            var at = 0
            let response = try read(input, from: &at, method, bounds)
            return .message(response, consumed: at)
        } catch is Refusal {
            return .refused([502])
        } catch {
            return .incomplete
        }
    }

    private static func read(
        _ input: [UInt8],
        from at: inout Int,
        _ method: String,
        _ bounds: Bounds
    ) throws -> ReferenceResponse {
        var response = try statusLine(input, from: &at, bounds)
        var section = FieldSection(input, from: at, limit: bounds.section, tooLarge: 502)
        while let field = try section.next() {
            if resemblesFraming(field.name) { continue }
            if response.fields.count == bounds.lines { throw Refusal(502) }
            response.fields.append(field)
        }
        at = section.at
        try settle(&response, method)
        return response
    }

    /// H-091, H-092, H-095.
    private static func statusLine(
        _ input: [UInt8],
        from at: inout Int,
        _ bounds: Bounds
    ) throws -> ReferenceResponse {
        for (place, found) in input.prefix(13).enumerated() {
            let isRight =
                switch place {
                case 7, 10, 11: isDigit(found)
                case 8: found == space
                case 9: (49...53).contains(found)
                case 12: found == space || found == carriageReturn
                default: found == bytes("HTTP/1.")[place]
                }
            guard isRight else { throw Refusal(502) }
        }
        guard input.count > 12 else { throw Unfinished() }
        at = input[12] == space ? 13 : 12
        var reason: [UInt8] = []
        while at < input.count, isValueCharacter(input[at]) {
            reason.append(input[at])
            at += 1
            if at > 13 + bounds.reason { throw Refusal(502) }
        }
        guard at < input.count else { throw Unfinished() }
        guard input[at] == carriageReturn else { throw Refusal(502) }
        guard at + 1 < input.count else { throw Unfinished() }
        guard input[at + 1] == lineFeed else { throw Refusal(502) }
        at += 2
        return ReferenceResponse(
            status: (9...11).reduce(0) { $0 * 10 + Int(input[$1]) - 48 },
            reason: reason,
            minor: input[7] == byte("0") ? 0 : 1
        )
    }

    /// H-096 to H-099, H-103.
    private static func settle(_ response: inout ReferenceResponse, _ method: String) throws {
        func values(_ name: String) -> [[UInt8]] {
            response.fields.filter { lowercased($0.name) == bytes(name) }.map(\.value)
        }
        let length = equalLength(values("content-length"))
        let codings = values("transfer-encoding")
        let isFramed =
            (values("content-length").isEmpty || length != nil)
            && (codings.isEmpty
                || codings.count == 1 && judgeCodings(codings[0]) == .chunked && response.minor == 1
                    && values("content-length").isEmpty)
        var connection = ReferenceConnection()
        values("connection").forEach { connection.note($0) }
        response.isPersistent = connection.isPersistent(minor: response.minor) && !connection.isOdd
        response.contentLength = isFramed ? length : nil
        let status = response.status
        if status < 200 || status == 204 || status == 304 || method == "HEAD" || (method == "CONNECT" && status < 300) {
            return
        }
        guard isFramed else { throw Refusal(502) }
        response.framing = !codings.isEmpty ? .chunked : length.map { .length($0) } ?? .untilClose
        if response.framing == .untilClose { response.isPersistent = false }
    }

    /// The one number that all members of all lines are (H-097); nil if there is none.
    private static func equalLength(_ lines: [[UInt8]]) -> Int64? {
        let all = lines.flatMap(members)
        let lengths = all.map { !$0.isEmpty && $0.allSatisfy(isDigit) ? number($0) : nil }
        guard let first = lengths.first, lengths.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
