import HTTPCore

/// What came of parsing one message.
enum Outcome: Equatable, CustomStringConvertible {
    case needMore
    case complete(consumed: Int)
    case failed(ParseError.Code)

    var description: String {
        switch self {
        case .needMore: "needMore"
        case .complete(let consumed): "complete(\(consumed))"
        case .failed(let code): "failed(\(code))"
        }
    }

    init(_ result: ParseResult) {
        switch result {
        case .needMore: self = .needMore
        case .complete(let consumed): self = .complete(consumed: consumed)
        case .failed(let error): self = .failed(error.code)
        }
    }

    var status: UInt16? {
        if case .failed(let code) = self { return ParseError(code).status }
        return nil
    }
}

/// Bytes of a text; `\u{e9}` and the like below U+0100 are one byte each.
func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

/// Parses a request that arrives at once.
func parse(
    _ bytes: [UInt8],
    limits: ParserLimits = ParserLimits(),
    rules: RequestParser.Rules = .init()
) -> (Outcome, RequestHead) {
    var parser = RequestParser(limits: limits, rules: rules)
    var head = RequestHead()
    let result = parser.parse(bytes.span, into: &head)
    return (Outcome(result), head)
}

/// Parses a request that arrives in pieces that end at `cuts`.
func parse(
    _ bytes: [UInt8],
    cuts: [Int],
    limits: ParserLimits = ParserLimits(),
    rules: RequestParser.Rules = .init()
) -> (Outcome, RequestHead) {
    var parser = RequestParser(limits: limits, rules: rules)
    var head = RequestHead()
    for cut in cuts + [bytes.count] {
        let result = parser.parse(bytes.span.extracting(0..<cut), into: &head)
        if result != .needMore { return (Outcome(result), head) }
    }
    return (.needMore, head)
}

/// Parses at once, cut in two at every byte, and byte by byte; nil if the outcomes differ.
func parseInAllWays(
    _ bytes: [UInt8],
    limits: ParserLimits = ParserLimits(),
    rules: RequestParser.Rules = .init()
) -> (Outcome, RequestHead)? {
    let whole = parse(bytes, limits: limits, rules: rules)
    for cut in 0..<bytes.count {
        let cutInTwo = parse(bytes, cuts: [cut], limits: limits, rules: rules)
        guard cutInTwo.0 == whole.0, cutInTwo.0.isFailure || same(cutInTwo.1, whole.1) else { return nil }
    }
    let dribbled = parse(bytes, cuts: Array(0..<bytes.count), limits: limits, rules: rules)
    guard dribbled.0 == whole.0, dribbled.0.isFailure || same(dribbled.1, whole.1) else { return nil }
    return whole
}

extension Outcome {
    var isFailure: Bool { if case .failed = self { true } else { false } }
}

func same(_ one: RequestHead, _ other: RequestHead) -> Bool {
    one.method == other.method && one.version == other.version && one.form == other.form
        && one.target == other.target && one.parts == other.parts && one.fields == other.fields
        && one.framing == other.framing && one.isPersistent == other.isPersistent
        && one.expectsContinue == other.expectsContinue
}

/// The outcome of a request of these lines, in all ways of arriving.
func outcome(_ lines: String..., limits: ParserLimits = ParserLimits()) -> Outcome? {
    let bytes = latin(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    return parseInAllWays(bytes, limits: limits)?.0
}

/// The head of a valid request of these lines.
func requestHead(_ lines: String...) -> RequestHead? {
    let bytes = latin(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    guard let (outcome, head) = parseInAllWays(bytes), outcome == .complete(consumed: bytes.count) else { return nil }
    return head
}

/// Parses a response in all ways of arriving; nil if the outcomes differ.
func parseResponse(
    _ bytes: [UInt8],
    to method: Method = .get,
    limits: ParserLimits = ParserLimits()
) -> (Outcome, ResponseHead)? {
    func parse(_ cuts: [Int]) -> (Outcome, ResponseHead) {
        var parser = ResponseParser(limits: limits, requestMethod: method)
        var head = ResponseHead(status: 200)
        for cut in cuts + [bytes.count] {
            let result = parser.parse(bytes.span.extracting(0..<cut), into: &head)
            if result != .needMore { return (Outcome(result), head) }
        }
        return (.needMore, head)
    }
    let whole = parse([])
    for cuts in (0..<bytes.count).map({ [$0] }) + [Array(0..<bytes.count)] {
        let other = parse(cuts)
        guard other.0 == whole.0 else { return nil }
        if !whole.0.isFailure, other.1.fields != whole.1.fields || other.1.framing != whole.1.framing { return nil }
    }
    return whole
}

/// The outcome of a response of these lines.
func responseOutcome(_ lines: String..., to method: Method = .get) -> Outcome? {
    parseResponse(latin(lines.map { $0 + "\r\n" }.joined() + "\r\n"), to: method)?.0
}

func responseHead(_ lines: String..., to method: Method = .get) -> ResponseHead? {
    let bytes = latin(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    guard let (outcome, head) = parseResponse(bytes, to: method), outcome == .complete(consumed: bytes.count) else {
        return nil
    }
    return head
}

/// What decoding did: the content, the bytes consumed in all, whether it ended, the error.
struct Decoded: Equatable {
    var content: [UInt8] = []
    var consumed = 0
    var isComplete = false
    var error: ParseError.Code?
    var trailers: [String] = []
}

/// Decodes content that arrives in pieces that end at `cuts`.
func decode(
    _ bytes: [UInt8],
    cuts: [Int] = [],
    framing: Framing = .chunked,
    limits: ParserLimits = ParserLimits()
) -> Decoded {
    var decoder = ContentDecoder(framing: framing, limits: limits)
    var decoded = Decoded()
    var start = 0
    for end in cuts + [bytes.count] {
        var parts: [Range<Int>] = []
        let piece = Array(bytes[start..<end])
        let result = decoder.decode(piece.span) { parts.append($0) }
        for part in parts { decoded.content += piece[part] }
        switch result {
        case .needMore(let consumed): decoded.consumed += consumed
        case .failed(let error):
            decoded.error = error.code
            return decoded
        case .complete(let consumed):
            decoded.consumed += consumed
            decoded.isComplete = true
            decoded.trailers = decoder.trailers.lines.map {
                text(decoder.trailers.name(of: $0)) + ": " + text(decoder.trailers.value(of: $0))
            }
            return decoded
        }
        start = end
    }
    return decoded
}

/// Decodes at once, cut in two at every byte, and byte by byte; nil if anything but the error's place differs.
func decodeInAllWays(
    _ bytes: [UInt8],
    framing: Framing = .chunked,
    limits: ParserLimits = ParserLimits()
) -> Decoded? {
    let whole = decode(bytes, framing: framing, limits: limits)
    for cuts in (0..<bytes.count).map({ [$0] }) + [Array(0..<bytes.count)] {
        let other = decode(bytes, cuts: cuts, framing: framing, limits: limits)
        guard other.error == whole.error, other.isComplete == whole.isComplete, other.trailers == whole.trailers else {
            return nil
        }
        if whole.error == nil, other != whole { return nil }
    }
    return whole
}

/// A field section with these lines.
func fields(_ lines: (String, String)...) -> Fields {
    var fields = Fields()
    for (name, value) in lines { fields.append(name: name, value: value) }
    return fields
}

func names(_ fields: Fields) -> [String] { fields.lines.map { text(fields.name(of: $0)) } }
