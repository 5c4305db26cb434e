public import HTTPCore
import Locking
public import Transforms

/// A transformer that does what a test says, and counts.
public struct ScriptedTransformer: StreamingTransformer {
    public enum Way: Sendable {
        /// Piece by piece; the closure maps each byte.
        case streaming(@Sendable (UInt8) -> [UInt8])
        /// The whole content at once.
        case whole(@Sendable ([UInt8]) throws(TransformFailure) -> [UInt8])
        case headOnly
    }

    /// How often each step was reached.
    public final class Counts: Sendable {
        private let state = Lock((begun: 0, finished: 0, pieces: 0))

        public var begun: Int { state.withLock { $0.begun } }
        public var finished: Int { state.withLock { $0.finished } }
        public var pieces: Int { state.withLock { $0.pieces } }
        fileprivate func begin() { state.withLock { $0.begun += 1 } }
        fileprivate func finish() { state.withLock { $0.finished += 1 } }
        fileprivate func piece() { state.withLock { $0.pieces += 1 } }
    }

    public var name: String
    public var fingerprint: String
    public var way: Way
    public var needsDecodedContent: Bool
    public var isRedaction: Bool
    public var dependsOnRequest: Bool
    /// The request field whose value is the variation.
    public var varies: KnownField?
    public var onHead: @Sendable (inout EntityHead) throws(TransformFailure) -> Void
    public let counts = Counts()

    public init(
        name: String = "scripted",
        fingerprint: String = "1",
        way: Way,
        needsDecodedContent: Bool = false,
        isRedaction: Bool = false,
        dependsOnRequest: Bool = false,
        varies: KnownField? = nil,
        onHead: @escaping @Sendable (inout EntityHead) throws(TransformFailure) -> Void = { _ in }
    ) {
        self.name = name
        self.fingerprint = fingerprint
        self.way = way
        self.needsDecodedContent = needsDecodedContent
        self.isRedaction = isRedaction
        self.dependsOnRequest = dependsOnRequest
        self.varies = varies
        self.onHead = onHead
    }

    public func variation(for request: Fields) -> String { varies.flatMap { request.text(of: $0) } ?? "" }

    public func begin(
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
    public static func suffix(_ suffix: String) -> ScriptedTransformer {
        ScriptedTransformer(name: "suffix", fingerprint: suffix, way: .whole { $0 + Array(suffix.utf8) })
    }

    /// The same as a redaction.
    public var redacting: ScriptedTransformer {
        var copy = self
        copy.isRedaction = true
        return copy
    }

    /// Upper case, streaming.
    public static var upper: ScriptedTransformer {
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
