import HTTPCore
import Transforms
import TestSupport
import Testing

@testable import Transformers

/// Runs transformers like the driver does, and checks that they obey the contract of `ContentFilter`.
struct Run {
    var limits = TransformLimits()
    /// Bytes per piece of input.
    var piece = 65_536
    var room = 262_144
    var request: [(String, String)] = []
    private(set) var output: [UInt8] = []
    private(set) var largestCall = 0

    init() {}

    init(piece: Int, room: Int = 262_144) {
        self.piece = piece
        self.room = room
    }

    var context: TransformContext {
        TransformContext(
            uri: TargetURI(scheme: .https, host: Array("origin.example".utf8), port: 443, path: []),
            request: fields(request),
            limits: limits,
            budget: TransformBudget()
        )
    }

    /// Transforms one response; returns nil if the transformer leaves the content alone.
    mutating func transform(
        _ transformer: any StreamingTransformer,
        _ head: inout EntityHead,
        _ content: [UInt8]
    ) throws(TransformFailure) -> [UInt8]? {
        guard let changing = try transformer.begin(&head, context) else { return nil }
        return try transform(changing, content)
    }

    mutating func transform(
        _ transformer: any ContentFilter,
        _ content: [UInt8]
    ) throws(TransformFailure) -> [UInt8] {
        output = []
        largestCall = 0
        var position = 0
        while position < content.count {
            let end = min(content.count, position + piece)
            var hasMore = true
            while position < end || hasMore {
                let before = output.count
                let input = content.span.extracting(position..<end)
                let progress = try transformer.transform(input, into: &output, room: room)
                let made = output.count - before
                largestCall = max(largestCall, made)
                position += progress.consumed
                hasMore = progress.hasMore
                // Only a lack of room may end a call early.
                if !(made >= room || position == end && !hasMore || made > 0) {
                    Issue.record("a call ended early with room left: \(made) of \(room), at \(position) of \(end)")
                    throw TransformFailure(.failed, "it stalled")
                }
            }
        }
        var hasMore = true
        while hasMore {
            let before = output.count
            hasMore = try transformer.finish(into: &output, room: room)
            largestCall = max(largestCall, output.count - before)
        }
        return output
    }
}

func fields(_ lines: [(String, String)]) -> Fields {
    var fields = Fields()
    for (name, value) in lines { fields.append(name: name, value: value) }
    return fields
}

func head(_ lines: (String, String)..., status: UInt16 = 200) -> EntityHead {
    EntityHead(status: status, fields: fields(lines))
}

/// Text of about `count` bytes that compresses like text.
func prose(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = FixedRandom(seed: seed)
    let words = ["cache", "origin", "field", "content", "proxy", "é", "stale", "fresh", "validator", "\n"]
    var result: [UInt8] = []
    while result.count < count {
        result += Array(words[Int(random.next() % 10)].utf8)
        result.append(0x20)
        if random.next() % 4 == 0 { result += Array("\(random.next() % 100_000)".utf8) }
    }
    return result
}

func encoded(_ content: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
    var run = Run()
    return try run.transform(CodingEncoder(coding), content)
}

func hex(_ text: String) -> [UInt8] {
    let digits = text.utf8.filter { $0 != 0x20 }
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
}
