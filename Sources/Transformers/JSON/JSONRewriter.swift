import Formats
import HTTPCore
import Transforms

/// Writes the white space between the tokens of JSON text.
protocol JSONLayout {
    mutating func writeSpace(before token: JSONToken, to output: inout [UInt8])
    mutating func writeSpace(after token: JSONToken, to output: inout [UInt8])
}

extension JSONLayout {
    func writeSpace(after token: JSONToken, to output: inout [UInt8]) {}
}

/// Checks JSON piece by piece, and writes its tokens with new white space between them.
final class JSONRewriter<Layout: JSONLayout>: ContentFilter {
    private var layout: Layout
    private var scanner: JSONScanner
    private var meter: WorkMeter
    private let ratio: Int
    private var taken = 0
    private var given = 0

    private static var pieceSize: Int { 16 * 1024 }

    init(_ layout: Layout, _ context: TransformContext) {
        self.layout = layout
        scanner = JSONScanner(depthLimit: context.limits.jsonDepth)
        meter = WorkMeter(context.budget)
        ratio = context.limits.ratio
    }

    var needsWholeContent: Bool { false }

    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress {
        let before = output.count
        let end = before + max(1, room)
        var at = 0
        while at < input.count, output.count < end {
            // Each token is written completely. With small pieces the output cannot exceed the room by much.
            let piece = input.extracting(at..<min(input.count, at + Self.pieceSize))
            var offset = 0
            while output.count < end, let token = try scanner.token(piece, &offset) {
                try meter.tick(token.range.count)
                if token.isStart { layout.writeSpace(before: token, to: &output) }
                output.append(copying: piece.extracting(token.range))
                layout.writeSpace(after: token, to: &output)
            }
            at += offset
        }
        try judge(taken: at, given: output.count - before)
        return TransformProgress(consumed: at)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        if taken > 0 { try scanner.end() }
        return false
    }

    /// Indentation of deep nesting can expand short content (H-131).
    private func judge(taken newlyTaken: Int, given newlyGiven: Int) throws(TransformFailure) {
        taken += newlyTaken
        given += newlyGiven
        guard ratio > 0, given > 1024 * 1024, given / ratio > taken else { return }
        throw TransformFailure(
            .limit,
            "formatted, the content is more than \(ratio) times as large; see `decoded-ratio`"
        )
    }
}
