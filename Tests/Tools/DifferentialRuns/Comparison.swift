import HTTPCore
import WireReference

/// Something read in two ways.
public struct Disagreement: Sendable, CustomStringConvertible {
    public var kind: String
    public var message: [UInt8]
    public var one: String
    public var other: String

    public var description: String {
        let text = message.map { byte -> String in
            switch byte {
            case 13: "\\r"
            case 10: "\\n"
            case 0x20...0x7E where byte != 0x5C: String(UnicodeScalar(byte))
            default: "\\x" + String(byte + 0, radix: 16)
            }
        }
        return "\(kind): \"\(text.joined())\"\n  parser:    \(one)\n  reference: \(other)"
    }
}

/// Reads messages with the parsers and with the reference.
public struct Comparison: Sendable {
    /// What became of the messages, by kind: `request 200` for those that were read, else the status.
    public private(set) var outcomes: [String: Int] = [:]
    public private(set) var disagreements: [Disagreement] = []
    private var generator: MessageGenerator

    public init(seed: UInt64) { generator = MessageGenerator(random: Seeded(seed)) }

    /// One generated message of a kind: a request, a response or chunked content.
    public mutating func turn() {
        switch generator.random.below(4) {
        case 0, 1: request()
        case 2: response()
        default: chunked()
        }
    }

    // MARK: Kinds

    private mutating func request() {
        let message = input { $0.request() }
        let bounds = self.bounds()
        let strict = generator.random.oneIn(3)
        func parse(_ bytes: [UInt8], _ cuts: [Int]) -> Verdict<ReferenceRequest> {
            var rules = RequestParser.Rules()
            rules.hostMustMatchTarget = strict
            var parser = RequestParser(limits: ParserLimits(bounds), rules: rules)
            var head = RequestHead()
            for cut in cuts + [bytes.count] {
                switch parser.parse(bytes.span.extracting(0..<cut), into: &head) {
                case .needMore: continue
                case .complete(let consumed): return .message(ReferenceRequest(head), consumed: consumed)
                case .failed(let error): return .refused([Int(error.status)])
                }
            }
            return .incomplete
        }
        compare("request", message, parse) {
            ReferenceRequest.read($0, bounds: bounds, hostMustMatchTarget: strict)
        }
    }

    private mutating func response() {
        let message = input { $0.response() }
        let bounds = self.bounds()
        let method = generator.random.pick(["GET", "GET", "GET", "HEAD", "CONNECT", "POST"])
        func parse(_ bytes: [UInt8], _ cuts: [Int]) -> Verdict<ReferenceResponse> {
            var parser = ResponseParser(limits: ParserLimits(bounds), requestMethod: Method(method))
            var head = ResponseHead(status: 200)
            for cut in cuts + [bytes.count] {
                switch parser.parse(bytes.span.extracting(0..<cut), into: &head) {
                case .needMore: continue
                case .complete(let consumed): return .message(ReferenceResponse(head), consumed: consumed)
                case .failed: return .refused([502])
                }
            }
            return .incomplete
        }
        compare("response", message, parse) { ReferenceResponse.read($0, to: method, bounds: bounds) }
    }

    private mutating func chunked() {
        let message = input { $0.chunkedContent() }
        let bounds = self.bounds()
        func parse(_ bytes: [UInt8], _ cuts: [Int]) -> Verdict<ReferenceChunked> {
            var decoder = ContentDecoder(framing: .chunked, limits: ParserLimits(bounds))
            var content: [UInt8] = []
            var start = 0
            for end in cuts + [bytes.count] {
                let result = decoder.decode(bytes.span.extracting(start..<end)) { part in
                    content += bytes[start + part.lowerBound..<start + part.upperBound]
                }
                switch result {
                case .needMore: start = end
                case .complete(let consumed):
                    let trailers = decoder.trailers
                    let read = ReferenceChunked(content: content, trailers: trailers.lines.map { trailers.field($0) })
                    return .message(read, consumed: start + consumed)
                case .failed(let error): return .refused([Int(error.status)])
                }
            }
            return .incomplete
        }
        compare("content", message, parse) { ReferenceChunked.read($0, bounds: bounds) }
    }

