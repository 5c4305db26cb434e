import HTTPCore
import Locking
import ResourceCore

/// A transformer whose doings a test tells.
struct ScriptedTransformer: StreamingTransformer {
    enum Way: Sendable {
        /// Piece by piece, each byte as `map` says.
        case streaming(@Sendable (UInt8) -> [UInt8])
        /// All in one go.
        case whole(@Sendable ([UInt8]) throws(TransformFailure) -> [UInt8])
        case headOnly
    }

    /// What happened.
    final class Counts: Sendable {
        private let state = Lock((begun: 0, finished: 0, pieces: 0))

        var begun: Int { state.withLock { $0.begun } }
        var finished: Int { state.withLock { $0.finished } }
        var pieces: Int { state.withLock { $0.pieces } }
        fileprivate func begin() { state.withLock { $0.begun += 1 } }
        fileprivate func finish() { state.withLock { $0.finished += 1 } }
        fileprivate func piece() { state.withLock { $0.pieces += 1 } }
    }

    var name = "scripted"
    var fingerprint = "1"
    var way: Way
    var needsDecodedContent = false
    var isRedaction = false
    var dependsOnRequest = false
    /// The request field whose value is the variation.
    var varies: KnownField?
    var onHead: @Sendable (inout EntityHead) throws(TransformFailure) -> Void = { _ in }
    let counts = Counts()

    func variation(for request: Fields) -> String { varies.flatMap { request.text(of: $0) } ?? "" }

    func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        counts.begin()
        try onHead(&head)
        switch way {
        case .streaming(let map): return Streaming(map, counts)
        case .whole(let body):
            let counts = counts
            return WholeContent(limits: context.limits) { span throws(TransformFailure) in
                let result = try body([UInt8](copying: span))
                counts.finish()
                return result
            }
        case .headOnly: return nil
        }
    }

    /// Appends `suffix` to the whole.
    static func suffix(_ suffix: String) -> ScriptedTransformer {
        ScriptedTransformer(name: "suffix", fingerprint: suffix, way: .whole { $0 + Array(suffix.utf8) })
    }

    /// The same, hiding something.
    var redacting: ScriptedTransformer {
        var copy = self
        copy.isRedaction = true
        return copy
    }

    /// Upper case, streaming.
    static var upper: ScriptedTransformer {
        ScriptedTransformer(
            name: "upper",
            fingerprint: "",
            way: .streaming { [(97...122).contains($0) ? $0 - 32 : $0] }
        )
    }

    private final class Streaming: ContentFilter {
        private let map: (UInt8) -> [UInt8]
        private let counts: Counts

        init(_ map: @escaping (UInt8) -> [UInt8], _ counts: Counts) {
            self.map = map
            self.counts = counts
        }

        var needsWholeContent: Bool { false }

        func transform(
            _ input: Span<UInt8>,
            into output: inout [UInt8],
            room: Int
        ) throws(TransformFailure) -> TransformProgress {
            counts.piece()
            var index = 0
            while index < input.count, output.count < room {
                output += map(input[index])
                index += 1
            }
            return TransformProgress(consumed: index)
        }

        func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
            counts.finish()
            return false
        }
    }
}
