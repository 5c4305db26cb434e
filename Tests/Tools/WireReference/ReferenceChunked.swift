/// Chunked content with its trailers.
public struct ReferenceChunked: Equatable, Sendable {
    public var content: [UInt8]
    public var trailers: [ReferenceField]

    /// As read elsewhere, to be compared.
    public init(
        content: [UInt8],
        trailers: [ReferenceField]
    ) {
        self.content = content
        self.trailers = trailers
    }

    /// Reads the chunked content `input` begins with (H-039 to H-046).
    public static func read(_ input: [UInt8], bounds: Bounds) -> Verdict<ReferenceChunked> {
        do {
            var reader = ChunkReader(input: input, bounds: bounds)
            let content = try reader.read()
            return .message(content, consumed: reader.at)
        } catch let refusal as Refusal {
            return .refused(refusal.statuses)
        } catch {
            return .incomplete
        }
    }
}

private struct ChunkReader {
    let input: [UInt8]
    let bounds: Bounds
    var at = 0
    var extensionBytes = 0
    var lineBytes = 0

    mutating func read() throws -> ReferenceChunked {
        var content: [UInt8] = []
        var total: Int64 = 0
        while true {
            let size = try sizeLine()
            if size == 0 { break }
            let (sum, isTooLarge) = total.addingReportingOverflow(size)
            if isTooLarge { throw Refusal(400) }
            total = sum
            if total > bounds.content ?? .max { throw Refusal(413) }
            guard size <= input.count - at else { throw Unfinished() }
            content += input[at..<at + Int(size)]
            at += Int(size)
            guard try take() == carriageReturn, try take() == lineFeed else { throw Refusal(400) }
        }
        return ReferenceChunked(content: content, trailers: try trailers())
    }

    private mutating func take() throws -> UInt8 {
        guard at < input.count else { throw Unfinished() }
        at += 1
        return input[at - 1]
    }

    private func peek() throws -> UInt8 {
        guard at < input.count else { throw Unfinished() }
        return input[at]
    }

    /// chunk-size [ chunk-ext ] CRLF.
    private mutating func sizeLine() throws -> Int64 {
        var digits: [Int] = []
        while let digit = hexadecimal(try peek()) {
            digits.append(digit)
            at += 1
            if digits.count > 16 || (digits.count == 16 && digits[0] > 7) { throw Refusal(400) }
        }
        if digits.isEmpty { throw Refusal(400) }
        lineBytes = 0
        while try peek() != carriageReturn { try chunkExtension() }
        at += 1
        guard try take() == lineFeed else { throw Refusal(400) }
        return digits.reduce(0) { $0 * 16 + Int64($1) }
    }

    // MARK: Extensions

    /// BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] (RFC 9112 §7.1.1).
    private mutating func chunkExtension() throws {
        try skipBlanks()
        try need { $0 == byte(";") }
        try skipBlanks()
        try skipToken()
        // Blanks belong to what follows: a value or the next extension.
        let end = at
        let spent = (lineBytes, extensionBytes)
        try skipBlanks()
        guard try peek() == byte("=") else {
            (at, lineBytes, extensionBytes) = (end, spent.0, spent.1)
            return
        }
        try need { _ in true }
        try skipBlanks()
        if try peek() == byte("\"") { try skipQuoted() } else { try skipToken() }
    }

    /// One byte that must fit; counted.
    private mutating func need(_ fits: (UInt8) -> Bool) throws {
        guard fits(try peek()) else { throw Refusal(400) }
        at += 1
        lineBytes += 1
        extensionBytes += 1
        if lineBytes > bounds.extensionLine || extensionBytes > bounds.extensions { throw Refusal(413) }
    }

    private mutating func skipBlanks() throws { while isBlank(try peek()) { try need { _ in true } } }

    private mutating func skipToken() throws {
        try need(isTokenCharacter)
        while isTokenCharacter(try peek()) { try need { _ in true } }
    }

    private mutating func skipQuoted() throws {
        try need { $0 == byte("\"") }
        while true {
            let next = try peek()
            if next == byte("\"") { break }
            if next == byte("\\") { try need { _ in true } }
            try need(isValueCharacter)
        }
        try need { _ in true }
    }

    // MARK: Trailers

    /// What may frame, route, authenticate, control or describe content in a header section stays out of trailers.
    private static let barred: Set<String> = [
        "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "alt-svc", "authorization",
        "cache-control", "cdn-cache-control", "connection", "content-encoding", "content-language", "content-length",
        "content-location", "content-range", "content-type", "cookie", "date", "etag", "expect", "expires", "forwarded",
        "host", "http2-settings", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
        "incremental", "keep-alive", "last-modified", "location", "max-forwards", "origin", "pragma",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "proxy-connection", "range",
        "referer", "respite-cache-control", "retry-after", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site",
        "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "vary", "via", "warning", "www-authenticate",
        "x-forwarded-for",
    ]

    private mutating func trailers() throws -> [ReferenceField] {
        var section = FieldSection(input, from: at, limit: bounds.trailerSection, tooLarge: 431)
        var fields: [ReferenceField] = []
        var count = 0
        while let field = try section.next() {
            if resemblesFraming(field.name) { continue }
            count += 1
            if count > bounds.trailerLines { throw Refusal(431) }
            if !Self.barred.contains(String(decoding: lowercased(field.name), as: UTF8.self)) { fields.append(field) }
        }
        at = section.at
        return fields
    }
}