    private mutating func input(_ make: (inout MessageGenerator) -> [UInt8]) -> [UInt8] {
        let message = make(&generator)
        let other = make(&generator)
        let isMutated = generator.random.oneIn(2)
        // What follows is the next message's.
        let following = generator.random.oneIn(2) ? other : []
        return (isMutated ? generator.mutate(message, with: other) : message) + following
    }

    /// The usual bounds, or some that messages of this size meet.
    private mutating func bounds() -> Bounds {
        var bounds = Bounds()
        guard generator.random.oneIn(3) else { return bounds }
        bounds.method = 4 + generator.random.below(10)
        bounds.target = 8 + generator.random.below(60)
        bounds.section = 20 + generator.random.below(200)
        bounds.lines = 1 + generator.random.below(6)
        bounds.emptyLines = generator.random.below(4)
        bounds.reason = generator.random.below(12)
        bounds.content = Int64(generator.random.below(2000))
        bounds.extensionLine = 4 + generator.random.below(40)
        bounds.extensions = 4 + generator.random.below(60)
        bounds.trailerSection = 2 + generator.random.below(100)
        bounds.trailerLines = generator.random.below(4)
        return bounds
    }

    // MARK: Verdicts

    /// What could come behind an unfinished message.
    private static let endings: [[UInt8]] = [
        "\r\n\r\n", "\n\r\n", ":\r\n\r\n", " / HTTP/1.1\r\nHost: h\r\n\r\n", " HTTP/1.1\r\nHost: h\r\n\r\n",
        "\r\nHost: h\r\n\r\n", "0\r\n\r\n", "\"\r\n\r\n0\r\n\r\n", "\r\n0\r\n\r\n",
    ].map { Array($0.utf8) }

    private mutating func compare<Message>(
        _ kind: String,
        _ message: [UInt8],
        _ parse: ([UInt8], [Int]) -> Verdict<Message>,
        _ read: ([UInt8]) -> Verdict<Message>
    ) {
        let cuts = generator.cuts(of: message.count)
        let expected = read(message)
        for cuts in [[], cuts] {
            let found = parse(message, cuts)
            if !agree(message, found, expected, parse, read) {
                disagreements.append(
                    Disagreement(kind: kind, message: message, one: "\(found)", other: "\(expected)")
                )
                return
            }
        }
        outcomes[name(kind, expected), default: 0] += 1
    }

    private func agree<Message>(
        _ message: [UInt8],
        _ found: Verdict<Message>,
        _ expected: Verdict<Message>,
        _ parse: ([UInt8], [Int]) -> Verdict<Message>,
        _ read: ([UInt8]) -> Verdict<Message>
    ) -> Bool {
        switch (found, expected) {
        case (.refused(let one), .refused(let other)): return one.isSubset(of: other)
        case (.incomplete, .refused):
            // It looks at a line as a whole: it must refuse it then, whatever comes.
            let outcomes = Self.endings.map { parse(message + $0, []) }
            return outcomes.allSatisfy { if case .message = $0 { false } else { true } }
                && outcomes.contains { if case .refused = $0 { true } else { false } }
        case (.refused, .incomplete):
            // It knows already what no ending can mend.
            return Self.endings.allSatisfy { if case .message = read(message + $0) { false } else { true } }
        default: return found == expected
        }
    }

    private func name<Message>(_ kind: String, _ verdict: Verdict<Message>) -> String {
        switch verdict {
        case .message: "\(kind) read"
        case .incomplete: "\(kind) incomplete"
        case .refused(let statuses):
            "\(kind) refused with " + statuses.sorted().map(String.init).joined(separator: " or ")
        }
    }
}
